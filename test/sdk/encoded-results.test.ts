import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createMediaGen, download, type MediaGenOptions, ServiceError, type Task } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

/** No encoding makes it shorter, so that its pieces arrive one by one. */
const noise = randomBytes(100_000);
const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};
const server = createServer((request, response) => handlers[request.url ?? ""]?.(request, response));
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A task with one result, at this path of the server, which is the service too. */
function taskWith(path: string, options: MediaGenOptions = {}): Task {
  const record = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [`${origin}${path}`] } });
  handlers["/v1/images/infobytaskid"] = (_, response) => void response.end(record);
  return createMediaGen({ baseUrl: origin, apiKey: "key", clock: { random: () => 0 }, ...options }).image.task("t-1");
}

test("a result that is compressed although that was not requested is decoded", async () => {
  const encodings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
  for (const [encoding, compress] of Object.entries(encodings)) {
    handlers[`/${encoding}`] = (_, response) => response.setHeader("content-encoding", encoding).end(compress(noise));
    const [file] = await download(taskWith(`/${encoding}`), join(folder, encoding));
    expect(await readFile(file?.path ?? "")).toEqual(noise);
  }
});

test("a compressed result that is cut is requested again, from its first byte", async () => {
  const ranges: (string | undefined)[] = [];
  handlers["/gzip"] = ({ headers }, response) => {
    const cut = ranges.push(headers.range) === 1 ? -5 : undefined;
    // Without a length: only the encoding tells that something is missing.
    response.writeHead(200, { "content-encoding": "gzip", connection: "close" }).end(gzipSync(noise).subarray(0, cut));
  };
  const [file] = await download(taskWith("/gzip", { retries: 1 }), folder);
  expect(await readFile(file?.path ?? "")).toEqual(noise);
  expect(ranges).toEqual([undefined, undefined]);
});

test("the rest of a result is not taken from compressed data: it begins again", async () => {
  const ranges: (string | undefined)[] = [];
  handlers["/rest"] = ({ headers }, response) => {
    const rest = { "content-range": `bytes 1000-${noise.length - 1}/${noise.length}`, "content-encoding": "gzip" };
    response.setHeader("etag", '"noise"');
    ranges.push(headers.range);
    if (headers.range) response.writeHead(206, rest).end(gzipSync(noise.subarray(1_000)));
    else if (ranges.length > 1) response.end(noise);
    else
      response
        .writeHead(200, { "content-length": noise.length })
        .write(noise.subarray(0, 1_000), () => void response.destroy());
  };
  const [file] = await download(taskWith("/rest", { retries: 1 }), folder);
  expect(await readFile(file?.path ?? "")).toEqual(noise);
  expect(ranges).toEqual([undefined, "bytes=1000-", undefined]);
});

test("a result that grows beyond maxBytes while it is decoded is given up early", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  handlers["/bomb"] = (_, response) => response.setHeader("content-encoding", "gzip").end(bomb);
  let most = 0;
  const onProgress = ({ bytes }: { readonly bytes: number }) => void (most = Math.max(most, bytes));
  const options = { maxBytes: 1024 * 1024, onProgress };
  await expect(download(taskWith("/bomb"), folder, options)).rejects.toBeInstanceOf(ServiceError);
  expect(most).toBeLessThan(2 * 1024 * 1024);
  expect(await readdir(folder)).toEqual([]);
});
