import {
  type GenerationEntry,
  InvalidRequestError,
  memoryStore,
  type OutcomeUnknownError,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  type FakeOptions,
  forever,
  gate,
  lost,
  rejection,
  type Reply,
  type SharedStore,
  sharedStore,
  success,
} from "./fake-service.ts";

const idsOf = (error: unknown) => {
  const { generationId: id = "", attempt = "" } = error as OutcomeUnknownError;
  return { id, attempt };
};
/** A generation of unknown outcome. */
const unknown = async (store: SharedStore, key = "k") =>
  idsOf(await errorOf(clientOf([lost], { store }).generate(key)));
/** A client whose store has a generation of unknown outcome, with its id and its attempt. */
async function withUnknown(replies: readonly Reply[] = [], options: FakeOptions = {}) {
  const store = sharedStore();
  const ids = await unknown(store);
  return { ...clientOf(replies, { store, ...options }), store, ...ids };
}
const notAllowed = (field: string, text = "") => ({
  issues: [{ field, code: "notAllowed", message: expect.stringContaining(text) }],
});
const isKnown = notAllowed("generationId", "has a known outcome");

describe("resolve", () => {
  test.for([{ taskid: "t-7" }, "notCreated"] as const)(
    "resolves a generation to %o",
    async (resolution) => {
      const { media, generate, sent, id, attempt } = await withUnknown([
        () => created(resolution === "notCreated" ? "t-8" : "t-7"),
      ]);
      expect(await errorOf(generate("k"))).toMatchObject({
        name: "OutcomeUnknownError",
        generationId: id,
        attempt,
      });
      await media.resolve(id, resolution as "notCreated", { attempt });
      expect((await generate("k")).taskid).toBe(resolution === "notCreated" ? "t-8" : "t-7");
      expect(sent()).toBe(1); // One query, or one generation.
    },
  );

  test("rejects a generation that is being sent, by a sender that renews its entry", async () => {
    const store = sharedStore();
    const response = gate<Response>();
    const task = clientOf([() => response.promise], { store }).generate("k");
    await expect.poll(() => store.states()).toContain("sending");
    const { id = "", attempt = "" } = store.written()[0] ?? {};
    const other = clientOf([], { store });
    const error = await errorOf(other.media.resolve(id, "notCreated", { attempt }));
    expect(error).toMatchObject(notAllowed("generationId", "is sending, not unknown"));
    response.resolve(created("t-1"));
    expect((await task).taskid).toBe("t-1");
  });

  test("changes no generation of another service, and ignores the tasks of others", async () => {
    const store = sharedStore();
    const replies = [lost, () => created("t-1")];
    const here = clientOf(replies, { store });
    const there = clientOf(replies, { store, baseUrl: "http://localhost:81" });
    const { id: own } = idsOf(await errorOf(here.generate("1")));
    const { id: foreign, attempt } = idsOf(await errorOf(there.generate("1")));
    await there.generate("2");
    await here.media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "3" });
    expect(await errorOf(here.media.resolve(foreign, "notCreated", { attempt }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(await store.get(foreign)).toMatchObject({ state: "unknown" });
    const task = await here.media.resolve(own, { taskid: "t-1", unverified: true });
    expect(task).toMatchObject({ kind: "image", taskid: "t-1" });
  });

  test("by two people at once, to a task and to none, keeps the task", async () => {
    const { media, generate, id, attempt } = await withUnknown();
    const none = media.resolve(id, "notCreated", { attempt });
    await Promise.all([media.resolve(id, { taskid: "t-1" }), errorOf(none)]);
    expect((await generate("k")).taskid).toBe("t-1");
  });

  describe('to "notCreated" is rejected', () => {
    /** Generations begin at this time, and people look for them so much later. */
    const begin = 1_800_000_000_000;
    const young = { clock: { now: () => begin + 59_000 } };
    const old = { clock: { now: () => begin + 60_000 } };
    const known = () => success({ taskid: "t-1", url: [] });

    test("for an earlier attempt of the key, whose next one may have been billed", async () => {
      const { media, generate, sent, id, attempt } = await withUnknown([lost]);
      await media.resolve(id, "notCreated", { attempt });
      const later = idsOf(await errorOf(generate("k")));
      expect(later).toEqual({ id, attempt: expect.not.stringMatching(attempt) });
      expect(await errorOf(media.resolve(id, "notCreated", { attempt }))).toMatchObject({
        ...notAllowed("attempt", "is not the last attempt"),
        billed: "maybe",
      });
      expect((await media.recover()).unknown).toMatchObject([{ attempt: later.attempt }]);
      expect(await errorOf(generate("k"))).toHaveProperty("name", "OutcomeUnknownError");
      expect(sent()).toBe(1);
    });

    test.for<[string, readonly Reply[], FakeOptions, queries: number]>([
      ["the service knows its task", [known], old, 1],
      ["the service knows its task at the second query", [rejection, known], old, 2],
      ["its task is younger than a minute", [rejection], young, 0],
    ])("if %s", async ([, replies, options, queries]) => {
      const { media, generate, sent, pauses, id, attempt } = await withUnknown(replies, options);
      await media.resolve(id, { taskid: "t-1", unverified: true });
      const error = await errorOf(media.resolve(id, "notCreated", { attempt }));
      expect(error).toMatchObject(notAllowed("resolution", "t-1"));
      expect([sent(), pauses]).toEqual([queries, queries === 2 ? [10_000] : []]);
      expect((await generate("k")).taskid).toBe("t-1");
    });

    test("if the query for its task fails", async () => {
      const { media, id, attempt } = await withUnknown([lost], old);
      await media.resolve(id, { taskid: "t-1", unverified: true });
      const error = await errorOf(media.resolve(id, "notCreated", { attempt }));
      expect(error).toMatchObject({ name: "ServiceError", status: 500, billed: "maybe" });
    });

    test("unless the service rejects its task twice, ten seconds apart", async () => {
      const { media, pauses, sent, id, attempt, store } = await withUnknown([rejection], old);
      await media.resolve(id, { taskid: "t-1", unverified: true });
      await media.resolve(id, "notCreated", { attempt });
      expect(await store.get(id)).toHaveProperty("state", "notCreated");
      expect([sent(), pauses]).toEqual([2, [10_000]]);
    });
  });

  test("keeps the task of an earlier attempt next to the next one's, and reports it", async () => {
    const { media, generate, events, id, attempt } = await withUnknown();
    await media.resolve(id, "notCreated", { attempt });
    const { taskid } = await generate("k");
    const late = await media.resolve(id, { taskid: "t-late" }, { attempt });
    expect(late).toMatchObject({ taskid: "t-late", generationId: attempt });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "lateTask",
        task: expect.objectContaining({ taskid: "t-late" }),
      }),
    );
    // Once more, it is the same task.
    expect(await media.resolve(id, { taskid: "t-late" }, { attempt })).toMatchObject({
      taskid: "t-late",
      generationId: attempt,
    });
    const { tasks } = await media.recover();
    expect(tasks.map((task) => task.taskid).sort()).toEqual([taskid, "t-late"].sort());
    expect((await generate("k")).taskid).toBe(taskid);
  });

  test("can be corrected, and rejects the task of another generation", async () => {
    const { media, generate, id } = await withUnknown();
    for (const taskid of ["t-1", "t-2"]) await media.resolve(id, { taskid });
    expect((await generate("k")).taskid).toBe("t-2");
    const { taskid, generationId = "" } = await generate("k2");
    const ofOther = notAllowed("taskid", "is the task of the generation");
    expect(await errorOf(media.resolve(id, { taskid }))).toMatchObject(ofOther);
    expect(await errorOf(media.resolve(generationId, { taskid: "t-3" }))).toMatchObject(isKnown);
  });

  test("can name another task after the wrong one has ended, and then sends nothing again", async () => {
    const { media, generate, sent, store, id, attempt } = await withUnknown([], {
      classify: () => "succeeded",
    });
    await (await media.resolve(id, { taskid: "t-wrong" })).wait();
    expect(await store.get(id)).toMatchObject({ state: "ended", outcome: "succeeded" });
    expect(await errorOf(media.resolve(id, "notCreated", { attempt }))).toMatchObject(isKnown);
    const invented = { taskid: "t-invented", unverified: true } as const;
    const other = clientOf([rejection], { store });
    expect(await errorOf(other.media.resolve(id, invented))).toMatchObject(notAllowed("taskid"));
    const before = sent();
    await media.resolve(id, { taskid: "t-right" });
    expect((await generate("k")).taskid).toBe("t-right");
    expect([(await media.recover()).tasks, sent() - before]).toMatchObject([
      [{ taskid: "t-right" }],
      1,
    ]);
  });

  test("corrects a task: the end of the wrong one is not recorded as that of the right one", async () => {
    const { media, id } = await withUnknown([() => success({ url: ["http://localhost/1.png"] })]);
    const wrong = await media.resolve(id, { taskid: "t-7", unverified: true });
    await media.resolve(id, { taskid: "t-8", unverified: true });
    await wrong.wait();
    expect((await media.recover()).tasks).toMatchObject([{ taskid: "t-8" }]);
  });

  test("swaps two tasks that were resolved the wrong way round, while no key is free", async () => {
    const { media, generate, sent, store, id: first } = await withUnknown();
    const { id: second } = await unknown(store, "k2");
    const resolve = (id: string, taskid: string) => media.resolve(id, { taskid, unverified: true });
    await resolve(first, "t-2");
    await resolve(second, "t-1");
    await resolve(first, "t-1");
    expect(await errorOf(generate("k2"))).toMatchObject({
      name: "OutcomeUnknownError",
      generationId: second,
    });
    const reason = expect.stringContaining(first);
    expect((await media.recover()).unknown).toMatchObject([{ generationId: second, reason }]);
    await resolve(second, "t-2");
    expect([(await generate("k")).taskid, (await generate("k2")).taskid, sent()]).toEqual([
      "t-1",
      "t-2",
      0,
    ]);
  });

  test("closes the list of a store that it stops reading", async () => {
    const states: string[] = [];
    const memory = memoryStore();
    const list = async function* (filter: Parameters<typeof memory.list>[0]) {
      states.push("opened");
      try {
        yield* memory.list(filter);
      } finally {
        states.push("closed");
      }
    };
    const { media, generate } = clientOf([lost, () => created("t-1")], {
      store: { ...memory, list },
    });
    const { id } = idsOf(await errorOf(generate("order-1")));
    await generate("order-2");
    // The task of another entry: it is found before the list has ended.
    await errorOf(media.resolve(id, { taskid: "t-1" }));
    expect(states).toEqual(["opened", "closed"]);
  });
});

describe("recover", () => {
  test.for<[string, string]>([
    ["with an unknown code", '{"code":1001,"msg":"?","data":{"taskid":"t-9"}}'],
    ["in a rejection", '{"code":9999,"msg":"no","data":{"taskid":"t-9"}}'],
    ["without an envelope", '{"data":{"taskid":"t-9"}}'],
    ["in a text that cannot be read", '{"code":1000,"data":{"taskid": "t-9", "u'],
  ])("offers the task that an unusable response names: %s", async ([, text]) => {
    const store = sharedStore();
    const { generate } = clientOf([() => new Response(text, { status: 429 })], { store });
    expect(await errorOf(generate("k"))).toMatchObject({
      name: "OutcomeUnknownError",
      taskid: "t-9",
    });
    const { media } = clientOf([], { store });
    const [unknown] = (await media.recover()).unknown;
    expect(unknown).toMatchObject({ taskid: "t-9" });
    const { generationId = "", taskid = "" } = unknown ?? {};
    await media.resolve(generationId, { taskid });
    expect((await media.recover()).tasks).toMatchObject([{ taskid: "t-9" }]);
  });

  test("lists tasks until they have ended, and then those that succeeded and have no key", async () => {
    const store = sharedStore();
    let state: "succeeded" | "failed" = "succeeded";
    const { media, generate } = clientOf([], { store, classify: () => state });
    const tasks = [
      await generate(),
      await generate(),
      await generate(),
      await generate("key"),
      await generate(),
    ];
    const [first, second, third, fourth, fifth] = tasks.map(({ taskid }) => taskid);
    const recovered = async () => {
      const { tasks: open, finished, unknown } = await clientOf([], { store }).media.recover();
      return [
        open.map(({ taskid }) => taskid).sort(),
        finished.map(({ taskid }) => taskid),
        unknown,
      ];
    };
    expect(await recovered()).toEqual([[first, second, third, fourth, fifth].sort(), [], []]);
    for (const index of [0, 0, 3]) await tasks[index]?.check();
    await media.image.delete([third ?? ""]);
    state = "failed";
    await tasks[1]?.check();
    expect(await recovered()).toEqual([[fifth], [first], []]);
    expect([await store.forget({ before: 0 }), await store.forget()]).toEqual([0, 3]);
    expect(await recovered()).toEqual([[fifth], [], []]);
    expect((await generate("key")).taskid).toBe(fourth);
    expect(await store.forget({ keyed: true })).toBe(1);
  });

  test("lists tasks although one of another kind or another service with their id was deleted", async () => {
    const store = sharedStore();
    const tasks = [() => created("t-1"), () => created("t-1")];
    const { media, generate } = clientOf([...tasks, () => success({ status: "Success" })], {
      store,
    });
    const other = clientOf(tasks, { store, baseUrl: "http://localhost:81" });
    await other.generate("order-1");
    await generate("order-1");
    await media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "order-2" });
    await media.image.delete(["t-1"]);
    expect((await media.recover()).tasks).toMatchObject([{ kind: "video", taskid: "t-1" }]);
    expect((await other.media.recover()).tasks).toMatchObject([{ kind: "image", taskid: "t-1" }]);
  });

  test("lists generations of unknown outcome, also those whose sender has ended, and none that is being sent", async () => {
    const store = sharedStore();
    await unknown(store, "lost");
    void clientOf([forever], { store }).generate("alive");
    const isAlive = ({ idempotencyKey, state, revision }: GenerationEntry) =>
      idempotencyKey !== "ended" || state !== "sending" || revision < 3;
    store.beforeWrite((entry) => (isAlive(entry) ? undefined : forever()));
    void clientOf([forever], { store }).generate("ended");
    const isSending = (key: string) =>
      store
        .written()
        .some(({ idempotencyKey, state }) => idempotencyKey === key && state === "sending");
    await expect.poll(() => isSending("alive") && isSending("ended")).toBe(true);
    const found = await clientOf([], { store }).media.recover();
    expect(found.unknown.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual([
      "ended",
      "lost",
    ]);
  });
});
