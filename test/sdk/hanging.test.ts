import {
  ConnectionError,
  type GenerationEntry,
  type GenerationStore,
  type MediaGen,
  memoryStore,
  type SleepReason,
  StoreError,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  type FakeOptions,
  forever,
  gate,
  sharedStore,
} from "./fake-service.ts";
import { serviceOnAClock } from "./service-on-a-clock.ts";

const enough = new Error("enough");
type Hang = () => Promise<never>;
/** A store that hangs when it is to write this state. */
function hangingAt(state: GenerationEntry["state"], hang: Hang): ReturnType<typeof sharedStore> {
  const store = sharedStore();
  store.beforeWrite((record) => (record.state === state ? hang() : undefined));
  return store;
}
const reading = (get: Hang): GenerationStore => ({ ...memoryStore(), get });
const listing = (next: Hang): GenerationStore => ({
  ...memoryStore(),
  list: () => ({ [Symbol.asyncIterator]: () => ({ next }) }),
});
/** The store has its own limit, which passes. */
const passing = ["pause", "limit"] as const;

type Call = (media: MediaGen, options: object, hang: Hang) => Promise<unknown>;
const generate: Call = ({ image }, options) =>
  image.generate("imgmodelz", { prompt: "A fox" }, options);
const resolve: Call = ({ resolve }, options) =>
  resolve("id", "notCreated", { attempt: "a0", ...options });
const withFile: Call = ({ video }, options, arrayBuffer) => {
  const sourceImage = new Blob(["GIF89a"]);
  sourceImage.slice = () => Object.assign(new Blob(), { arrayBuffer });
  return video.generate("vidmodelv2", { prompt: "A fox", sourceImage }, options);
};

test.for<[string, (hang: Hang) => FakeOptions, Call?]>([
  ["beforeGenerate", (beforeGenerate) => ({ beforeGenerate })],
  ["beforeGenerate, with a store", (beforeGenerate) => ({ beforeGenerate, store: memoryStore() })],
  [
    "a store that does not write `claimed`",
    (hang) => ({ store: hangingAt("claimed", hang), passing }),
  ],
  [
    "a store that does not write `sending`",
    (hang) => ({ store: hangingAt("sending", hang), passing }),
  ],
  ["a store that reads nothing", (get) => ({ store: reading(get) })],
  ["a store that reads nothing for resolve", (get) => ({ store: reading(get) }), resolve],
  [
    "a store that lists nothing",
    (next) => ({ store: listing(next) }),
    ({ recover }, options) => recover(options),
  ],
  ["a file", () => ({}), withFile],
  ["a file, with a store", () => ({ store: memoryStore() }), withFile],
])(
  "an abort ends at once a call that hangs in %s, and nothing is sent",
  async ([, optionsOf, call = generate]) => {
    const controller = new AbortController();
    const reached = gate();
    const { signal } = controller;
    const hang = () => {
      reached.resolve();
      return forever() as Promise<never>;
    };
    const options = optionsOf(hang);
    const { media, sent } = clientOf([], options);
    const key = options.store && call === generate ? { idempotencyKey: "order-1" } : {};
    const ended = errorOf(call(media, { ...key, signal }, hang));
    await reached.promise;
    controller.abort(enough);
    expect(await ended).toBe(enough);
    expect(sent()).toBe(0);
  },
);

test("a generation whose time is over while it is recorded as sending is not sent any more", async () => {
  const reached = gate();
  const held = gate();
  const store = hangingAt("sending", () => {
    reached.resolve();
    return held.promise as Promise<never>;
  });
  let clock = 0;
  // Only the time of the generation passes, once, and not that of the store.
  const sleep = async (ms: number, _: AbortSignal, reason: SleepReason) => {
    await (reason === "limit" && ms <= 5_000 && clock === 0 ? reached.promise : forever());
    clock += ms;
  };
  const { generate, sent } = clientOf([], {
    store,
    clock: { now: () => clock, sleep },
    generateTimeoutMs: 5_000,
  });
  const generating = errorOf(generate("order-1"));
  await expect.poll(() => clock).toBe(5_000);
  held.resolve();
  expect(await generating).toBeInstanceOf(ConnectionError);
  expect(sent()).toBe(0);
});

test("a claim that is recorded after the abort is given back: the next generation of its key need not wait", async () => {
  const reached = gate();
  const held = gate();
  const store = hangingAt("claimed", () => {
    reached.resolve();
    return held.promise as Promise<never>;
  });
  const controller = new AbortController();
  const generating = errorOf(
    clientOf([], { store }).generate("order-1", "A fox", controller.signal),
  );
  await reached.promise;
  controller.abort(enough);
  expect(await generating).toBe(enough);
  held.resolve();
  await expect.poll(() => store.states()).toEqual(["claimed", "notCreated"]);
});

describe("a store that hangs", () => {
  test.for<[string, GenerationStore]>([
    ["writes `claimed`", hangingAt("claimed", forever as Hang)],
    ["writes `sending`", hangingAt("sending", forever as Hang)],
    ["reads", reading(forever as Hang)],
  ])("while it %s counts as failed, and nothing is sent", async ([, store]) => {
    const { generate, sent } = clientOf([], { store, passing });
    expect(await errorOf(generate("order-1"))).toBeInstanceOf(StoreError);
    expect(sent()).toBe(0);
  });

  test("while it lists counts as failed; one that takes its time for each entry does not", async () => {
    const memory = memoryStore();
    for (const key of ["order-1", "order-2", "order-3"])
      await clientOf([], { store: memory }).generate(key);
    let hangs = false;
    const list = async function* (filter: Parameters<typeof memory.list>[0]) {
      for await (const one of memory.list(filter)) {
        await sleep(10_000);
        yield one;
      }
      if (hangs) await forever();
    };
    const { media, pass, sleep } = serviceOnAClock(() => "lost", { store: { ...memory, list } });
    expect((await pass(media.recover())).tasks).toHaveLength(3);
    hangs = true;
    await expect(pass(media.recover())).rejects.toThrow(/longer than 15 s/);
  });

  test.for([
    ["after some time", 60_000],
    ["at an abort", 5_000],
  ] as const)(
    "once the task is billed does not keep it: it is returned %s",
    async ([when, mostMs]) => {
      const reached = gate();
      const store = hangingAt("created", () => {
        reached.resolve();
        return forever() as Promise<never>;
      });
      const { generate, sent, events, now } = clientOf([() => created("t-1")], { store, passing });
      const controller = new AbortController();
      const generating = generate("order-1", "A fox", controller.signal);
      await reached.promise;
      const begin = now();
      if (when === "at an abort") controller.abort(enough);
      const task = await generating;
      expect(now() - begin).toBeLessThan(mostMs);
      expect(task).toMatchObject({ taskid: "t-1", generationId: expect.any(String) });
      const event = expect.objectContaining({ type: "storeFailed", task: task.toJSON() }) as object;
      await expect.poll(() => events).toContainEqual(event);
      expect(sent()).toBe(1);
    },
  );
});
