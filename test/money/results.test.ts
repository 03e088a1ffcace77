import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { blobs, createMediaGen, fileFrom, InvalidRequestError, ServiceError } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { errorOf } from "../sdk/fake-service.ts";

/** It begins as a picture, and no encoding makes it shorter. */
const noise = Buffer.concat([Buffer.from("GIF89a"), randomBytes(300_000)]);
const compressors = { gzip: gzipSync, br: brotliCompressSync };
type Encoding = keyof typeof compressors;
let [origin, folder, requests] = ["", "", 0];
const server = createServer((request, response) => {
  const [, path = ""] = (request.url ?? "").split("/");
  requests++;
  if (path === "plain.png") return void response.end(noise);
  if (path !== "gzip" && path !== "br")
    return void response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [result] } }));
  // Framed properly: only the compression shows that the end is missing.
  response.setHeader("content-encoding", path).end(compressors[path as Encoding](noise).subarray(0, -5_000));
});
let result = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());
beforeEach(async () => {
  requests = 0;
  folder = await mkdtemp(join(tmpdir(), "mediagen-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe.each(["gzip", "br"])("a result in %s whose end is missing", (encoding) => {
  test("is not taken for complete where the runtime's fetch decompresses it", async () => {
    result = `${origin}/${encoding}/1.png`;
    const task = createMediaGen({ baseUrl: origin, apiKey: "sk-1" }).image.task("t-1");
    expect(await errorOf(blobs(task))).toBeInstanceOf(ServiceError);
  });

  test("is no source image either: it would be billed", async () => {
    const error = await errorOf(fileFrom(`${origin}/${encoding}/1.png`, { allowPrivateHosts: true }));
    expect(error).toBeInstanceOf(InvalidRequestError);
  });
});

test.for(["../x", "a/b", "a\\b", "..", ".hidden", "", "a\0b", "a\nb", "C:x", 5])(
  "a name that is no file name is rejected before anything is requested: %j",
  async (name) => {
    result = `${origin}/plain.png`;
    const task = createNodeMediaGen({ baseUrl: origin, apiKey: "sk-1" }).image.task("t-1");
    const error = await errorOf(download(task, folder, { name: name as string }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ field: "name" }] });
    expect([requests, await readdir(folder)]).toEqual([0, []]);
  },
);

test("a name with spaces and signs is used as it is", async () => {
  result = `${origin}/plain.png`;
  const task = createNodeMediaGen({ baseUrl: origin, apiKey: "sk-1" }).image.task("t-1");
  await download(task, folder, { name: "fox, in snow (2)" });
  expect(await readdir(folder)).toEqual(["fox, in snow (2)-1.gif"]);
});
