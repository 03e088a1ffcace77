import { createHash } from "node:crypto";
import { InvalidRequestError, memoryStore, type MediaGenOptions, type OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, lost, success } from "./fake-service.ts";

// What beforeGenerate receives, and when it is not called, is in test/money/limits.test.ts.

describe("beforeGenerate", () => {
  test("is awaited before anything is sent", async () => {
    const sent: unknown[] = [];
    const beforeGenerate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      sent.push("approved");
    };
    await clientOf([() => (sent.push("sent"), created("t-1"))], { beforeGenerate }).generate();
    expect(sent).toEqual(["approved", "sent"]);
  });

  test.for<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new RangeError("too expensive");
      },
    ],
    ["rejects", () => Promise.reject(new RangeError("too expensive"))],
  ])("that %s sends nothing, and its error is the caller's", async ([, beforeGenerate]) => {
    const { generate, sent } = clientOf([], { beforeGenerate });
    expect(await errorOf(generate())).toEqual(new RangeError("too expensive"));
    // An invalid form does not get that far.
    expect(await errorOf(generate(undefined, 7 as never))).toBeInstanceOf(InvalidRequestError);
    expect(sent()).toBe(0);
  });

  test("that lasts until the call is aborted sends nothing", async () => {
    const controller = new AbortController();
    const { generate, sent } = clientOf([], { beforeGenerate: () => controller.abort("enough") });
    await expect(generate(undefined, "A fox", controller.signal)).rejects.toBe("enough");
    expect(sent()).toBe(0);
  });
});

describe("a generation of unknown outcome says what was sent", () => {
  const unknown = async (form: object, options: MediaGenOptions = {}): Promise<OutcomeUnknownError> => {
    const { media } = clientOf([lost], { clock: { now: () => 7 }, store: memoryStore(), ...options });
    // The cast: the test reads what the call must reject with.
    return (await errorOf(media.video.generate("vidmodelv2", form))) as OutcomeUnknownError;
  };

  test("by when, and with a store by a digest of the form as it was sent", async () => {
    const error = await unknown({ prompt: "A fox\nruns", duration: 5, websearch: true });
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", at: 7, generationId: expect.any(String), digest });
    expect((await unknown({ websearch: "1", duration: 5, prompt: "A fox\r\nruns" })).digest).toBe(error.digest);
    expect((await unknown({ websearch: true, duration: 10, prompt: "A fox\nruns" })).digest).not.toBe(error.digest);
    const withoutStore = await unknown({ prompt: "A fox" }, { store: undefined });
    expect(withoutStore).toMatchObject({ at: 7, generationId: undefined, digest: undefined });
  });

  test("by the name, type and bytes of its files, in order", async () => {
    const file = (text: string, name: string, type = "image/png") => new File(["GIF89a", text], name, { type });
    const of = async (...sourceImage: File[]) => (await unknown({ sourceImage })).digest;
    const [one, two] = [file("aa", "1.png"), file("bb", "2.png")];
    const others = [
      [two, one],
      ...[file("aa", "1.png", "image/gif"), file("xx", "1.png"), file("a", "1.png")].map((other) => [other, two]),
    ];
    expect(await of(file("aa", "1.png"), two)).toBe(await of(one, two));
    for (const other of others) expect(await of(...other)).not.toBe(await of(one, two));
  });

  test("which is the SHA-256 over the SHA-256 of each slice of 1 MiB, so that it can be computed elsewhere", async () => {
    const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
    const bytes = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(2 * 1024 * 1024 - 1, "fox")]);
    const slices = [0, 1, 2].map((index) => bytes.subarray(index * 1024 * 1024, (index + 1) * 1024 * 1024));
    const ofFile = sha256(Buffer.concat(slices.map(sha256))).toString("hex");
    const parts = JSON.stringify([
      ["prompt", "A fox"],
      ["sourceImage.items", "1.png", "image/png", ofFile],
    ]);
    const sourceImage = new File([bytes], "1.png", { type: "image/png" });
    expect((await unknown({ sourceImage, prompt: "A fox" })).digest).toBe(sha256(parts).toString("hex"));
  });
});

test("what is sent is what was passed, also if the caller changes its lists before that", async () => {
  const sent: unknown[] = [];
  const later = async () => new Promise<string>((resolve) => setImmediate(resolve, "key"));
  const reply = async (request: Request) => {
    const isForm = request.headers.get("content-type")?.startsWith("multipart/");
    const files = async () => (await request.formData()).getAll("sourceImage.items").map((file) => (file as File).name);
    sent.push(await (isForm ? files() : request.json()));
    return success({ taskid: "t-1" });
  };
  const { media } = clientOf([reply], { apiKey: later, beforeGenerate: later });
  const [sourceImage, taskids] = [[new File(["GIF89a"], "1.png")], ["t-1"]];
  const calls = [media.video.generate("vidmodelv2", { sourceImage }), media.video.delete(taskids)];
  sourceImage[0] = new File(["GIF89a"], "2.png");
  taskids[0] = "t-2";
  await Promise.all(calls);
  expect(sent).toContainEqual(["1.png"]);
  expect(sent).toContainEqual({ taskids: ["t-1"] });
});

test("a model that is known only at run time is generated by its name, with the same options and checks", async () => {
  const [paths, fields]: [string[], unknown[]] = [[], []];
  const reply = async (request: Request) => {
    paths.push(new URL(request.url).pathname);
    fields.push(Object.fromEntries(await request.formData()));
    return created(`t-${paths.length}`);
  };
  const { media, sent } = clientOf([reply], { store: memoryStore() });
  const options = { idempotencyKey: "order-1", extraFields: { style: "woodcut" } };
  for (const [model, kind] of [
    ["vidmodelv2", "video"],
    ["imgmodelz", "image"],
  ] as readonly (readonly [string, string])[])
    expect(await media.generate(model, { prompt: "A fox" }, model === "imgmodelz" ? options : {})).toMatchObject({
      kind,
      model,
    });
  const model: string = "imgmodelz";
  expect((await media.generate(model, { prompt: "A fox" }, options)).taskid).toBe("t-2");
  expect(paths).toEqual(["/v1/video/vidmodelv2", "/v1/images/imgmodelz"]);
  expect(fields).toEqual([{ prompt: "A fox" }, { prompt: "A fox", style: "woodcut" }]);
  const signal = AbortSignal.abort("enough");
  await expect(media.generate(model, { prompt: "A hare" }, { signal })).rejects.toBe("enough");
  expect(await errorOf(media.generate(model, {}))).toMatchObject({ issues: [{ field: "prompt" }] });
  expect(sent()).toBe(2);
});
