import { createHash } from "node:crypto";
import { InvalidRequestError, memoryStore, type MediaGenOptions, type OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, gate, lost, success } from "./fake-service.ts";

/** A client whose generations get their responses when the test says so. */
function client(options: MediaGenOptions = {}) {
  const waiting: PromiseWithResolvers<Response>[] = [];
  const prompts: unknown[] = [];
  const { media } = clientOf(
    [
      async (request) => {
        prompts.push((await request.formData()).get("prompt"));
        const response = gate<Response>();
        waiting.push(response);
        return response.promise;
      },
    ],
    options,
  );
  const generate = (prompt: string, signal?: AbortSignal) => media.image.generate("imgmodelz", { prompt }, { signal });
  const respondNext = async () => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()?.resolve(created(`t-${prompts.length}`));
  };
  return { generate, prompts, respondNext };
}

describe("beforeGenerate", () => {
  test("sees the form, the kind and the model, and is awaited before anything is sent", async () => {
    const seen: unknown[] = [];
    const { generate, prompts, respondNext } = client({
      // By then, what does not wait for it would have been sent.
      beforeGenerate: async (...given) => void seen.push(given, (await clientOf().generate()).kind, prompts.length),
    });
    const task = generate("A fox");
    await respondNext();
    await task;
    expect(seen).toEqual([[{ prompt: "A fox" }, { kind: "image", model: "imgmodelz", resultCount: 1 }], "image", 0]);
  });

  test.for<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new RangeError("too dear");
      },
    ],
    ["rejects", () => Promise.reject(new RangeError("too dear"))],
  ])("that %s sends nothing, and its error is the caller's", async ([, beforeGenerate]) => {
    const { generate, prompts } = client({ beforeGenerate });
    await expect(generate("A fox")).rejects.toBeInstanceOf(RangeError);
    await expect(generate("A fox")).rejects.toThrow("too dear");
    expect(prompts).toEqual([]);
  });

  test("is not asked about a form that is wrong", async () => {
    const { generate } = client({
      beforeGenerate: () => {
        throw new RangeError();
      },
    });
    await expect(generate(7 as unknown as string)).rejects.toBeInstanceOf(InvalidRequestError);
  });

  test("that lasts until the call is aborted sends nothing", async () => {
    const controller = new AbortController();
    const { generate, prompts } = client({ beforeGenerate: () => controller.abort("enough") });
    await expect(generate("A fox", controller.signal)).rejects.toBe("enough");
    expect(prompts).toEqual([]);
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
    const digest = await of(file("aa", "1.png"), file("bb", "2.png"));
    expect(await of(file("aa", "1.png"), file("bb", "2.png"))).toBe(digest);
    const others = [
      [file("bb", "2.png"), file("aa", "1.png")],
      [file("aa", "1.png", "image/gif"), file("bb", "2.png")],
      [file("xx", "1.png"), file("bb", "2.png")],
      [file("a", "1.png"), file("bb", "2.png")],
    ];
    for (const other of others) expect(await of(...other)).not.toBe(digest);
  });

  test("which is the SHA-256 over the SHA-256 of each slice of 1 MiB, so that it can be computed elsewhere", async () => {
    const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
    const bytes = Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(2 * 1024 * 1024 - 1, "fox")]);
    const slices = [0, 1, 2].map((index) => bytes.subarray(index * 1024 * 1024, (index + 1) * 1024 * 1024));
    const ofFile = sha256(Buffer.concat(slices.map(sha256))).toString("hex");
    const parts = [
      ["prompt", "A fox"],
      ["sourceImage.items", "1.png", "image/png", ofFile],
    ];
    const sourceImage = new File([bytes], "1.png", { type: "image/png" });
    expect((await unknown({ sourceImage, prompt: "A fox" })).digest).toBe(
      sha256(JSON.stringify(parts)).toString("hex"),
    );
  });
});

test("what is sent is what was given, whatever happens to the caller's lists while it waits for its turn", async () => {
  const sent: unknown[] = [];
  const later = async () => new Promise<string>((resolve) => setImmediate(resolve, "key"));
  const { media } = clientOf(
    [
      async (request) => {
        const isForm = request.headers.get("content-type")?.startsWith("multipart/");
        sent.push(
          isForm
            ? (await request.formData()).getAll("sourceImage.items").map((file) => (file as File).name)
            : await request.json(),
        );
        return success({ taskid: "t-1" });
      },
    ],
    { apiKey: later, beforeGenerate: later },
  );
  const [sourceImage, taskids] = [[new File(["GIF89a"], "1.png")], ["t-1"]];
  const calls = [media.video.generate("vidmodelv2", { sourceImage }), media.video.delete(taskids)];
  sourceImage[0] = new File(["GIF89a"], "2.png");
  taskids[0] = "t-2";
  await Promise.all(calls);
  expect(sent).toContainEqual(["1.png"]);
  expect(sent).toContainEqual({ taskids: ["t-1"] });
});

describe("a model that is known only at run time", () => {
  test("is generated by its name, whatever it makes", async () => {
    const paths: string[] = [];
    const { media } = clientOf([({ url }) => (paths.push(new URL(url).pathname), created(`t-${paths.length}`))]);
    for (const [model, kind] of [
      ["vidmodelv2", "video"],
      ["imgmodelz", "image"],
    ] as readonly (readonly [string, string])[]) {
      const task = await media.generate(model, { prompt: "A fox" });
      expect(task).toMatchObject({ kind, model });
    }
    expect(paths).toEqual(["/v1/video/vidmodelv2", "/v1/images/imgmodelz"]);
  });

  test("with the same options: a key, extra fields, a signal", async () => {
    const fields: unknown[] = [];
    const reply = async (request: Request) => (fields.push([...(await request.formData())]), created("t-1"));
    const { media, sent } = clientOf([reply], { store: memoryStore() });
    const model: string = "imgmodelz";
    const options = { idempotencyKey: "order-1", extraFields: { style: "woodcut" } };
    const tasks = [
      await media.generate(model, { prompt: "A fox" }, options),
      await media.generate(model, { prompt: "A fox" }, options),
    ];
    expect(tasks.map(({ taskid }) => taskid)).toEqual(["t-1", "t-1"]);
    expect(fields).toEqual([
      [
        ["prompt", "A fox"],
        ["style", "woodcut"],
      ],
    ]);
    await expect(media.generate(model, { prompt: "A hare" }, { signal: AbortSignal.abort("enough") })).rejects.toBe(
      "enough",
    );
    expect(sent()).toBe(1);
  });

  test("is checked as one that the compiler knows, and nothing is sent", async () => {
    const { media, sent } = clientOf();
    const rejects = async (model: string, form: Readonly<Record<string, unknown>>, issue: object) => {
      const error = await errorOf(media.generate(model, form));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toHaveProperty("issues", [expect.objectContaining(issue)]);
    };
    await rejects("imgmodelx", { prompt: "A fox" }, { field: "model", message: expect.stringContaining("imgmodelz") });
    await rejects("toString", { prompt: "A fox" }, { field: "model" });
    await rejects(
      "imgmodelz",
      { promt: "A fox", prompt: "A fox" },
      { field: "promt", message: expect.stringContaining("Did you mean prompt?") },
    );
    await rejects("imgmodelz", {}, { field: "prompt" });
    await rejects("vidmodelv2", { prompt: "A fox", duration: "long" }, { field: "duration" });
    expect(sent()).toBe(0);
  });
});
