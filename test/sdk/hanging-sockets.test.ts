import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMediaGen } from "@mediagen/sdk/node";
import { afterEach, expect, test } from "vitest";

/** As many polls as one client may have in flight: four times this. */
const maxQueriesInFlight = 64;
const hanging: ServerResponse[] = [];
let onHanging: (count: number) => void = () => undefined;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += String(piece);
  const { taskid } = JSON.parse(body) as { taskid: string };
  if (taskid === "t-query") response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid, url: [] } }));
  else onHanging(hanging.push(response));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("polls that hang, as many as there may be, leave a connection for a query", async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const all = new Promise<void>((resolve) => (onHanging = (count) => count === 4 * maxQueriesInFlight && resolve()));
  let now = 0;
  const media = createMediaGen({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: "key",
    maxQueriesInFlight,
    retries: 0,
    clock: {
      now: () => now,
      // For ten seconds polls give their slots back; nothing else ends by then.
      sleep: (ms, signal, reason) => {
        const until = now + ms;
        return new Promise((resolve, reject) => {
          if (reason === "limit" && until < 10_000) setImmediate(() => resolve(void (now = Math.max(now, until))));
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      },
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const waits = Array.from({ length: 300 }, (_, index) => media.video.task(`t-${index}`).wait({ signal }));
  const ended = Promise.allSettled(waits);
  await all;
  expect(await media.video.query("t-query")).toMatchObject({ taskid: "t-query" });
  controller.abort();
  await ended;
}, 10_000);
