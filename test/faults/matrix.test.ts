import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { download } from "@mediagen/sdk/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backoff, faults, reply, trusted, type Asked } from "./faults.ts";
import { startRawServer, type RawServer } from "./raw-server.ts";
import { shown } from "../shown.ts";
import { createHttpClient } from "@mediagen/sdk/http";
import { askService, canary, createWitness, entries } from "./witness.ts";

setDefaultCACertificates([...getCACertificates("default"), ...trusted]);

const large = new Blob(["GIF89a", new Uint8Array(16 * 1024 * 1024)], { type: "image/png" });
const witness = createWitness();

/** The service where only results are in a fault's way: a task's result stands where its taskid says. */
const service = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () =>
    response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [JSON.parse(body).taskid] } })),
  );
});
/** Where redirects lead: it answers whoever comes, and counts them. */
let elsewhere: RawServer;
let serviceUrl = "";
beforeAll(async () => {
  elsewhere = await startRawServer({ onRequest: (socket) => void socket.end(reply()) });
  await new Promise<void>((done) => service.listen(0, "localhost", done));
  serviceUrl = `http://localhost:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await elsewhere.close();
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
});

describe.each(["node:http", "global fetch"] as const)("on %s", (entry) => {
  const rows = faults.filter(({ large }) => entry === "node:http" || !large);
  const cases = rows.flatMap((row) =>
    (["generate", "query", "delete", "download"] as const).map((asked) => ({ row, asked })),
  );

  test.concurrent.for(cases)("$asked: $row.name", async ({ row, asked }, { expect }) => {
    // A deletion is repeated as a query is.
    const expectedOf = <A extends Asked>(operation: A) =>
      (entry === "global fetch" ? row.onFetch?.[operation] : undefined) ?? row[operation];
    const [outcome, heads, pauses = backoff.slice(0, Math.max(0, heads - 1))] =
      expectedOf(asked) ?? expectedOf("query");
    const server = await startRawServer(row, elsewhere.baseUrl);
    const paused: number[] = [];
    const stallTimeoutMs = outcome === "file" ? 5_000 : 1_000;
    const options = witness.options(asked === "download" ? undefined : () => server.hung(), paused);
    try {
      const media = entries[entry]({ ...options, baseUrl: asked === "download" ? serviceUrl : server.baseUrl });
      if (row.warm && asked !== "download") {
        await media.video.query("t-1");
        // Fetch takes a connection into use again one turn of the event loop after a response has ended.
        for (let turn = 0; turn < 3; turn++) await setImmediate();
      }
      const seen = await witness.outcomeOf(asked, (folder) =>
        asked === "download"
          ? download(media.video.task(`${server.baseUrl}/1`), folder, { maxBytes: 1024 * 1024, stallTimeoutMs })
          : askService(media, asked, row.large ? { sourceImage: large } : {}),
      );
      expect([seen.outcome, server.heads, paused], String(seen.result)).toEqual([outcome, heads, pauses]);
      if (asked === "generate" && entry === "node:http")
        expect(server.connections).toBe(row.connections ?? (row.warm ? 2 : heads));
      // Whatever is not turned away may have become a task.
      if (asked === "generate" && !row.name.startsWith("429"))
        witness.totals.duplicates += Math.max(0, server.bodies - (row.warm ? 2 : 1));
      if (asked === "download") expect(server.headText).not.toContain(canary);
      // A compressed answer may be cut unseen: none is asked for where the engine lets one say so.
      if (server.heads > 0 && (entry === "node:http" || asked === "download"))
        expect(server.headText.toLowerCase()).toContain("accept-encoding: identity\r\n");
      // Nothing of the call is left open. Fetch goes on connecting by itself for as long as it likes.
      server.release();
      if (entry === "node:http" && !row.warm) await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    } finally {
      await server.close();
    }
  });
});

test("a response that is none and repeats the key is an error of the HTTP client that does not show it", async () => {
  const server = await startRawServer({ onRequest: (socket, _, __, request) => void socket.end(request) });
  const http = createHttpClient({ baseUrl: server.baseUrl, apiKey: canary });
  const error: unknown = await http
    .POST("/v1/video/vidmodelv2", { body: { prompt: "A fox" } })
    .catch((thrown: unknown) => thrown);
  await server.close();
  expect(error).toBeInstanceOf(Error);
  expect(shown(error)).not.toContain(canary);
});

test("over the whole matrix nothing is sent twice, nor elsewhere, nothing is left behind, and the key is not to be seen", () => {
  const { calls, charactersShown, ...totals } = witness.totals;
  totals.elsewhere += elsewhere.headText.match(/^POST /gm)?.length ?? 0;
  // What redirects of results lead to is asked without the key.
  expect(elsewhere.headText).toContain("GET /there");
  expect(elsewhere.headText.match(/^authorization:/gim)).toBeNull();
  expect(totals).toEqual({ duplicates: 0, uncaught: 0, partFiles: 0, elsewhere: 0, keys: 0 });
  expect(calls).toBe(faults.length * 8 - faults.filter(({ large }) => large).length * 4);
  expect(charactersShown).toBeGreaterThan(calls * 100);
});
