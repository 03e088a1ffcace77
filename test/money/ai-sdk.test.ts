import { InvalidArgumentError, LoadAPIKeyError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { createMediaGenProvider, type MediaGenProviderOptions } from "@mediagen/ai-sdk-provider";
import { createEmulator } from "@mediagen/emulator";
import { listen } from "@mediagen/emulator/node";
import { createMediaGen, InvalidRequestError, memoryStore } from "@mediagen/sdk";
import { experimental_generateVideo as generateVideo, experimental_startVideo as startVideo, generateImage } from "ai";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDesk, type Desk, type DeskOptions, errorOf, png } from "../ai-sdk/desk.ts";

type ImageCall = Partial<Parameters<typeof generateImage>[0]>;
type Frames = NonNullable<Parameters<typeof generateVideo>[0]["frameImages"]>;

const prompt = "A fox in snow";

/** Generates one small image. */
const generateOne = ({ mediagen }: Pick<Desk, "mediagen">, more: ImageCall = {}) =>
  generateImage({ model: mediagen.image("imgmodelz"), prompt, size: "32x32", ...more });

/** Makes an emulator the account of the environment. */
async function listenAsEnvironment() {
  const emulator = createEmulator({ clock: { speed: 100 } });
  const server = await listen(emulator);
  vi.stubEnv("MEDIAGEN_BASE_URL", server.baseUrl);
  vi.stubEnv("MEDIAGEN_API_KEY", emulator.client.apiKey);
  return { emulator, close: () => server.close() };
}

afterEach(() => void vi.unstubAllEnvs());

describe("the account that pays for the calls of a provider", () => {
  test.for<[string, (options: MediaGenProviderOptions) => MediaGenProviderOptions]>([
    ["its options", (options) => options],
    ["its options, inherited as from a class,", (options) => Object.create(options) as MediaGenProviderOptions],
  ])("is that of %s, not that of the environment", async ([, optionsOf]) => {
    const environment = await listenAsEnvironment();
    const other = createEmulator({ apiKey: "sk-other-account" });
    const teams = new Set<unknown>();
    const fetch: MediaGenProviderOptions["fetch"] = (url, init) => {
      teams.add(new Headers(init.headers).get("x-team"));
      return other.fetch(url, init as RequestInit);
    };
    try {
      const options = optionsOf({ ...other.client, fetch, headers: { "x-team": "foxes" } });
      await generateOne({ mediagen: createMediaGenProvider(options) });
      expect([environment.emulator.charges.length, other.charges.length]).toEqual([0, 1]);
      expect(teams).toContain("foxes");
    } finally {
      await environment.close();
    }
  });

  test("is that of the environment at the first call, if the options name none", async () => {
    vi.stubEnv("MEDIAGEN_BASE_URL", undefined);
    vi.stubEnv("MEDIAGEN_API_KEY", undefined);
    expect(LoadAPIKeyError.isInstance(await errorOf(generateOne({ mediagen: createMediaGenProvider() })))).toBe(true);
    const taskids: string[] = [];
    const mediagen = createMediaGenProvider({ onTask: ({ taskid }) => void taskids.push(taskid) });
    const { emulator, close } = await listenAsEnvironment();
    try {
      await generateOne({ mediagen });
      expect(taskids).toEqual(emulator.charges.map(({ taskid }) => taskid));
      expect(taskids).toHaveLength(1);
    } finally {
      await close();
    }
  });
});

describe("an option of a provider is rejected before anything can be billed:", () => {
  const { client } = createEmulator();
  const media = createMediaGen(client);
  test.for<[string, options: object | string, field: string, says?: RegExp]>([
    ["a key in place of the options", "sk-1", "options"],
    ["another spelling of the AI SDK", { apiKey: "sk-1", baseURL: "https://a.example" }, "baseURL", /baseUrl\?/],
    ["a misspelled listener", { onTasks: () => {} }, "onTasks"],
    ["an option that resembles none", { quality: "high" }, "quality"],
    ["a key that is undefined", { apiKey: undefined }, "apiKey"],
    ["a key that is null", { ...client, apiKey: null }, "apiKey"],
    ["an empty key", { ...client, apiKey: "" }, "apiKey"],
    ["a URL that is undefined", { apiKey: "sk-1", baseUrl: undefined }, "baseUrl"],
    ["a URL that is null", { apiKey: "sk-1", baseUrl: null }, "baseUrl"],
    ["a client that is undefined", { media: undefined }, "media"],
    ["a client that is null", { media: null }, "media"],
    ["a key next to a client", { media, apiKey: "sk-1" }, "apiKey"],
    ["a store next to a client", { media, store: memoryStore() }, "store"],
    ["a misspelled option next to a client", { media, onTasks: () => {} }, "onTasks", /onTask\?/],
    ["a listener that is no function", { media, onTask: "log" }, "onTask"],
    ["a listener of polls that is no function", { media, onUpdate: null }, "onUpdate"],
    ["a timeout as text", { media, waitTimeoutMs: "5000" }, "waitTimeoutMs"],
    ["a timeout that is no number", { media, waitTimeoutMs: Number.NaN }, "waitTimeoutMs"],
    ["a negative timeout", { media, waitTimeoutMs: -1 }, "waitTimeoutMs"],
  ])("%s", ([, options, field, says = /./]) => {
    vi.stubEnv("MEDIAGEN_BASE_URL", "http://127.0.0.1:1");
    vi.stubEnv("MEDIAGEN_API_KEY", "sk-environment");
    let error: unknown;
    try {
      // The cast: a caller without types may pass anything.
      createMediaGenProvider(options as MediaGenProviderOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ field }], message: expect.stringMatching(says) });
    expect(String(error)).not.toContain("sk-1");
  });
});

describe("a header that says who pays, or how often, is rejected before sending:", () => {
  const withStore = (): DeskOptions => ({ client: { store: memoryStore() } });
  const key = { "Idempotency-Key": "order-42" };
  test.for<[string, ImageCall, DeskOptions, says: RegExp]>([
    ["a key, if the client has no store", { headers: key }, {}, /needs a store/],
    ["a key for several tasks, if the client has no store", { headers: key, n: 2 }, {}, /needs a store/],
    [
      "a key that differs from that of the options",
      { headers: key, providerOptions: { mediagen: { idempotencyKey: "order-43" } } },
      withStore(),
      /key/,
    ],
    ["another API key", { headers: { Authorization: "Bearer sk-other-account" } }, withStore(), /authorization/],
  ])("%s", async ([, call, options, says]) => {
    const desk = createDesk(options);
    const error = await errorOf(generateOne(desk, call));
    expect(InvalidArgumentError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.not.stringContaining("sk-other") });
    expect(desk.emulator.calls).toEqual([]);
  });

  test("for videos, too", async () => {
    const { emulator, mediagen } = createDesk();
    const model = mediagen.video("vidmodelv2");
    for (const headers of [key, { authorization: "Bearer sk-other-account" }]) {
      for (const call of [
        () => generateVideo({ model, prompt, headers }),
        () => generateVideo({ model, prompt, headers, poll: { intervalMs: 1 } }),
        () => startVideo({ model, prompt, headers }),
      ])
        expect(InvalidArgumentError.isInstance(await errorOf(call()))).toBe(true);
    }
    expect(emulator.calls).toEqual([]);
  });

  test("but not the key that the AI SDK makes for a video: it is not sent without a store", async () => {
    const { emulator, mediagen } = createDesk();
    await startVideo({ model: mediagen.video("vidmodelv2"), prompt });
    expect(emulator.charges).toHaveLength(1);
  });

  test("and that key gives way to one of the options", async () => {
    const { emulator, mediagen } = createDesk(withStore());
    const providerOptions = { mediagen: { idempotencyKey: "order-42" } };
    const start = () => startVideo({ model: mediagen.video("vidmodelv2"), prompt, providerOptions });
    expect((await start()).operation).toEqual((await start()).operation);
    expect(emulator.charges).toHaveLength(1);
  });
});

describe("an idempotency key that is present and has no value", () => {
  test.for<[unknown, n: number]>([
    [undefined, 1],
    [undefined, 2],
    [null, 1],
  ])("is rejected before sending: %s, for %i tasks", async ([idempotencyKey, n]) => {
    for (const client of [{}, { store: memoryStore() }]) {
      const desk = createDesk({ client });
      // The cast: a caller without types may pass anything.
      const providerOptions = { mediagen: { idempotencyKey } } as NonNullable<ImageCall["providerOptions"]>;
      const error = await errorOf(generateOne(desk, { n, providerOptions }));
      expect(InvalidArgumentError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ argument: "idempotencyKey" });
      expect(desk.emulator.calls).toEqual([]);
    }
  });
});

describe("an image that would be dropped is rejected before sending:", () => {
  const first = { image: png, frameType: "first_frame" } as const;
  const last = { image: png, frameType: "last_frame" } as const;
  test.for<[string, frameImages: readonly object[]]>([
    ["a second first frame", [first, first]],
    ["a second last frame", [first, last, last]],
    ["a frame of an unknown type", [first, { image: png, frameType: "middle_frame" }]],
    ["a frame without a type", [{ image: png }]],
  ])("%s", async ([, frameImages]) => {
    const { emulator, mediagen } = createDesk();
    const call = { model: mediagen.video("vidmodelv2"), prompt, frameImages: frameImages as Frames };
    for (const error of [await errorOf(generateVideo(call)), await errorOf(startVideo(call))])
      expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true);
    expect(emulator.calls).toEqual([]);
  });

  // The AI SDK itself replaces an image of the prompt by the first frame, and passes that one as both.
  test("an image next to another first frame", async () => {
    const { emulator, mediagen } = createDesk();
    const file = (data: Uint8Array) => ({ type: "file", mediaType: "image/png", data }) as const;
    const call = (image: Uint8Array) =>
      mediagen.video("vidmodelv2").doStart?.({
        prompt,
        n: 1,
        image: file(image),
        frameImages: [{ image: file(png), frameType: "first_frame" }],
        inputReferences: undefined,
        aspectRatio: undefined,
        resolution: undefined,
        duration: undefined,
        fps: undefined,
        seed: undefined,
        generateAudio: undefined,
        providerOptions: {},
      }) ?? Promise.resolve();
    expect(UnsupportedFunctionalityError.isInstance(await errorOf(call(png.slice())))).toBe(true);
    expect(emulator.calls).toEqual([]);
    await call(png);
    expect(emulator.tasks.map(({ files }) => files.length)).toEqual([1]);
  });
});
