import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileFrom, InvalidRequestError } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

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
    for (const source of [
      join(folder, "note.txt"),
      join(folder, "nothing"),
      folder,
      "https://example.com/fox.png",
      new Blob([]),
    ]) {
      await expect(fileFrom(source)).rejects.toBeInstanceOf(InvalidRequestError);
    }
    await expect(fileFrom("https://example.com/fox.png")).rejects.toThrow(
      "a URL is not a file. Use a path, or the form's field for URLs if it has one.",
    );
  });
});
