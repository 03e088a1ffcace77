import { json } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { MediaGen } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { download } from "@mediagen/sdk/node";
import { afterAll, describe, expect, test } from "vitest";
import { serve } from "../serve.ts";
import { shown } from "../shown.ts";
import { connectionFaults, trusted } from "./connection-faults.ts";
import { backoff, type FaultRow, type Requested } from "./expectations.ts";
import { reply } from "./replies.ts";
import { responseFaults } from "./response-faults.ts";
import { startRawServer } from "./raw-server.ts";
import { canary, createWitness, entries } from "./witness.ts";

setDefaultCACertificates([...getCACertificates("default"), ...trusted]);

/** Every fault of the connection and of the response, and what becomes of each call. */
const faults = [...connectionFaults, ...responseFaults];

const large = new Blob(["GIF89a", new Uint8Array(16 * 1024 * 1024)], { type: "image/png" });
const witness = createWitness();

/** The service if only results are at fault: the URL of a task's result is its taskid. */
const service = await serve(async (request, response) => {
  const { taskid } = (await json(request)) as { readonly taskid: string };
  response.end(JSON.stringify({ code: 1000, msg: "", data: { url: [taskid] } }));
});
/** The server that redirects lead to. It responds to each request, and counts them. */
const elsewhere = await startRawServer({ onRequest: (socket) => void socket.end(reply()) });
afterAll(() => Promise.all([elsewhere.close(), service[Symbol.asyncDispose]()]));

const calls: Record<
  Requested,
  (media: MediaGen, row: FaultRow, url: string, directory: string) => Promise<unknown>
> = {
  generate: ({ video }, row) =>
    video.generate("vidmodelv2", { prompt: "A fox", ...(row.large && { sourceImage: large }) }),
  query: ({ video }) => video.query("t-1"),
  delete: ({ video }) => video.delete(["t-1"]),
  download: ({ video }, _, url, directory) =>
    download(video.task(`${url}/1`), directory, { maxBytes: 1024 * 1024 }),
};
// The cast: Object.keys forgets the names.
const allRequested = Object.keys(calls) as Requested[];

describe.each(["node:http", "global fetch"] as const)("on %s", (entry) => {
  const rows = faults.filter(({ large }) => entry === "node:http" || !large);
  const cases = rows.flatMap((row) => allRequested.map((requested) => ({ row, requested })));

  test.concurrent.for(cases)("$requested: $row.name", async ({ row, requested }, { expect }) => {
    const expectation = requested === "delete" ? "query" : requested;
    const expected = (entry === "global fetch" && row.onFetch?.[expectation]) || row[expectation];
    const [outcome, heads, pauses = backoff.slice(0, Math.max(0, heads - 1))] = expected;
    const server = await startRawServer(row, elsewhere.baseUrl);
    const paused: number[] = [];
    // A result that arrives slowly does not stall.
    const limit = (signal: AbortSignal) =>
      outcome === "file" ? new Promise(() => undefined) : server.hung(signal);
    const baseUrl = requested === "download" ? service.baseUrl : server.baseUrl;
    const media = entries[entry]({ ...witness.options(limit, paused), baseUrl });
    try {
      if (row.warm && requested !== "download") {
        await media.video.query("t-1");
        // Fetch uses a connection again one turn of the event loop after a response has ended.
        for (let turn = 0; turn < 3; turn++) await setImmediate();
      }
      const call = (directory: string) => calls[requested](media, row, server.baseUrl, directory);
      const seen = await witness.outcomeOf(requested, call);
      expect([seen.outcome, server.heads, paused], String(seen.result)).toEqual([
        outcome,
        heads,
        pauses,
      ]);
      if (requested === "generate" && entry === "node:http")
        expect(server.connections).toBe(row.connections ?? (row.warm ? 2 : heads));
      // Whatever is not rejected may have become a task.
      if (requested === "generate" && !row.name.startsWith("429"))
        witness.totals.duplicates += Math.max(0, server.bodies - (row.warm ? 2 : 1));
      if (requested === "download") expect(server.headText).not.toContain(canary);
      // A compressed response may be cut unseen: none is requested if the engine lets one say so.
      if (server.heads > 0 && (entry === "node:http" || requested === "download"))
        expect(server.headText.toLowerCase()).toContain("accept-encoding: identity\r\n");
      // Nothing of the call is left open. Fetch keeps what it may use again, and connects by itself
      // for as long as it likes.
      server.release();
      if ((entry === "node:http" && !row.warm) || row.name === "a body without an end")
        await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    } finally {
      await server.close();
    }
  });
});

test("an invalid response that repeats the key is an error of the HTTP client that does not show it", async () => {
  const server = await startRawServer({
    onRequest: (socket, _, __, request) => void socket.end(request),
  });
  const http = createHttpClient({ baseUrl: server.baseUrl, apiKey: canary });
  const error: unknown = await http
    .POST("/v1/video/vidmodelv2", { body: { prompt: "A fox" } })
    .catch((thrown: unknown) => thrown);
  await server.close();
  expect(error).toBeInstanceOf(Error);
  expect(shown(error)).not.toContain(canary);
});

test("over the complete matrix nothing is sent twice or elsewhere, nothing is left behind, and the key is never shown", () => {
  const { calls, charactersShown, ...totals } = witness.totals;
  totals.elsewhere += elsewhere.headText.match(/^POST /gm)?.length ?? 0;
  // What redirects of results lead to is requested without the key.
  expect(elsewhere.headText).toContain("GET /there");
  expect(elsewhere.headText.match(/^authorization:/gim)).toBeNull();
  expect(totals).toEqual({ duplicates: 0, uncaught: 0, partFiles: 0, elsewhere: 0, keys: 0 });
  expect(calls).toBe(faults.length * 8 - faults.filter(({ large }) => large).length * 4);
  expect(charactersShown).toBeGreaterThan(calls * 100);
});
