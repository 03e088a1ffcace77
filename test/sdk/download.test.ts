import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fsPromises, { open, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createEmulator } from "@mediagen/emulator";
import {
  type Clock,
  createMediaGen as createPlainMediaGen,
  type MediaGenOptions,
} from "@mediagen/sdk";
import { blobs, createMediaGen, download } from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, forever, success, throwing } from "./fake-service.ts";
import { cutOnce, ownDirectory, type Rest, hostileId, serveResults } from "./result-server.ts";

const directory = ownDirectory();
const png = Buffer.from(
  "\x89PNG\r\n\x1a\n and the rest of a picture, which is long enough to be cut",
  "latin1",
);
const { handlers, requests, taskWith } = serveResults({
  "/1": (_, response) => response.setHeader("content-type", "application/octet-stream").end(png),
  "/text": (_, response) =>
    response.setHeader("content-type", "application/x-unknown; charset=utf-8").end("hello"),
  "/gone": (_, response) => response.writeHead(404).end("not here"),
  "/down": (_, response) => response.writeHead(503).end(),
  "/stuck": (_, response) => response.setHeader("content-length", 100).write("half of the result"),
  "/long": (_, response) => response.setHeader("content-length", 5_000).end("x".repeat(5_000)),
  // Breaks off each response after twenty bytes, and continues from the requested one.
  "/ranges": (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const range =
      from > 0 ? { "content-range": `bytes ${from}-${png.length - 1}/${png.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"1"',
      "content-length": png.length - from,
      ...range,
    });
    const end = () => (from + 20 < png.length ? response.destroy() : response.end());
    response.write(png.subarray(from, from + 20), () => void end());
  },
});
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
/** The name for the task id of these tests, which is no file name. */
const digest = sha256(hostileId);
const ranges = () => requests.map(({ headers }) => [headers.range, headers["if-range"]]);
const first = [undefined, undefined];
const path = (name: string) => join(directory.path, name);

describe.each([
  ["@mediagen/sdk", createPlainMediaGen],
  ["@mediagen/sdk/node", createMediaGen],
])("download with a client of %s", (_, create) => {
  const taskAt = (paths: readonly string[], options?: MediaGenOptions) =>
    taskWith(create, paths, options).task;

  test("writes every result to disk, named by task and number, typed by its bytes, with its digest", async () => {
    const progress: unknown[] = [];
    const onProgress = (one: unknown) => void progress.push(one);
    const files = await download(taskAt(["/1", "/text"]), path("out"), { onProgress });
    expect(files).toEqual([
      {
        path: path(`out/${digest}-1.png`),
        bytes: png.length,
        type: "image/png",
        sha256: sha256(png),
      },
      {
        path: path(`out/${digest}-2.bin`),
        bytes: 5,
        type: "application/x-unknown",
        sha256: sha256("hello"),
      },
    ]);
    expect(await readFile(path(`out/${digest}-1.png`))).toEqual(png);
    expect(progress).toEqual([
      { index: 0, count: 2, bytes: png.length, totalBytes: png.length },
      { index: 1, count: 2, bytes: 5, totalBytes: 5 },
    ]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test("resumes where it broke off, if the server can", async () => {
    await download(taskAt(["/ranges"]), path("a.png"));
    expect(await readFile(path("a.png"))).toEqual(png);
    expect(ranges()).toEqual([first, ...[20, 40, 60].map((from) => [`bytes=${from}-`, '"1"'])]);
  });

  test.for<[string, number, Record<string, string>]>([
    ["no ETag", 20, {}],
    ["a weak ETag", 20, { etag: 'W/"1"' }],
    ["no length", 20, { etag: '"1"', "transfer-encoding": "chunked" }],
    ["no more than 1 byte, which does not show its type", 1, { etag: '"1"' }],
    ["no more than 15 bytes, which do not show its type", 15, { etag: '"1"' }],
  ])("requests no rest of a result with %s", async ([, at, headers]) => {
    handlers["/weak"] = cutOnce(png, at, headers, { headers });
    await download(taskAt(["/weak"], { retries: 1 }), path("a.png"));
    expect(await readFile(path("a.png"))).toEqual(png);
    expect(ranges()).toEqual([first, first]);
  });

  test.for<[string, Rest]>([
    ["a rest without an ETag", {}],
    ["the rest of a result with another ETag", { headers: { etag: '"2"' } }],
    ["the rest of a result with the same ETag, made weak", { headers: { etag: 'W/"1"' } }],
    [
      "the rest of a longer result",
      { headers: { etag: '"1"', "content-range": `bytes 20-${png.length - 1}/9000` } },
    ],
    [
      "the rest of a result of unknown length",
      { headers: { etag: '"1"', "content-range": "bytes 20-70/*" } },
    ],
    [
      "another part",
      { headers: { etag: '"1"', "content-range": `bytes 0-${png.length - 1}/${png.length}` } },
    ],
    ["a compressed rest", { headers: { etag: '"1"', "content-encoding": "compress" } }],
    ["that it has no such range", { headers: { etag: '"1"' }, status: 416 }],
  ])("starts again from the first byte if the server returns %s", async ([, rest]) => {
    // Other bytes, so that a file that was put together of both is noticed.
    handlers["/changed"] = cutOnce(
      png,
      20,
      { etag: '"1"' },
      { ...rest, bytes: Buffer.alloc(png.length - 20, "?") },
    );
    const [file] = await download(taskAt(["/changed"], { retries: 1 }), path("a.png"));
    expect(await readFile(path("a.png"))).toEqual(png);
    expect(file?.sha256).toBe(sha256(png));
    expect(ranges()).toEqual([first, ["bytes=20-", '"1"'], first]);
  });

  test("keeps nothing of a longer result that was cut", async () => {
    const cut = cutOnce(png, 40, {});
    handlers["/shorter"] = (request, response) =>
      requests.length === 1 ? cut(request, response) : response.end(png.subarray(0, 20));
    await download(taskAt(["/shorter"], { retries: 1 }), path("a.png"));
    expect(await readFile(path("a.png"))).toEqual(png.subarray(0, 20));
  });

  test.for([20, 30])("is not complete if the rest ends after %i bytes of all", async (end) => {
    const rest = {
      headers: { etag: '"1"', "content-length": String(end - 20) },
      bytes: png.subarray(20, end),
    };
    handlers["/short"] = cutOnce(png, 20, { etag: '"1"' }, rest);
    const error = await errorOf(download(taskAt(["/short"], { retries: 1 }), path("a.png")));
    expect(error).toHaveProperty("name", "ConnectionError");
    expect(await readdir(directory.path)).toEqual([]);
  });

  test.for<[string, object]>([
    ["/gone", { name: "ServiceError", status: 404 }],
    ["/long", { name: "ServiceError", message: expect.stringContaining("more than 1000 bytes") }],
    [
      "nowhere",
      { name: "ServiceError", message: expect.stringContaining("is not an absolute URL") },
    ],
  ])("keeps what is complete, and nothing else, if a result is at %s", async ([url, thrown]) => {
    expect(
      await errorOf(download(taskAt(["/1", url]), directory.path, { maxBytes: 1_000 })),
    ).toMatchObject(thrown);
    expect(await readdir(directory.path)).toEqual([`${digest}-1.png`]);
  });

  test("ends with the signal's reason, with what its listener throws, or because there is no result", async () => {
    const broken = new RangeError("mine");
    const fetching = (url: string, options: object = {}) =>
      errorOf(download(taskAt([url]), directory.path, options));
    expect(await fetching("/1", { signal: AbortSignal.abort("enough") })).toBe("enough");
    expect(await fetching("/1", { onProgress: throwing(broken) })).toBe(broken);
    const controller = new AbortController();
    const { signal } = controller;
    expect(await fetching("/stuck", { signal, onProgress: () => controller.abort("enough") })).toBe(
      "enough",
    );
    expect(await errorOf(download(taskAt([]), directory.path))).toHaveProperty(
      "name",
      "InvalidRequestError",
    );
    // In a pause before a retry.
    const late = AbortSignal.timeout(30);
    const paused = taskAt(["/down"], { clock: { random: () => 1 } });
    expect(await errorOf(download(paused, directory.path, { signal: late }))).toBe(late.reason);
    expect(await readdir(directory.path)).toEqual([]);
  });
});

describe("a download into a directory with files", () => {
  const picture = (end: string) =>
    Buffer.from(`\x89PNG\r\n\x1a\n a picture that ends with ${end}`, "latin1");
  /** Downloads a task whose results have these bytes. A result without bytes is gone. */
  function downloadOf(
    results: readonly (Buffer | undefined)[],
    options: object = {},
    taskid = "t-1",
  ) {
    const fetch = async (url: string, { method }: { readonly method?: string }) => {
      if (method === "POST")
        return success({ taskid, url: results.map((_, index) => `http://localhost/${index}`) });
      const bytes = results[Number(url.at(-1))];
      return bytes ? new Response(new Uint8Array(bytes)) : new Response("", { status: 410 });
    };
    return download(clientOf([], { fetch }).media.image.task(taskid), directory.path, options);
  }
  const files = () => readdir(directory.path);

  test("returns the same list again, and leaves the files as they are", async () => {
    const results = [picture("1"), picture("2")];
    const before = await downloadOf(results);
    const factsOf = async () =>
      (await Promise.all(before.map((one) => stat(one.path)))).map((one) => [one.ino, one.mtimeMs]);
    const facts = await factsOf();
    expect(await downloadOf(results)).toEqual(before);
    expect(await factsOf()).toEqual(facts);
    expect(await files()).toEqual(["t-1-1.png", "t-1-2.png"]);
  });

  test("downloads what is missing after one that failed, and returns all of it", async () => {
    expect(await errorOf(downloadOf([picture("1"), undefined]))).toMatchObject({ status: 410 });
    expect(await files()).toEqual(["t-1-1.png"]);
    const paths = (await downloadOf([picture("1"), picture("2")])).map((one) => one.path);
    expect(paths).toEqual([path("t-1-1.png"), path("t-1-2.png")]);
  });

  test.for([picture("2"), picture("")])(
    "does not replace a file with other bytes, except by overwrite: %#",
    async (other) => {
      await writeFile(path("t-1-1.png"), other);
      const error = await errorOf(downloadOf([picture("1")]));
      expect(error).toMatchObject({
        name: "InvalidRequestError",
        issues: [{ field: "target", code: "alreadyExists" }],
      });
      expect(await readFile(path("t-1-1.png"))).toEqual(other);
      await downloadOf([picture("1")], { overwrite: true });
      expect(await readFile(path("t-1-1.png"))).toEqual(picture("1"));
      expect(await files()).toEqual(["t-1-1.png"]);
    },
  );

  test.for([
    ["equal bytes", picture("1"), 0],
    ["other bytes", picture("2"), 1],
  ] as const)(
    "runs next to one with %s, and neither replaces a file",
    async ([, other, failures]) => {
      const ended = await Promise.all(
        [picture("1"), other].map((bytes) => errorOf(downloadOf([bytes]))),
      );
      expect(ended.filter((one) => one instanceof Error)).toHaveLength(failures);
      const kept = ended[0] instanceof Error ? other : picture("1");
      expect(await readFile(path("t-1-1.png"))).toEqual(kept);
      expect(await files()).toEqual(["t-1-1.png"]);
    },
  );

  test("removes a part file once nothing has written to it for an hour, and no other file", async () => {
    const part = (id: string) => path(`.00000000-0000-4000-8000-00000000000${id}.part`);
    const before = new Date(Date.now() - 61 * 60_000);
    for (const name of [part("1"), part("2"), path(".mine.part")]) await writeFile(name, "half");
    for (const name of [part("1"), path(".mine.part")]) await utimes(name, before, before);
    await downloadOf([picture("1")]);
    expect(await files()).toEqual([basename(part("2")), ".mine.part", "t-1-1.png"]);
  });

  test("overwrites no file either if there are no hard links", async () => {
    const link = vi
      .spyOn(fsPromises, "link")
      .mockRejectedValue(Object.assign(new Error("no links"), { code: "EPERM" }));
    syncBuiltinESMExports();
    try {
      const before = await downloadOf([picture("1")]);
      expect(await downloadOf([picture("1")])).toEqual(before);
      expect(await errorOf(downloadOf([picture("2")]))).toHaveProperty(
        "name",
        "InvalidRequestError",
      );
      expect(await readFile(path("t-1-1.png"))).toEqual(picture("1"));
    } finally {
      link.mockRestore();
      syncBuiltinESMExports();
    }
  });

  test("reports a full disk and one that cannot be written to as they are, without another request", async () => {
    const file = await open(path("file"), "w");
    const noSpace = Object.assign(new Error("no space left"), { code: "ENOSPC" });
    // The cast: it is the class of all files.
    vi.spyOn(Object.getPrototypeOf(file) as typeof file, "write").mockRejectedValueOnce(noSpace);
    const task = taskWith(createMediaGen, ["/1"]).task;
    expect(await errorOf(download(task, path("out")))).toHaveProperty("code", "ENOSPC");
    await file.close();
    expect([requests.length, await readdir(path("out"))]).toEqual([1, []]);
    expect(await errorOf(download(task, path("file/below")))).toHaveProperty("code", "ENOTDIR");
  });
});

describe("the name of a file", () => {
  const task = (paths: readonly string[]) => taskWith(createMediaGen, paths).task;

  test("is that of the target, numbered if there are several results", async () => {
    await download(task(["/1"]), path("fox.png"));
    await download(task(["/1", "/1"]), path("cub.png"));
    expect(await readdir(directory.path)).toEqual(["cub-1.png", "cub-2.png", "fox.png"]);
  });

  test("may be given, with spaces and signs", async () => {
    await download(task(["/1"]), directory.path, { name: "fox, in snow (2)" });
    expect(await readdir(directory.path)).toEqual(["fox, in snow (2)-1.png"]);
  });

  test("is a digest if a task's id is too long for a file, or has characters that names lack", async () => {
    const fetch = async (_: string, { method }: { readonly method?: string }) =>
      method === "POST" ? success({ url: ["http://localhost/1"] }) : new Response(png);
    const long = "a".repeat(299);
    for (const id of [`${long}a`, `${long}b`, "a/b", "a.b", "a b", "a_b"])
      await download(clientOf([], { fetch }).media.image.task(id), directory.path);
    const names = await readdir(directory.path);
    expect(names.filter((name) => /^[0-9a-f]{64}-1\.png$/.test(name))).toHaveLength(5);
    expect(names).toContain("a_b-1.png");
  });
});

describe("a compressed result, although none was requested, on node:http", () => {
  /** No encoding makes it shorter, so that its pieces arrive one by one. */
  const noise = randomBytes(100_000);
  const task = (more: MediaGenOptions = {}) => taskWith(createMediaGen, ["/encoded"], more).task;

  test.for([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
  ] as const)("is decoded: %s", async ([encoding, compress]) => {
    handlers["/encoded"] = (_, response) =>
      response.setHeader("content-encoding", encoding).end(compress(noise));
    await download(task(), path("a.bin"));
    expect(await readFile(path("a.bin"))).toEqual(noise);
  });

  test("is requested again from its first byte if its end is missing", async () => {
    handlers["/encoded"] = (_, response) => {
      // Without a length: only the encoding shows that something is missing.
      response.writeHead(200, { "content-encoding": "gzip", etag: '"1"', connection: "close" });
      response.end(gzipSync(noise).subarray(0, requests.length === 1 ? -5 : undefined));
    };
    await download(task({ retries: 1 }), path("a.bin"));
    expect(await readFile(path("a.bin"))).toEqual(noise);
    expect(ranges()).toEqual([first, first]);
  });

  test("that grows beyond maxBytes is given up early", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    handlers["/encoded"] = (_, response) =>
      response.setHeader("content-encoding", "gzip").end(bomb);
    let most = 0;
    const onProgress = ({ bytes }: { readonly bytes: number }) =>
      void (most = Math.max(most, bytes));
    const error = await errorOf(
      download(task(), directory.path, { maxBytes: 1024 * 1024, onProgress }),
    );
    expect(error).toHaveProperty("name", "ServiceError");
    expect(most).toBeLessThan(2 * 1024 * 1024);
  });
});

test("a URL that has expired is renewed once, a cut result is resumed, and blobs have the same bytes", async () => {
  const emulator = createEmulator({ clock: "manual" });
  const { now } = emulator.client.clock;
  const sleep: Clock["sleep"] = async (_, __, reason) =>
    void (reason === "pause" || (await forever()));
  const media = createMediaGen({ ...emulator.client, clock: { now, random: () => 0, sleep } });
  const task = await media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: 2 });
  emulator.clock.advance("1m");
  await task.check();
  emulator.clock.advance("3d");
  emulator.next({ fault: "downloadCut" });
  const files = await download(task, directory.path);
  const facts = (await blobs(task)).map(({ size, type }) => ({ bytes: size, type }));
  expect(files).toMatchObject(facts);
  expect(emulator.calls.filter(({ status }) => status === 403).length).toBeGreaterThan(0);
});

test("a program that generates and downloads never loads the fetch of Node, which takes longer than a small result", async () => {
  const script = `
    import { createMediaGen, download } from "@mediagen/sdk/node";
    import { createEmulator, listen } from "@mediagen/emulator/node";
    const emulator = createEmulator({ clock: { speed: 1_000 } });
    const { baseUrl, close } = await listen(emulator);
    const media = createMediaGen({ baseUrl, apiKey: emulator.client.apiKey });
    const files = await download(await media.image.generate("imgmodelz", { prompt: "A fox" }), process.argv[1]);
    await close();
    const loaded = () => process.moduleLoadList.filter((name) => name.includes("undici")).length;
    const [before] = [loaded(), new Response()];
    console.log(files.length, before, loaded() > 0);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    script,
    directory.path,
  ]);
  expect(stdout).toBe("1 0 true\n");
});
