import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { portOf, serve } from "../serve.ts";
import { ownDirectory } from "./result-server.ts";

const directory = ownDirectory();
const piece = Buffer.alloc(65_536, "no image");
const pieces = 1_600; // 100 MiB
const body = Buffer.alloc(1_500_000, 1);
const response = (headers: string, version = "1.1") =>
  Buffer.concat([
    Buffer.from(`HTTP/${version} 200 OK\r\n${headers}connection: close\r\n\r\n`),
    body,
  ]);
/**
 * How a server ends a result together with its connection. The fetch of Node 22 and 24 survives
 * none of these with a slow reader.
 */
const endings: Record<string, (socket: Socket) => unknown> = {
  withoutLength: (socket) => socket.end(response("")),
  withLength: (socket) => socket.end(response(`content-length: ${body.length}\r\n`)),
  cut: (socket) => socket.end(response("content-length: 9000000\r\n")),
  cutAsHttp10: (socket) => socket.end(response("content-length: 9000000\r\n", "1.0")),
  reset: (socket) => socket.write(response(""), () => void socket.resetAndDestroy()),
};

const closing = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", (head) => endings[/^GET \/(\w+)/.exec(head.toString())?.[1] ?? ""]?.(socket));
});
const closingPort = await portOf(closing);
const service = await serve(async (request, response) => {
  if (request.method === "GET") {
    response.setHeader("content-length", pieces * piece.length);
    return Readable.from(Array.from({ length: pieces }, () => piece)).pipe(response);
  }
  const { taskid } = JSON.parse((await request.toArray()).join("")) as { taskid: string };
  const url = [
    `${taskid in endings ? `http://127.0.0.1:${closingPort}` : service.baseUrl}/${taskid}`,
  ];
  return response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid, url } }));
});
afterAll(async () => {
  closing.close();
  await service[Symbol.asyncDispose]();
});

async function printedBy(program: string, ...args: readonly string[]) {
  const node = ["--expose-gc", resolve("test/sdk/processes", program), service.baseUrl, ...args];
  return promisify(execFile)(process.execPath, node);
}

test("no result ends the process that reads it slowly with fetch, however its connection closes", async () => {
  const names = Object.keys(endings);
  const printed = await printedBy("slow-reader.ts", directory.path, ...names);
  expect(printed).toEqual({ stdout: `${6 * 2 * names.length}\n`, stderr: "" });
});

test.for(["@mediagen/sdk", "@mediagen/sdk/node"])(
  "100 MiB that are read slowly do not fill the memory with %s",
  async (entry) => {
    const { stdout } = await printedBy("slow-stream.ts", entry, "t-1");
    const hash = createHash("sha256");
    for (let index = 0; index < pieces; index++) hash.update(piece);
    expect(JSON.parse(stdout)).toEqual({
      bytes: pieces * piece.length,
      sha256: hash.digest("hex"),
      grownMiB: expect.toSatisfy((grown: number) => grown < 64),
    });
  },
);
