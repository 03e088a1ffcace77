import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMediaGen, type FetchInit, validate } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import { errorOf, success } from "./fake-service.ts";
import { ownDirectory } from "./result-server.ts";

const directory = ownDirectory();
const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

describe.each([
  ["@mediagen/sdk", createMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
])("with %s, a source image", (_, create) => {
  /** What a generation with this comes to, and what was sent. */
  async function generateWith(sourceImage: Blob) {
    const bodies: Blob[] = [];
    const fetch = async (_: string, { body }: FetchInit) => {
      bodies.push(body as Blob);
      return success({ taskid: "t-1" });
    };
    const media = create({ baseUrl: "http://localhost", apiKey: "any", fetch });
    const result = await errorOf(
      media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage }),
    );
    return { result, bodies };
  }
  test("is rejected before it is billed if it has changed since it was opened", async () => {
    const path = join(directory.path, "first.png");
    await writeFile(path, png);
    const blob = await openAsBlob(path);
    await writeFile(path, `${png.toString("latin1")}, and more`);
    const { result, bodies } = await generateWith(blob);
    const issues = [{ field: "sourceImage[0]", code: "invalid" }];
    expect(result).toMatchObject({ name: "InvalidRequestError", issues });
    expect(bodies).toEqual([]);
  });

  test("is an image by its bytes, whatever it calls itself", async () => {
    const { result, bodies } = await generateWith(new Blob([png], { type: "text/plain" }));
    expect([result, bodies.length]).toMatchObject([{ taskid: "t-1" }, 1]);
  });

  test("is sent with its bytes if a Blob leaves out the files that it is made of, as Bun's does", async () => {
    const Blobs = Blob;
    class WithoutFiles extends Blobs {
      static override [Symbol.hasInstance](value: unknown) {
        return value instanceof Blobs;
      }
      constructor(parts: readonly BlobPart[] = [], options?: BlobPropertyBag) {
        const others = parts.filter((part) => !(part instanceof Blobs));
        super(others, options);
      }
    }
    vi.stubGlobal("Blob", WithoutFiles);
    try {
      const { bodies } = await generateWith(new File([png], "first.png"));
      expect(await bodies[0]?.text()).toContain("PNG\r\n\x1a\n");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test("validate reads no bytes, so it finds an empty file, also in an extra field, but not what is no image", () => {
  const empty = new Blob([], { type: "image/png" });
  const issueOf = (field: string) => [{ field, code: "invalid" }];
  expect(
    validate("vidmodelv2", { sourceImage: new Blob(["hello"], { type: "image/png" }) }),
  ).toEqual([]);
  expect(validate("vidmodelv2", { sourceImage: empty })).toMatchObject(issueOf("sourceImage[0]"));
  expect(validate("vidmodelv2", { prompt: "A" }, { mask: empty })).toMatchObject(
    issueOf("extraFields.mask"),
  );
});
