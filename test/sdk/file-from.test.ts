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
  ServiceError,
} from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(folder, { recursive: true }));

const entries = [
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const;
const gif = Buffer.from("GIF89a and the rest");

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
    for (const [source, says] of [
      [join(folder, "note.txt"), "is not an image"],
      [join(folder, "nothing"), "does not exist"],
      [pathToFileURL(join(folder, "nothing")), "does not exist"],
      [folder, "a directory"],
      ["file://elsewhere.example.com/a.png", "host"],
    ] as const) {
      const error: unknown = await fileFrom(source).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as Error).message).toContain(says);
      expect((error as Error).message).toContain("Nothing was sent.");
    }
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

  test("rejects a path, if it has no file system, and says which one has", async () => {
    if (from === fileFrom) return;
    for (const path of ["first.png", "/tmp/first.png", "C:\\first.png", "file:///tmp/first.png", ""])
      await expect(from(path)).rejects.toThrow(
        `fileFrom: ${JSON.stringify(path)} is a path. Nothing was sent. Use a URL, a data URI, bytes, a Blob or a Response. Paths need fileFrom of @mediagen/sdk/node.`,
      );
  });

  test.for<[string, () => unknown, RegExp]>([
    ["nothing", () => undefined, /source must be a URL.*, not undefined/],
    ["null", () => null, /source must be a URL.*, not null/],
    ["a number", () => 7, /source must be a URL.*, not 7/],
    ["an object", () => ({ path: "a.png" }), /source must be a URL.*, not an object/],
    ["a promise", async () => gif, /is an await missing/],
    ["an empty Blob", () => new Blob([]), /the image is empty/],
    ["text", () => Buffer.from("hello"), /the image is not an image/],
    ["a clip", () => Buffer.from("\0\0\0\x18ftypmp42"), /the image is not an image/],
    [
      "a page in a Response",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      /the response is an HTML page/,
    ],
    [
      "a page that calls itself an image",
      () => new Response("\n <!doctype html>", { headers: { "content-type": "image/png" } }),
      /an HTML page/,
    ],
    ["an empty Response", () => new Response(null), /the response is empty/],
    ["a Response that was read", async () => readBefore(new Response(gif)), /the response has been read before/],
    ["a Response that is being read", () => lockedResponse(), /has been read before/],
    ["a stream that is being read", () => lockedResponse().body, /the stream has been read before/],
    ["a data URI without data", () => "data:image/png;base64", /the data URI is not valid/],
    ["a data URI that is no Base64", () => "data:image/png;base64,!!", /the data URI is not valid/],
    ["a data URI of a text", () => "data:,hello", /the data URI is not an image/],
  ])("rejects %s", async ([, source, message]) => {
    // The cast: what types reject, JavaScript passes.
    const given = (message.source.includes("await") ? source() : await source()) as FileSource;
    const error: unknown = await from(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain("Nothing was sent.");
  });

  test("rejects a Response that is no success, with its status", async () => {
    const error: unknown = await from(new Response("gone", { status: 404 })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 404, operation: "fileFrom" });
    expect((error as Error).message).toBe("fileFrom: the response has HTTP status 404. Nothing was sent.");
  });

  test("rejects an image that is cut off: it would be billed as well", async () => {
    const cut = new Response(gif, { headers: { "content-length": String(gif.length + 1) } });
    const error: unknown = await from(cut).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain(`it ended after ${gif.length} of ${gif.length + 1} bytes`);
    // fetch does not notice that the end of compressed bytes is missing.
    const zipped = new Response(gif, { headers: { "content-encoding": "gzip" } });
    await expect(from(zipped)).rejects.toBeInstanceOf(InvalidRequestError);
  });

  test("reads no more of a stream or a response than it may have, and says how to raise that", async () => {
    for (const wrap of [(body: ReadableStream) => body, (body: ReadableStream) => new Response(body)]) {
      const endless = endlessImage();
      await expect(from(wrap(endless.body), { maxBytes: 100_000 })).rejects.toThrow(
        /has more than 100000 bytes\. Nothing was sent\. Use a smaller image, or pass \{ maxBytes \} to raise the limit/,
      );
      expect(endless.bytes()).toBeLessThan(200_000);
      expect(endless.isCancelled()).toBe(true);
    }
    const endless = endlessImage();
    await expect(from(endless.body)).rejects.toThrow("more than 67108864 bytes");
  });

  test("limits what is in memory or on disk only if that is asked for", async () => {
    for (const source of [gif, new Blob([gif]), dataUri, new Response(gif)])
      await expect(from(source, { maxBytes: 10 })).rejects.toThrow("more than 10 bytes");
    expect(await from(new Blob([gif, new Uint8Array(70 * 1024 * 1024)]))).toMatchObject({ type: "image/gif" });
    await expect(from(`${dataUri}${"A".repeat(100_000_000)}`)).rejects.toThrow(
      "the data URI has more than 67108864 bytes",
    );
    if (from === plainFileFrom) return;
    await writeFile(join(folder, "a.gif"), gif);
    await expect(from(join(folder, "a.gif"), { maxBytes: 10 })).rejects.toThrow("more than 10 bytes");
  });

  test("ends with the signal's reason, and after its time", async () => {
    const stuck = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    await expect(from(gif, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    const controller = new AbortController();
    const reading = from(stuck(), { signal: controller.signal });
    controller.abort("enough");
    await expect(reading).rejects.toBe("enough");
    const late: unknown = await from(stuck(), { timeoutMs: 20 }).catch((thrown: unknown) => thrown);
    expect(late).toBeInstanceOf(ConnectionError);
    expect((late as Error).message).toBe(
      "fileFrom: the stream was not read, and nothing was sent to the service (it took longer than 20 ms). It is safe to retry.",
    );
  });

  test("rejects options that do not exist, and limits that are none", async () => {
    await expect(from(gif, { maxByte: 1 } as object)).rejects.toThrow("Did you mean maxBytes?");
    await expect(from(gif, { maxBytes: Number.NaN })).rejects.toThrow("maxBytes: NaN is not valid");
    await expect(from(gif, { timeoutMs: -1 })).rejects.toThrow("timeoutMs: -1 is not valid");
    expect(entry).toContain("@mediagen/sdk");
  });
});

async function readBefore(response: Response): Promise<Response> {
  await response.arrayBuffer();
  return response;
}

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
