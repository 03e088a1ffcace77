import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { createMediaGen, type MediaGen } from "@mediagen/sdk/node";
import { describe, test } from "vitest";
import { faults, trusted } from "./faults.ts";
import { startRawServer, type RawServer } from "./raw-server.ts";

setDefaultCACertificates([...getCACertificates("default"), ...trusted]);

const canary = "sk-canary-0123456789";
const large = new Blob([new Uint8Array(16 * 1024 * 1024)], { type: "image/png" });

/** Both doors as they differ: the node transport, and what the plain door stands on. */
const doors = {
  "node:http": {},
  "global fetch": { fetch: (request: Request) => globalThis.fetch(request) },
} as const;

/** A client with two retries that do not take time; its time limits pass when the server says that it hangs. */
function clientOf(server: RawServer, door: keyof typeof doors): MediaGen {
  return createMediaGen({
    baseUrl: server.baseUrl,
    apiKey: canary,
    retries: 2,
    random: () => 0,
    sleep: (ms, signal) => (ms === 0 ? Promise.resolve() : Promise.race([server.hung(), new Promise<void>((_, reject) => signal.addEventListener("abort", reject))])),
    ...doors[door],
  });
}

/** All that may be seen of an error and its causes: what is printed, and bytes as text. */
function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const bytes = Object.values(error).filter((value) => value instanceof Uint8Array).map((value) => Buffer.from(value).toString("latin1"));
  return [inspect(error, { depth: Infinity, showHidden: true }), String(error), ...bytes, everythingOf(error.cause)].join();
}

describe.each(["node:http", "global fetch"] as const)("on %s", (door) => {
  const rows = faults.filter(({ large }) => door === "node:http" || !large);
  const cases = rows.flatMap((row) => (["generate", "query"] as const).map((operation) => ({ row, operation })));

  test.concurrent.for(cases)("$operation: $row.name", async ({ row, operation }, { expect }) => {
    const [outcome, heads] = (door === "global fetch" ? row.onFetch?.[operation] : undefined) ?? row[operation];
    const server = await startRawServer(row);
    try {
      const media = clientOf(server, door);
      const files = row.large ? { sourceImage: large } : {};
      const call = operation === "query" ? media.video.query("t-1") : media.video.generate("vidmodelv2", { prompt: "A fox", ...files });
      const result: unknown = await call.catch((error: unknown) => error);
      const seen = result instanceof Error ? result.name : (result as { taskid: string }).taskid;
      expect([seen, server.heads], String(result)).toEqual([outcome, heads]);
      if (operation === "generate" && door === "node:http") expect(server.connections).toBe(row.connections ?? heads);
      expect(everythingOf(result) + JSON.stringify(result)).not.toContain(canary);
      // Nothing of the call is left open. Fetch goes on connecting by itself for as long as it likes.
      server.release();
      if (door === "node:http") await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    } finally {
      await server.close();
    }
  });
});
