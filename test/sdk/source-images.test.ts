import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMediaGen, type FetchInit, InvalidRequestError, type IssueCode, validate } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen, fileFrom } from "@mediagen/sdk/node";
import { expect, test, vi } from "vitest";
import { errorOf, success } from "./fake-service.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** What generating with this as source image comes to, and how many requests it took. */
async function generateWith(sourceImage: Blob, create = createMediaGen) {
  let sent = 0;
  const media = create({
    baseUrl: "http://localhost",
    apiKey: "any",
    fetch: async () => (sent++, success({ taskid: "t-1" })),
  });
  const result = await errorOf(media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage }));
  return { result, sent };
}

test.for<[what: string, Blob, IssueCode]>([
  ["a page that came instead of an image", new Blob(["<html>404</html>"], { type: "text/html" }), "invalid"],
  ["a text that calls itself an image", new Blob(["hello"], { type: "image/png" }), "invalid"],
  ["a clip", new Blob(["\0\0\0\x18ftypmp42"], { type: "video/mp4" }), "invalid"],
  ["an empty file", new Blob([], { type: "image/png" }), "invalid"],
])("%s is rejected before it is billed", async ([, blob, code]) => {
  for (const create of [createMediaGen, createNodeMediaGen]) {
    const { result, sent } = await generateWith(blob, create);
    expect(result).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "sourceImage[0]", code }] });
    expect(sent).toBe(0);
  }
});

test("an empty file in an extra field is rejected, too", () => {
  const extraFields = { mask: new Blob([], { type: "image/png" }) };
  expect(validate("vidmodelv2", { prompt: "A fox" }, extraFields)).toMatchObject([
    { field: "extraFields.mask", code: "invalid" },
  ]);
});

test("an image is an image by its bytes, whatever it calls itself", async () => {
  const { result, sent } = await generateWith(new Blob([png], { type: "text/plain" }));
  expect([result, sent]).toMatchObject([{ taskid: "t-1" }, 1]);
});

test("a file that has changed since it was opened is rejected on both entries", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const path = join(folder, "first.png");
    for (const create of [createMediaGen, createNodeMediaGen]) {
      await writeFile(path, png);
      const blob = await openAsBlob(path);
      await writeFile(path, `${png.toString("latin1")}, and more`);
      const { result, sent } = await generateWith(blob, create);
      expect(result).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "sourceImage[0]" }] });
      expect(sent).toBe(0);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a form is told without reading bytes, so an empty file is found by validate, and no image by generate", async () => {
  const sourceImage = new Blob(["hello"], { type: "image/png" });
  expect(validate("vidmodelv2", { sourceImage })).toEqual([]);
  expect(validate("vidmodelv2", { sourceImage: new Blob([]) })).toMatchObject([{ code: "invalid" }]);
  await expect(fileFrom(sourceImage)).rejects.toBeInstanceOf(InvalidRequestError);
});

test("a file leaves with its bytes where a Blob leaves out the files that it is made of, as Bun's does", async () => {
  const Blobs = Blob;
  class WithoutFiles extends Blobs {
    static override [Symbol.hasInstance](value: unknown) {
      return value instanceof Blobs;
    }
    constructor(parts: readonly BlobPart[] = [], options?: BlobPropertyBag) {
      super(
        parts.filter((part) => !(part instanceof Blobs)),
        options,
      );
    }
  }
  vi.stubGlobal("Blob", WithoutFiles);
  try {
    const bodies: Blob[] = [];
    const fetch = async (_: string, { body }: FetchInit) => (bodies.push(body as Blob), success({ taskid: "t-1" }));
    const media = createMediaGen({ baseUrl: "http://localhost", apiKey: "any", fetch });
    await media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage: new File([png], "first.png") });
    expect(await bodies[0]?.text()).toContain("PNG\r\n\x1a\n");
  } finally {
    vi.unstubAllGlobals();
  }
});
