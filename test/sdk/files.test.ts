import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectionError, createMediaGen, download, fileFrom, InvalidRequestError, ServiceError } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

describe("fileFrom", () => {
  const heads = {
    "image/png": "\x89PNG\r\n\x1a\n",
    "image/jpeg": "\xff\xd8\xff\xe0",
    "image/webp": "RIFF\x01\x01\x01\x01WEBP",
    "image/gif": "GIF89a",
    "image/bmp": "BM\x01\0\0\0\0\0\0\0",
    "image/tiff": "II*\0",
    "image/avif": "\0\0\0\x1cftypavif",
    "image/heic": "\0\0\0\x1cftypheic",
  };
  test.for(Object.entries(heads))("tells %s from the first bytes", async ([type, head]) => {
    const path = join(folder, "source.dat");
    await writeFile(path, head, "latin1");
    expect(await fileFrom(path)).toMatchObject({ name: "source.dat", type, size: head.length });
    expect(await fileFrom(new Blob([Uint8Array.from(Buffer.from(head, "latin1"))]))).toMatchObject({ type });
  });

  test("takes bytes and names them by their type", async () => {
    expect(await fileFrom(Buffer.from("GIF89a"))).toMatchObject({ name: "file.gif", type: "image/gif", size: 6 });
    expect(await fileFrom(Buffer.from("GIF89a"), { name: "fox.gif" })).toMatchObject({ name: "fox.gif" });
  });

  test("refuses what is no image, no file, a folder or an address", async () => {
    await writeFile(join(folder, "note.txt"), "hello");
    for (const source of [join(folder, "note.txt"), join(folder, "nothing"), folder, "https://example.com/fox.png", new Blob([])]) {
      await expect(fileFrom(source)).rejects.toBeInstanceOf(InvalidRequestError);
    }
  });
});

describe("download", () => {
  const server = createServer(({ url, headers }, response) => {
    if (headers.authorization) return response.writeHead(400).end("the key does not belong here");
    if (url === "/gone") return response.writeHead(404).end();
    response.setHeader("content-type", url === "/clip" ? "video/mp4" : "image/png; charset=binary");
    if (url !== "/cut") return response.end(`bytes of ${url}`);
    response.setHeader("content-length", "100").write("half");
    return setImmediate(() => response.destroy());
  });
  let origin = "";
  beforeEach(async () => {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const taskWith = (...paths: string[]) => {
    const record = { taskid: "../t:1", url: paths.map((path) => origin + path) };
    const media = createMediaGen({
      baseUrl: "http://localhost",
      apiKey: "key",
      fetch: (request) => (request.url.startsWith(origin) ? fetch(request) : Promise.resolve(Response.json({ code: 1000, msg: "", data: record }))),
    });
    return media.image.task(record.taskid);
  };

  test("brings every result to disk, under names of the task", async () => {
    const files = await download(taskWith("/1", "/clip"), join(folder, "out"));
    expect(files).toEqual([
      { path: join(folder, "out", ".._t_1-1.png"), bytes: 11, type: "image/png" },
      { path: join(folder, "out", ".._t_1-2.mp4"), bytes: 14, type: "video/mp4" },
    ]);
    expect(await readFile(files[1]?.path ?? "", "utf8")).toBe("bytes of /clip");
    expect(await readdir(join(folder, "out"))).toHaveLength(2);
  });

  test("overwrites nothing and leaves no part file", async () => {
    await writeFile(join(folder, ".._t_1-1.png"), "mine");
    await expect(download(taskWith("/1"), folder)).rejects.toThrow("nothing is overwritten");
    expect(await readdir(folder)).toEqual([".._t_1-1.png"]);
    expect(await readFile(join(folder, ".._t_1-1.png"), "utf8")).toBe("mine");
  });

  test("leaves nothing behind when a result is cut, gone or not there yet", async () => {
    await expect(download(taskWith("/cut"), folder)).rejects.toBeInstanceOf(ConnectionError);
    await expect(download(taskWith("/gone"), folder)).rejects.toBeInstanceOf(ServiceError);
    await expect(download(taskWith(), folder)).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(download(taskWith("/1", "/cut"), folder)).rejects.toBeInstanceOf(ConnectionError);
    expect(await readdir(folder)).toEqual([]);
    expect(await download(taskWith("/1"), folder)).toHaveLength(1);
  });

  test("ends with the signal's reason", async () => {
    await expect(download(taskWith("/1"), folder, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  });
});
