import { createReadStream, openAsBlob, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ConnectionError,
  fileFrom as plainFileFrom,
  type FileSource,
  InvalidRequestError,
  type IssueCode,
  ServiceError,
} from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { errorOf } from "./fake-service.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

const entries = [
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const;
const gif = Buffer.from("GIF89a and the rest");
const readResponse = new Response(gif);
await readResponse.arrayBuffer();
const tooLarge = { name: "InvalidRequestError", issues: [{ code: "invalid" }] };

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

  test("takes a path as text and as a file: URL, and does not read it into memory", async () => {
    const path = join(folder, "a fox.gif");
    await writeFile(path, gif);
    const url = pathToFileURL(path);
    for (const source of [path, url, url.href])
      expect(await fileFrom(source)).toMatchObject({ name: "a fox.gif", type: "image/gif", size: gif.length });
    // Whoever reads a file that has changed reads it from the disk.
    const file = await fileFrom(path);
    await writeFile(path, `${gif.toString()}, and more`);
    await expect(file.arrayBuffer()).rejects.toThrow();
  });

  test("refuses what is no image, no file, or a folder", async () => {
    await writeFile(join(folder, "note.txt"), "hello");
    for (const [source, code] of [
      [join(folder, "note.txt"), "invalid"],
      [join(folder, "nothing"), "invalid"],
      [pathToFileURL(join(folder, "nothing")), "invalid"],
      [folder, "invalid"],
      ["file://elsewhere.example.com/a.png", "invalid"],
    ] as const)
      await expect(fileFrom(source)).rejects.toMatchObject({ name: "InvalidRequestError", issues: [{ code }] });
  });
});

describe.each(entries)("fileFrom of %s", (entry, from) => {
  const dataUri = `data:image/gif;base64,${gif.toString("base64")}`;
  const bytes = Uint8Array.from(gif);
  const stream = () => new Blob([gif]).stream();

  test.for<[string, () => FileSource | Promise<FileSource>, string]>([
    ["a Buffer", () => gif, "file.gif"],
    ["a Uint8Array", () => bytes, "file.gif"],
    ["a part of a buffer", () => Buffer.concat([Buffer.from("no"), gif]).subarray(2), "file.gif"],
    ["an ArrayBuffer", () => bytes.buffer, "file.gif"],
    ["a DataView", () => new DataView(bytes.buffer), "file.gif"],
    ["a Blob", () => new Blob([gif], { type: "text/plain" }), "file.gif"],
    ["a File", () => new File([gif], "fox.gif"), "fox.gif"],
    [
      "a Blob on disk",
      async () => (await writeFile(join(folder, "a"), gif), openAsBlob(join(folder, "a"))),
      "file.gif",
    ],
    ["a data URI", () => dataUri, "file.gif"],
    ["a data URI in capitals", () => dataUri.replace("data:image/gif;base64", "DATA:;BASE64"), "file.gif"],
    ["a data URI as a URL", () => new URL(dataUri), "file.gif"],
    ["a data URI whose Base64 is escaped", () => dataUri.replaceAll("=", "%3D"), "file.gif"],
    ["a data URI without Base64", () => `data:image/gif,${encodeURIComponent(gif.toString())}`, "file.gif"],
    ["a Response", () => new Response(gif), "file.gif"],
    [
      "a Response of another library",
      () => ({ status: 200, redirected: false, headers: new Headers(), body: createReadStreamOf(gif) }),
      "file.gif",
    ],
    ["a web stream", stream, "file.gif"],
    ["a stream of Node's", () => createReadStreamOf(gif), "file.gif"],
  ])("takes %s", async ([, source, name]) => {
    const file = await from(await source());
    expect(file).toMatchObject({ name, type: "image/gif", size: gif.length });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(gif);
    expect(await from(await source(), { name: "own.gif" })).toMatchObject({ name: "own.gif" });
  });

  test("rejects a path, if it has no file system", async () => {
    if (from === fileFrom) return;
    for (const path of ["first.png", "/tmp/first.png", "C:\\first.png", "file:///tmp/first.png", ""])
      await expect(from(path)).rejects.toBeInstanceOf(InvalidRequestError);
  });

  test.for<[string, () => unknown, IssueCode]>([
    ["nothing", () => undefined, "invalid"],
    ["null", () => null, "invalid"],
    ["a number", () => 7, "invalid"],
    ["an object", () => ({ path: "a.png" }), "invalid"],
    ["a promise", async () => gif, "invalid"],
    ["an empty Blob", () => new Blob([]), "invalid"],
    ["text", () => Buffer.from("hello"), "invalid"],
    ["a clip", () => Buffer.from("\0\0\0\x18ftypmp42"), "invalid"],
    ["a page in a Response", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "invalid"],
    [
      "a page that calls itself an image",
      () => new Response("\n <!doctype html>", { headers: { "content-type": "image/png" } }),
      "invalid",
    ],
    ["an empty Response", () => new Response(null), "invalid"],
    ["a Response that was read", () => readResponse, "invalid"],
    ["a Response that is being read", () => lockedResponse(), "invalid"],
    ["a stream that is being read", () => lockedResponse().body, "invalid"],
    ["a data URI without data", () => "data:image/png;base64", "invalid"],
    ["a data URI that is no Base64", () => "data:image/png;base64,!!", "invalid"],
    ["a data URI of a text", () => "data:,hello", "invalid"],
  ])("rejects %s", async ([, source, code]) => {
    // The cast: what types reject, JavaScript passes.
    const error: unknown = await from(source() as FileSource).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ code }] });
  });

  test("rejects a Response that is no success, with its status", async () => {
    const error: unknown = await from(new Response("gone", { status: 404 })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 404, operation: "fileFrom" });
  });

  test("rejects an image that is cut off: it would be billed as well", async () => {
    const cut = new Response(gif, { headers: { "content-length": String(gif.length + 1) } });
    await expect(from(cut)).rejects.toBeInstanceOf(ConnectionError);
    // fetch does not notice that the end of compressed bytes is missing.
    const zipped = new Response(gif, { headers: { "content-encoding": "gzip" } });
    await expect(from(zipped)).rejects.toBeInstanceOf(InvalidRequestError);
  });

  test("reads no more of a stream or a response than it may have", async () => {
    for (const wrap of [(body: ReadableStream) => body, (body: ReadableStream) => new Response(body)]) {
      const endless = endlessImage();
      await expect(from(wrap(endless.body), { maxBytes: 100_000 })).rejects.toMatchObject(tooLarge);
      expect(endless.bytes()).toBeLessThan(200_000);
      expect(endless.isCancelled()).toBe(true);
    }
    const endless = endlessImage();
    await expect(from(endless.body)).rejects.toMatchObject(tooLarge);
    expect([endless.bytes() > 64_000_000, endless.bytes() < 68_000_000]).toEqual([true, true]);
  });

  test("limits what is in memory or on disk only if that is asked for", async () => {
    for (const source of [gif, new Blob([gif]), dataUri, new Response(gif)])
      await expect(from(source, { maxBytes: 10 })).rejects.toMatchObject(tooLarge);
    expect(await from(new Blob([gif, new Uint8Array(70 * 1024 * 1024)]))).toMatchObject({ type: "image/gif" });
    await expect(from(`${dataUri}${"A".repeat(100_000_000)}`)).rejects.toMatchObject(tooLarge);
    if (from === plainFileFrom) return;
    await writeFile(join(folder, "a.gif"), gif);
    await expect(from(join(folder, "a.gif"), { maxBytes: 10 })).rejects.toMatchObject(tooLarge);
  });

  test("ends with the signal's reason, and after its time", async () => {
    const stuck = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    await expect(from(gif, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    const controller = new AbortController();
    const reading = from(stuck(), { signal: controller.signal });
    controller.abort("enough");
    await expect(reading).rejects.toBe("enough");
    vi.useFakeTimers();
    const late = errorOf(from(stuck()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await late).toBeInstanceOf(ConnectionError);
    vi.useRealTimers();
  });

  test("rejects options that do not exist, and limits that are none", async () => {
    for (const options of [{ maxByte: 1 }, { maxBytes: Number.NaN }])
      await expect(from(gif, options as object)).rejects.toMatchObject({
        issues: [{ field: Object.keys(options)[0] }],
      });
    expect(entry).toContain("@mediagen/sdk");
  });
});

function lockedResponse(): Response {
  const response = new Response(gif);
  response.body?.getReader();
  return response;
}

/** A stream of Node's with these bytes. */
function createReadStreamOf(bytes: Buffer) {
  const path = join(folder, "streamed");
  writeFileSync(path, bytes);
  return createReadStream(path);
}

/** An image that never ends. */
function endlessImage() {
  let bytes = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = bytes === 0 ? gif : new Uint8Array(65_536);
      bytes += piece.length;
      controller.enqueue(piece);
    },
    cancel: () => void (cancelled = true),
  });
  return { body, bytes: () => bytes, isCancelled: () => cancelled };
}
