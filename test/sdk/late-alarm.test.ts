import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createMediaGen } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { afterAll, beforeAll, expect, test } from "vitest";

/** What the service, in a thread of its own, has done: 1 received a request, 2 responded. */
const progress = new Int32Array(new SharedArrayBuffer(4));
const service = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  const tell = (step) => { Atomics.store(workerData, 0, step); Atomics.notify(workerData, 0); };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      tell(1);
      const body = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [] } });
      setTimeout(() => response.end(body, () => tell(2)), 50);
    });
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
let worker: Worker;
let baseUrl = "";
beforeAll(async () => {
  worker = new Worker(service, { eval: true, workerData: progress });
  const [port] = (await once(worker, "message")) as [number];
  baseUrl = `http://127.0.0.1:${port}`;
});
afterAll(() => worker.terminate());

/** Keeps the event loop busy until the service has responded and this time has passed. */
function block(until: number): void {
  while (Atomics.load(progress, 0) !== 2 || performance.now() < until)
    Atomics.wait(progress, 0, Atomics.load(progress, 0), 10);
}

test.for([
  ["@mediagen/sdk", createMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
] as const)(
  "%s returns a task whose response arrived while the process was busy until after the timeout",
  async ([, create]) => {
    Atomics.store(progress, 0, 0);
    const generateTimeoutMs = 1_000;
    const media = create({ baseUrl, apiKey: "key", retries: 0, generateTimeoutMs });
    const start = performance.now();
    const task = media.image.generate("imgmodelz", { prompt: "A fox" });
    while (Atomics.load(progress, 0) === 0) await setImmediate();
    block(start + generateTimeoutMs + 500);
    expect(await task).toHaveProperty("taskid", "t-1");
  },
);
