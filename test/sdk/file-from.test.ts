import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { fileFrom as plainFileFrom, type FileSource } from "@mediagen/sdk";
import { fileFrom } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { errorOf } from "./fake-service.ts";
import { ownDirectory } from "./result-server.ts";

const directory = ownDirectory();
const path = (name: string) => join(directory.path, name);
afterEach(() => vi.useRealTimers());
const gif = Buffer.from("GIF89a and the rest");
const bytes = Uint8Array.from(gif);
const dataUri = `data:image/gif;base64,${gif.toString("base64")}`;
const invalid = { name: "InvalidRequestError", issues: [{ code: "invalid" }] };

describe("fileFrom of @mediagen/sdk/node", () => {
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
  test.for(Object.entries(heads))("recognizes %s by the first bytes", async ([type, head]) => {
    await writeFile(path("source.dat"), head, "latin1");
    expect(await fileFrom(path("source.dat"))).toMatchObject({ name: "source.dat", type, size: head.length });
  });

  test("takes a path as text and as a file: URL, and does not read it into memory", async () => {
    await writeFile(path("a fox.gif"), gif);
    const url = pathToFileURL(path("a fox.gif"));
    for (const source of [path("a fox.gif"), url, url.href])
      expect(await fileFrom(source)).toMatchObject({ name: "a fox.gif", type: "image/gif", size: gif.length });
    // Whoever reads a file that has changed reads it from the disk.
    const file = await fileFrom(url);
    await writeFile(path("a fox.gif"), `${gif.toString()}, and more`);
    await expect(file.arrayBuffer()).rejects.toThrow();
  });
});

describe.each([
  ["@mediagen/sdk", plainFileFrom],
  ["@mediagen/sdk/node", fileFrom],
] as const)("fileFrom of %s", (_, from) => {
  test.for<[string, () => FileSource | Promise<FileSource>, name?: string]>([
    ["a Buffer", () => gif],
    ["a part of a buffer", () => Buffer.concat([Buffer.from("no"), gif]).subarray(2)],
    ["an ArrayBuffer", () => bytes.buffer],
    ["a DataView", () => new DataView(bytes.buffer)],
    ["a Blob", () => new Blob([gif], { type: "text/plain" })],
    ["a File", () => new File([gif], "fox.gif"), "fox.gif"],
    ["a Blob on disk", async () => (await writeFile(path("a"), gif), openAsBlob(path("a")))],
    ["a data URI", () => dataUri],
    ["a data URI in capitals", () => dataUri.replace("data:image/gif;base64", "DATA:;BASE64")],
    ["a data URI as a URL", () => new URL(dataUri)],
    ["a data URI whose Base64 is escaped", () => dataUri.replaceAll("=", "%3D")],
    ["a data URI without Base64", () => `data:image/gif,${encodeURIComponent(gif.toString())}`],
    ["a Response", () => new Response(gif)],
    [
      "a Response of another library",
      () => ({ status: 200, redirected: false, headers: new Headers(), body: Readable.from([gif]) }),
    ],
    ["a web stream", () => new Blob([gif]).stream()],
    ["a stream of Node's", () => Readable.from([gif])],
  ])("takes %s", async ([, source, name = "file.gif"]) => {
    const file = await from(await source());
    expect(file).toMatchObject({ name, type: "image/gif", size: gif.length });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(gif);
    expect(await from(await source(), { name: "own.gif" })).toMatchObject({ name: "own.gif" });
  });

  test("reads no more of a stream or a response than it may have, 64 MiB by default", async () => {
    const mostOf = async (wrap: (body: ReadableStream) => FileSource, options: object) => {
      let [read, isCancelled] = [0, false];
      const pull = (controller: ReadableStreamDefaultController) => {
        const piece = read === 0 ? gif : new Uint8Array(65_536);
        read += piece.length;
        controller.enqueue(piece);
      };
      const endless = new ReadableStream({ pull, cancel: () => void (isCancelled = true) });
      expect(await errorOf(from(wrap(endless), options))).toMatchObject(invalid);
      expect(isCancelled).toBe(true);
      return read;
    };
    for (const wrap of [(body: ReadableStream) => body, (body: ReadableStream) => new Response(body)])
      expect(await mostOf(wrap, { maxBytes: 100_000 })).toBeLessThan(200_000);
    const most = await mostOf((body) => body, {});
    expect([most > 64_000_000, most < 68_000_000]).toEqual([true, true]);
  });

  test("limits what is in memory only if that is requested", async () => {
    for (const source of [gif, new Blob([gif]), dataUri, new Response(gif)])
      expect(await errorOf(from(source, { maxBytes: 10 }))).toMatchObject(invalid);
    expect(await from(new Blob([gif, new Uint8Array(70 * 1024 * 1024)]))).toMatchObject({ type: "image/gif" });
    expect(await errorOf(from(`${dataUri}${"A".repeat(100_000_000)}`))).toMatchObject(invalid);
  });

  test("ends with the signal's reason, and after a minute", async () => {
    const stuck = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
    expect(await errorOf(from(gif, { signal: AbortSignal.abort("enough") }))).toBe("enough");
    const controller = new AbortController();
    const reading = errorOf(from(stuck(), { signal: controller.signal }));
    controller.abort("enough");
    expect(await reading).toBe("enough");
    vi.useFakeTimers();
    const late = errorOf(from(stuck()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await late).toHaveProperty("name", "ConnectionError");
  });
});
