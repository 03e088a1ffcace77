import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";

const piece = Buffer.alloc(65_536, "no image");
const pieces = 1_600; // 100 MiB
const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.setHeader("content-length", pieces * piece.length);
    return Readable.from(Array.from({ length: pieces }, () => piece)).pipe(response);
  }
  await request.resume().toArray();
  const { port } = server.address() as AddressInfo;
  const data = { taskid: "t-1", url: [`http://127.0.0.1:${port}/result`] };
  return response.setHeader("content-type", "application/json").end(JSON.stringify({ code: 1000, msg: "", data }));
});
beforeAll(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.for(["@mediagen/sdk", "@mediagen/sdk/node"])(
  "100 MiB that are read slowly do not fill the memory with %s",
  { timeout: 60_000 },
  async (entry) => {
    const { port } = server.address() as AddressInfo;
    const program = [
      "--expose-gc",
      resolve("test/sdk/processes/slow-stream.ts"),
      `http://127.0.0.1:${port}`,
      entry,
      "t-1",
    ];
    const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    const printed = (await child.stdout.toArray()).join("");
    const hash = createHash("sha256");
    for (let index = 0; index < pieces; index++) hash.update(piece);
    expect(JSON.parse(printed)).toEqual({
      bytes: pieces * piece.length,
      sha256: hash.digest("hex"),
      grownMiB: expect.toSatisfy((grown: number) => grown < 64),
    });
  },
);
