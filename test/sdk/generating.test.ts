import { createHash } from "node:crypto";
import { memoryStore, type MediaGenOptions, type OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, errorOf, lost, success } from "./fake-service.ts";

describe("a generation of unknown outcome says what was sent", () => {
  const unknown = async (
    form: object,
    options: MediaGenOptions = {},
  ): Promise<OutcomeUnknownError> => {
    const { media } = clientOf([lost], {
      clock: { now: () => 7 },
      store: memoryStore(),
      ...options,
    });
    // The cast: the test reads what the call must reject with.
    return (await errorOf(media.video.generate("vidmodelv2", form))) as OutcomeUnknownError;
  };

  test("by when, and with a store by a digest", async () => {
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(await unknown({ prompt: "A fox" })).toMatchObject({
      at: 7,
      generationId: expect.any(String),
      digest,
    });
    const withoutStore = await unknown({ prompt: "A fox" }, { store: undefined });
    expect(withoutStore).toMatchObject({ at: 7, generationId: undefined, digest: undefined });
  });

  test("which is the SHA-256 of the form as it is sent, with that of each slice of 1 MiB of its files", async () => {
    const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
    const bytes = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(2 * 1024 * 1024 - 1, "fox")]);
    const slices = [0, 1, 2].map((index) =>
      bytes.subarray(index * 1024 * 1024, (index + 1) * 1024 * 1024),
    );
    const [ofLarge, ofSmall] = [slices, [Buffer.from("GIF89a")]].map((all) =>
      sha256(Buffer.concat(all.map(sha256))).toString("hex"),
    );
    const parts = JSON.stringify([
      ["prompt", "A fox\r\nruns"],
      ["sourceImage.items", "2.png", "image/png", ofLarge],
      ["sourceImage.items", "1.gif", "image/gif", ofSmall],
      ["websearch", "1"],
    ]);
    const sourceImage = [
      new File([bytes], "2.png", { type: "image/png" }),
      new File(["GIF89a"], "1.gif", { type: "image/gif" }),
    ];
    const { digest } = await unknown({ websearch: true, sourceImage, prompt: "A fox\nruns" });
    expect(digest).toBe(sha256(parts).toString("hex"));
  });
});

test("what is sent is what was passed, also if the caller changes its lists before that", async () => {
  const sent: unknown[] = [];
  const later = async () => new Promise<string>((resolve) => setImmediate(resolve, "key"));
  const reply = async (request: Request) => {
    const isForm = request.headers.get("content-type")?.startsWith("multipart/");
    const files = async () =>
      (await request.formData()).getAll("sourceImage.items").map((file) => (file as File).name);
    sent.push(await (isForm ? files() : request.json()));
    return success({ taskid: "t-1" });
  };
  const { media } = clientOf([reply], { apiKey: later, beforeGenerate: later });
  const sourceImage = [new File(["GIF89a"], "1.png")];
  const taskids = ["t-1"];
  const calls = [media.video.generate("vidmodelv2", { sourceImage }), media.video.delete(taskids)];
  sourceImage[0] = new File(["GIF89a"], "2.png");
  taskids[0] = "t-2";
  await Promise.all(calls);
  expect(sent).toContainEqual(["1.png"]);
  expect(sent).toContainEqual({ taskids: ["t-1"] });
});
