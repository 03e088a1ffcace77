import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const body = Buffer.alloc(1_500_000, 1);
const length = `content-length: ${body.length}\r\n`;
/** How a server ends a result together with its connection. The fetch of Node 22 and 24 survives none of these with a slow reader. */
const endings: Record<string, (socket: Socket) => unknown> = {
  withoutLength: (socket) => socket.end(response("connection: close\r\n")),
  withLength: (socket) => socket.end(response(`${length}connection: close\r\n`)),
  cut: (socket) => socket.end(response(`content-length: 9000000\r\nconnection: close\r\n`)),
  cutAsHttp10: (socket) => socket.end(response("content-length: 9000000\r\n", "1.0")),
  reset: (socket) => socket.write(response("connection: close\r\n"), () => void socket.resetAndDestroy()),
};

function response(headers: string, version = "1.1"): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/${version} 200 OK\r\n${headers}\r\n`), body]);
}

const results = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (head) => endings[/^GET \/(\w+)/.exec(head.toString())?.[1] ?? ""]?.(socket));
});
const service = createHttpServer(async (request, reply) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { taskid } = JSON.parse(Buffer.concat(pieces).toString()) as { taskid: string };
  const url = [`http://127.0.0.1:${portOf(results)}/${taskid}`];
  reply
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ code: 1000, msg: "", data: { taskid, url } }));
});
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  for (const server of [results, service]) await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  service.closeAllConnections();
  for (const server of [results, service]) server.close();
  await rm(directory, { recursive: true });
});

test("no result ends the process that reads it slowly with fetch, however its connection closes", async () => {
  const program = [resolve("test/sdk/processes/slow-reader.ts"), `http://127.0.0.1:${portOf(service)}`, directory];
  const child = spawn(process.execPath, [...program, ...Object.keys(endings)], { stdio: ["ignore", "pipe", "pipe"] });
  let [printed, failure] = ["", ""];
  child.stdout.on("data", (text: Buffer) => void (printed += text.toString()));
  child.stderr.on("data", (text: Buffer) => void (failure += text.toString()));
  await once(child, "close");
  expect([failure, printed]).toEqual(["", `${6 * 2 * Object.keys(endings).length}\n`]);
}, 60_000);
