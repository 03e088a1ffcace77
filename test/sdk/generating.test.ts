import { createMediaGen, InvalidRequestError, OutcomeUnknownError, type MediaGenOptions } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

/** A client whose generations are answered when the test says so. */
function client(options: MediaGenOptions = {}) {
  const answers: (() => void)[] = [];
  const prompts: unknown[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    fetch: async (request) => {
      prompts.push((await request.formData()).get("prompt"));
      await new Promise<void>((resolve) => answers.push(resolve));
      return Response.json({ code: 1000, msg: "", data: { taskid: `t-${prompts.length}` } });
    },
    ...options,
  });
  const generate = (prompt: string, signal?: AbortSignal) => media.image.generate("imgmodelz", { prompt }, { signal });
  const answerNext = async () => (await expect.poll(() => answers.length).toBeGreaterThan(0), answers.shift()?.());
  return { generate, prompts, answerNext };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("beforeGenerate", () => {
  test("sees the form, the kind and the model, and is awaited before anything is sent", async () => {
    const seen: unknown[] = [];
    const { generate, prompts, answerNext } = client({
      beforeGenerate: async (...given) => void seen.push(given, await settled(), prompts.length),
    });
    const task = generate("A fox");
    await answerNext();
    await task;
    expect(seen).toEqual([[{ prompt: "A fox" }, { kind: "image", model: "imgmodelz" }], undefined, 0]);
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
    const { generate, prompts } = client({ beforeGenerate, maxGenerationsInFlight: 1 });
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

describe("maxGenerationsInFlight", () => {
  test("lets so many out at once, the others in order", async () => {
    const { generate, prompts, answerNext } = client({ maxGenerationsInFlight: 2 });
    const tasks = ["1", "2", "3", "4", "5"].map((prompt) => generate(prompt));
    for (const count of [2, 3, 4, 5]) {
      await expect.poll(() => prompts.length).toBe(count);
      await settled();
      // Of those that are out at once, either may arrive first.
      expect([...prompts].sort()).toEqual(["1", "2", "3", "4", "5"].slice(0, count));
      await answerNext();
    }
    await answerNext();
    expect(await Promise.all(tasks)).toHaveLength(5);
  });

  test("an abort in the queue sends nothing and holds nobody up", async () => {
    const { generate, prompts, answerNext } = client({ maxGenerationsInFlight: 1 });
    const controller = new AbortController();
    const first = generate("1");
    const second = generate("2", controller.signal);
    const third = generate("3");
    await settled();
    controller.abort("enough");
    await expect(second).rejects.toBe("enough");
    await answerNext();
    await first;
    await answerNext();
    await third;
    expect(prompts).toEqual(["1", "3"]);
  });

  test("is at least one", () => {
    for (const maxGenerationsInFlight of [0, -1, Number.NaN])
      expect(() => client({ maxGenerationsInFlight })).toThrow("maxGenerationsInFlight");
  });
});

describe("a generation of unknown outcome tells what was sent", () => {
  const media = createMediaGen({
    baseUrl: "http://localhost",
    retries: 0,
    now: () => 7,
    fetch: async () => new Response("", { status: 500 }),
  });
  const unknown = async (form: object): Promise<OutcomeUnknownError> =>
    // The cast: the test reads what the call must reject with.
    media.video.generate("vidmodelv2", form).catch((error: unknown) => error) as Promise<OutcomeUnknownError>;
  const file = (text: string, name: string, type = "image/png") => new File([text], name, { type });

  test("by when, and by a digest of the form as it was sent", async () => {
    const error = await unknown({ prompt: "A fox\nruns", duration: 5, websearch: true });
    expect(error).toMatchObject({
      name: "OutcomeUnknownError",
      at: 7,
      id: undefined,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await unknown({ websearch: "1", duration: 5, prompt: "A fox\r\nruns" })).digest).toBe(error.digest);
    expect((await unknown({ websearch: true, duration: 10, prompt: "A fox\nruns" })).digest).not.toBe(error.digest);
  });

  test("by the name, type and size of its files, in order, not by their bytes", async () => {
    const of = async (...sourceImage: File[]) => (await unknown({ sourceImage })).digest;
    const digest = await of(file("aa", "1.png"), file("bb", "2.png"));
    expect(await of(file("xx", "1.png"), file("yy", "2.png"))).toBe(digest);
    const others = [
      [file("bb", "2.png"), file("aa", "1.png")],
      [file("aa", "1.png", "image/gif"), file("bb", "2.png")],
      [file("a", "1.png"), file("bb", "2.png")],
    ];
    for (const other of others) expect(await of(...other)).not.toBe(digest);
  });
});

test("what is sent is what was given, whatever becomes of the caller's lists while it waits for its turn", async () => {
  const sent: unknown[] = [];
  const fetch = async (request: Request) => {
    const isForm = request.headers.get("content-type")?.startsWith("multipart/");
    sent.push(
      isForm
        ? (await request.formData()).getAll("sourceImage.items").map((file) => (file as File).name)
        : await request.json(),
    );
    return Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } });
  };
  const apiKey = async () => new Promise<string>((resolve) => setImmediate(resolve, "key"));
  const media = createMediaGen({ baseUrl: "http://localhost", apiKey, fetch, beforeGenerate: apiKey });
  const [sourceImage, taskids] = [[new File(["1"], "1.png")], ["t-1"]];
  const calls = [media.video.generate("vidmodelv2", { sourceImage }), media.video.delete(taskids)];
  sourceImage[0] = new File(["2"], "2.png");
  taskids[0] = "t-2";
  await Promise.all(calls);
  expect(sent).toContainEqual(["1.png"]);
  expect(sent).toContainEqual({ taskids: ["t-1"] });
});
