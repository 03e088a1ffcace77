import {
  InvalidArgumentError,
  LoadAPIKeyError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { createMediaGenProvider, type MediaGenProviderOptions } from "@mediagen/ai-sdk-provider";
import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, InvalidRequestError, memoryStore } from "@mediagen/sdk";
import {
  experimental_generateVideo as generateVideo,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";
import { afterEach, expect, test, vi } from "vitest";
import { createDesk, type Desk, listenAsEnvironment, png } from "../ai-sdk/desk.ts";
import { errorOf } from "../sdk/fake-service.ts";

type ImageCall = Partial<Parameters<typeof generateImage>[0]>;
type VideoCall = Parameters<typeof generateVideo>[0];

const prompt = "A fox in snow";
const generateOne = ({ mediagen }: Pick<Desk, "mediagen">, more: ImageCall = {}) =>
  generateImage({ model: mediagen.image("imgmodelz"), prompt, size: "32x32", ...more });

afterEach(() => void vi.unstubAllEnvs());

test.for<[string, (options: MediaGenProviderOptions) => MediaGenProviderOptions]>([
  ["its options", (options) => options],
  [
    "its options, inherited as from a class,",
    (options) => Object.create(options) as MediaGenProviderOptions,
  ],
])(
  "the account of %s pays for the calls of a provider, not that of the environment",
  async ([, optionsOf]) => {
    await using environment = await listenAsEnvironment();
    const other = createEmulator({ apiKey: "sk-other-account" });
    const teams = new Set<unknown>();
    const fetch: MediaGenProviderOptions["fetch"] = (url, init) => {
      teams.add(new Headers(init.headers).get("x-team"));
      return other.fetch(url, init as RequestInit);
    };
    const options = optionsOf({ ...other.client, fetch, headers: { "x-team": "foxes" } });
    await generateOne({ mediagen: createMediaGenProvider(options) });
    expect([environment.emulator.charges.length, other.charges.length]).toEqual([0, 1]);
    expect(teams).toContain("foxes");
  },
);

test("the account of the environment at the first call pays if the options name none", async () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", undefined);
  vi.stubEnv("MEDIAGEN_API_KEY", undefined);
  expect(
    LoadAPIKeyError.isInstance(await errorOf(generateOne({ mediagen: createMediaGenProvider() }))),
  ).toBe(true);
  const taskids: string[] = [];
  const mediagen = createMediaGenProvider({ onTask: ({ taskid }) => void taskids.push(taskid) });
  await using environment = await listenAsEnvironment();
  await generateOne({ mediagen });
  expect([taskids.length, taskids]).toEqual([
    1,
    environment.emulator.charges.map(({ taskid }) => taskid),
  ]);
});

const { client } = createEmulator();
const media = createMediaGen(client);
// By its path: a second copy of the SDK, as two versions in one program are.
const copy = (await import("../../packages/sdk/src/index.ts")).createMediaGen(client);
test.for<[string, options: object | string, field: string, says?: RegExp]>([
  ["a key in place of the options", "sk-1", "options"],
  [
    "another spelling of the AI SDK",
    { apiKey: "sk-1", baseURL: "https://a.example" },
    "baseURL",
    /baseUrl\?/,
  ],
  ["an option that resembles none", { quality: "high" }, "quality"],
  ["a key that is undefined", { apiKey: undefined }, "apiKey"],
  ["a key that is null", { ...client, apiKey: null }, "apiKey"],
  ["an empty key", { ...client, apiKey: "" }, "apiKey"],
  ["a URL that is undefined", { apiKey: "sk-1", baseUrl: undefined }, "baseUrl"],
  ["a client that is undefined", { media: undefined }, "media"],
  [
    "a client of another copy of the SDK",
    { media: copy },
    "media",
    /same version of @mediagen\/sdk/,
  ],
  ["a key next to a client", { media, apiKey: "sk-1" }, "apiKey"],
  ["a store next to a client", { media, store: memoryStore() }, "store"],
  ["a misspelled option next to a client", { media, onTasks: () => {} }, "onTasks", /onTask\?/],
  ["a listener that is no function", { media, onTask: "log" }, "onTask"],
  ["a timeout as text", { media, waitTimeoutMs: "5000" }, "waitTimeoutMs"],
])(
  "a provider is rejected before anything can be billed: %s",
  async ([, options, field, says = /./]) => {
    vi.stubEnv("MEDIAGEN_BASE_URL", "http://127.0.0.1:1");
    vi.stubEnv("MEDIAGEN_API_KEY", "sk-environment");
    // The cast: a caller without types may pass anything.
    const creating = Promise.resolve(options as MediaGenProviderOptions).then(
      createMediaGenProvider,
    );
    const error = await errorOf(creating);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ field }], message: expect.stringMatching(says) });
    expect(String(error)).not.toContain("sk-1");
  },
);

const key = { "Idempotency-Key": "order-42" };
const other = { Authorization: "Bearer sk-other-account" };
// The cast: a caller without types may pass anything.
const ofOptions = (idempotencyKey: unknown, more: ImageCall = {}) =>
  ({ ...more, providerOptions: { mediagen: { idempotencyKey } } }) as ImageCall;
test.for<[string, ImageCall, stores: readonly boolean[], says?: RegExp]>([
  ["a key, if the client has no store", { headers: key }, [false], /needs a store/],
  [
    "a key for several tasks, if the client has no store",
    { headers: key, n: 2 },
    [false],
    /needs a store/,
  ],
  ["a key that differs from that of the options", ofOptions("order-43", { headers: key }), [true]],
  ["a header that is an empty key", { headers: { "Idempotency-Key": "" }, n: 2 }, [false, true]],
  ["a key that is undefined", ofOptions(undefined), [false, true]],
  ["a key that is undefined, for several tasks", ofOptions(undefined, { n: 2 }), [false, true]],
  ["a key that is null", ofOptions(null), [false, true]],
  ["a key that is a number, for several tasks", ofOptions(42, { n: 2 }), [false, true]],
  ["another API key", { headers: other }, [false, true], /authorization/],
])(
  "what says who pays, or how often, is rejected before sending: %s",
  async ([, call, stores, says = /idempotency/i]) => {
    for (const hasStore of stores) {
      const desk = createDesk({ client: hasStore ? { store: memoryStore() } : {} });
      const error = await errorOf(generateOne(desk, call));
      expect([InvalidArgumentError.isInstance(error), String(error)]).toEqual([
        true,
        expect.stringMatching(says),
      ]);
      expect(String(error)).not.toContain("sk-other");
      expect(desk.emulator.calls).toEqual([]);
    }
  },
);

test("and for videos, too", async () => {
  const { emulator, mediagen } = createDesk();
  for (const headers of [key, other]) {
    const call = { model: mediagen.video("vidmodelv2"), prompt, headers };
    const calls = [
      generateVideo(call),
      generateVideo({ ...call, poll: { intervalMs: 1 } }),
      startVideo(call),
    ];
    for (const one of calls) expect(InvalidArgumentError.isInstance(await errorOf(one))).toBe(true);
  }
  expect(emulator.calls).toEqual([]);
});

test("the key that the AI SDK makes for a video is not sent without a store, and gives way to one of the options", async () => {
  const { emulator, mediagen } = createDesk();
  await startVideo({ model: mediagen.video("vidmodelv2"), prompt });
  expect(emulator.charges).toHaveLength(1);
  const desk = createDesk({ client: { store: memoryStore() } });
  const providerOptions = { mediagen: { idempotencyKey: "order-42" } };
  const start = () =>
    startVideo({ model: desk.mediagen.video("vidmodelv2"), prompt, providerOptions });
  expect((await start()).operation).toEqual((await start()).operation);
  expect(desk.emulator.charges).toHaveLength(1);
});

const [first, last] = ["first_frame", "last_frame"].map((frameType) => ({ image: png, frameType }));
test.for<[string, frameImages: readonly unknown[]]>([
  ["a second first frame", [first, first]],
  ["a second last frame", [first, last, last]],
  ["a frame of an unknown type", [first, { image: png, frameType: "middle_frame" }]],
  ["a frame without a type", [{ image: png }]],
])("an image that would be dropped is rejected before sending: %s", async ([, frameImages]) => {
  const { emulator, mediagen } = createDesk();
  const call = { model: mediagen.video("vidmodelv2"), prompt, frameImages } as VideoCall;
  for (const error of [await errorOf(generateVideo(call)), await errorOf(startVideo(call))])
    expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true);
  expect(emulator.calls).toEqual([]);
});

// The AI SDK itself replaces an image of the prompt by the first frame, and passes that one as
// both.
test("an image next to another first frame is rejected, and the same one is sent once", async () => {
  const { emulator, mediagen } = createDesk();
  const file = (data: Uint8Array) => ({ type: "file", mediaType: "image/png", data }) as const;
  const frameImages = [{ image: file(png), frameType: "first_frame" }];
  const model = mediagen.video("vidmodelv2");
  // The cast: the AI SDK passes all other settings as undefined.
  const call = (data: Uint8Array) =>
    model.doStart?.({
      prompt,
      n: 1,
      image: file(data),
      frameImages,
      providerOptions: {},
    } as never) ?? expect.fail();
  expect(
    UnsupportedFunctionalityError.isInstance(await errorOf(Promise.resolve(call(png.slice())))),
  ).toBe(true);
  expect(emulator.calls).toEqual([]);
  await call(png);
  expect(emulator.tasks.map(({ files }) => files.length)).toEqual([1]);
});
