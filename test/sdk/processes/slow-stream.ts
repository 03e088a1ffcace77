// Reads the stream of a result slowly, and prints its size, its digest, and by how many MiB the
// process grew. Needs --expose-gc.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createMediaGen as createPlainMediaGen, streams } from "@mediagen/sdk";
import { createMediaGen } from "@mediagen/sdk/node";

const [baseUrl, entry, taskid = ""] = process.argv.slice(2);
const create = entry === "@mediagen/sdk/node" ? createMediaGen : createPlainMediaGen;
const [result] = await streams(create({ baseUrl, apiKey: "sk-canary" }).image.task(taskid));
const hash = createHash("sha256");
let bytes = 0;
let before = 0;
let peak = 0;
let next = 0;
for await (const piece of result?.stream ?? []) {
  hash.update(piece);
  bytes += piece.length;
  if (bytes < next) continue;
  next += 40_000_000;
  // The server has time to send as much as it may.
  await pause(200);
  const held = heldMiB();
  if (before === 0) before = held;
  peak = Math.max(peak, held);
}
console.log(JSON.stringify({ bytes, sha256: hash.digest("hex"), grownMiB: peak - before }));

function heldMiB(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}
