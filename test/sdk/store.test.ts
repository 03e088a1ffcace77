import {
  type GenerationEntry,
  InvalidRequestError,
  memoryStore,
  OutcomeUnknownError,
  StoreError,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  connectionRefused,
  created,
  errorOf,
  fails,
  forever,
  gate,
  idle,
  lost,
  neverSent,
  rejection,
  type Reply,
  sharedStore,
} from "./fake-service.ts";

// The simulator proves that no payment happens twice or is lost, however writes, requests and
// crashes interleave. These are the entries.

describe("a generation is recorded before it is sent, and its outcome after that", () => {
  const unreadable = Object.defineProperty(new Error(), "message", {
    get() {
      throw new TypeError("nobody can read it");
    },
  });
  class SocketError extends Error {
    override name = "SocketError";
  }
  test.for<[string, readonly Reply[], readonly GenerationEntry["state"][]]>([
    ["created", [() => created("t-1")], ["sending", "created"]],
    ["rejected", [rejection], ["sending", "notCreated"]],
    ["never sent", [neverSent, neverSent], ["sending", "claimed", "sending", "notCreated"]],
    [
      "created after a retry delay",
      [neverSent, () => created("t-1")],
      ["sending", "claimed", "sending", "created"],
    ],
    ["lost", [lost], ["sending", "unknown"]],
    [
      "lost, with the key in the response",
      [() => new Response("sk-canary", { status: 500 })],
      ["sending", "unknown"],
    ],
    [
      "lost with an error that has a name of its own",
      [fails(new SocketError("closed"))],
      ["sending", "unknown"],
    ],
    ["lost with an error that cannot be read", [fails(unreadable)], ["sending", "unknown"]],
  ])("if it is %s", async ([, replies, states]) => {
    for (const key of [undefined, "order-1"]) {
      const store = sharedStore();
      const outcome = await errorOf(clientOf(replies, { store, retries: 1 }).generate(key));
      expect(store.states()).toEqual([...(key ? ["claimed"] : []), ...states]);
      const { id, reason } = store.written().at(-1) ?? {};
      if (outcome instanceof OutcomeUnknownError)
        expect(outcome).toMatchObject({ generationId: id, reason });
      expect(store.text()).not.toMatch(/fox|canary/);
      const again = clientOf([], { store });
      const isUnknown = states.at(-1) === "unknown" && key !== undefined;
      expect((await errorOf(again.generate(key))) instanceof OutcomeUnknownError).toBe(isUnknown);
      expect(again.sent()).toBe(isUnknown || (key && states.at(-1) === "created") ? 0 : 1);
    }
  });

  test("with its task", async () => {
    const store = sharedStore();
    const reply = () => {
      expect(store.states()).toEqual(["sending"]);
      return created("t-1");
    };
    const { generate } = clientOf([reply], { store });
    const task = await generate();
    const facts = { kind: "image", model: "imgmodelz", origin: "http://localhost", resultCount: 1 };
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(store.written().at(-1)).toMatchObject({ ...facts, digest, task: task.toJSON() });
    expect(task.generationId).toBe(store.written()[0]?.id);
  });

  test("but not without a key if it is not sent: an invalid form, a veto, an abort", async () => {
    const store = sharedStore();
    const controller = new AbortController();
    const veto = clientOf([], {
      store,
      beforeGenerate: () => Promise.reject(new RangeError("no")),
    });
    expect(await errorOf(veto.generate())).toEqual(new RangeError("no"));
    expect(await errorOf(veto.generate(undefined, 7 as never))).toBeInstanceOf(InvalidRequestError);
    expect(await errorOf(veto.generate(undefined, "A fox", AbortSignal.abort("enough")))).toBe(
      "enough",
    );
    const aborting = clientOf([], { store, beforeGenerate: () => controller.abort("enough") });
    expect(await errorOf(aborting.generate(undefined, "A fox", controller.signal))).toBe("enough");
    expect([store.states(), veto.sent(), aborting.sent()]).toEqual([[], 0, 0]);
  });

  test("as not created if it is aborted while `sending` is being written", async () => {
    const store = sharedStore();
    const controller = new AbortController();
    store.beforeWrite(({ state }) =>
      state === "sending" ? controller.abort("enough") : undefined,
    );
    const { generate, sent } = clientOf([], { store });
    expect(await errorOf(generate("order-1", "A fox", controller.signal))).toBe("enough");
    expect([store.states(), sent()]).toEqual([["claimed", "sending", "notCreated"], 0]);
  });

  test.for([
    ["an error", new Error("enough")],
    ["an error that looks as if nothing was sent", connectionRefused],
    [
      "another call's InvalidRequestError",
      new InvalidRequestError("other", [], "Nothing was sent."),
    ],
  ] as const)(
    "as unknown if it is aborted once it is sent, with %s as the reason",
    async ([, reason]) => {
      const store = sharedStore();
      const controller = new AbortController();
      const reply = () => {
        controller.abort(reason);
        return forever();
      };
      const { generate } = clientOf([reply], { store, retries: 2 });
      expect(await errorOf(generate("order-1", "A fox", controller.signal))).toBeInstanceOf(
        OutcomeUnknownError,
      );
      expect(store.states().at(-1)).toBe("unknown");
    },
  );

  test("and renewed until the response arrives, never as claimed once `sending` is being written", async () => {
    const store = sharedStore();
    const slow = gate();
    const response = gate<Response>();
    store.beforeWrite(({ state }) => (state === "sending" ? slow.promise : undefined));
    const task = clientOf([() => response.promise], { store }).generate("order-1");
    await expect.poll(() => store.states()).toEqual(["claimed"]);
    await idle();
    slow.resolve();
    const { length } = store.written();
    await expect.poll(() => store.written().length).toBeGreaterThan(length + 4);
    response.resolve(created("t-1"));
    await task;
    const before = store.written().length;
    await idle();
    expect([store.states(), store.written().length]).toEqual([
      ["claimed", "sending", "created"],
      before,
    ]);
  });
});

describe("a store that fails", () => {
  const full = (isFull: (entry: GenerationEntry) => boolean) => (entry: GenerationEntry) => {
    if (isFull(entry)) throw new RangeError("the disk is full");
  };

  test("before sending: nothing is sent, and the same key can be used again", async () => {
    const store = sharedStore();
    const { generate, sent } = clientOf([], { store });
    store.beforeWrite(full(({ state }) => state === "claimed" || state === "sending"));
    for (const key of [undefined, "order-1"])
      expect(await errorOf(generate(key))).toBeInstanceOf(StoreError);
    store.beforeWrite(() => undefined);
    await generate("order-1");
    expect(sent()).toBe(1);
  });

  test.for([true, false])(
    "once for each state is written to again, whether or not it stored that: %s",
    async (isStored) => {
      const memory = memoryStore();
      const seen = new Set<string>();
      const write = async (entry: GenerationEntry) => {
        const isFirst = !seen.has(entry.state);
        seen.add(entry.state);
        if (isFirst && isStored) await memory.write(entry);
        if (isFirst) throw new Error("the connection broke");
        return memory.write(entry);
      };
      const { generate, events, sent } = clientOf([], { store: { ...memory, write } });
      const { taskid } = await generate("order-1");
      expect(events.map(({ type }) => type)).toEqual(["generated"]);
      expect([(await clientOf([], { store: memory }).generate("order-1")).taskid, sent()]).toEqual([
        taskid,
        1,
      ]);
    },
  );

  test("although it has written `sending`: nothing is sent, and no outcome is unknown", async () => {
    const memory = memoryStore();
    const write = async (entry: GenerationEntry) => {
      const result = await memory.write(entry);
      if (entry.state === "sending") throw new Error("the connection broke after the commit");
      return result;
    };
    const { generate, media, sent } = clientOf([], { store: { ...memory, write } });
    expect(await errorOf(generate())).toBeInstanceOf(StoreError);
    expect([(await media.recover()).unknown, sent()]).toEqual([[], 0]);
  });

  test("by neither writing nor failing: the generation ends in an error, and nothing is sent", async () => {
    const memory = memoryStore();
    const write = async (entry: GenerationEntry) =>
      entry.state === "claimed"
        ? memory.write(entry)
        : ({ written: false, current: await memory.get(entry.id) } as const);
    const { generate, sent } = clientOf([], { store: { ...memory, write } });
    for (const key of [undefined, "order-1"])
      expect(await errorOf(generate(key))).toBeInstanceOf(StoreError);
    expect(sent()).toBe(0);
  });

  test("after the response, or after its end: the task is returned and reported, and recorded in the background", async () => {
    const store = sharedStore();
    const { generate, events, sent } = clientOf([], { store });
    let isFull = true;
    store.beforeWrite(full(({ state }) => state === "created" && isFull));
    const task = await generate("order-1");
    const failure = {
      type: "storeFailed",
      task: task.toJSON(),
      error: new RangeError("the disk is full"),
    };
    expect(events).toContainEqual(expect.objectContaining(failure));
    expect((await generate("order-1")).taskid).toBe(task.taskid);
    isFull = false;
    await expect.poll(() => store.states()).toContain("created");
    expect((await clientOf([], { store }).generate("order-1")).taskid).toBe(task.taskid);
    expect([sent(), events.some(({ type }) => type === "lateTask")]).toEqual([1, false]);
    store.beforeWrite(full(({ state }) => state === "ended"));
    expect((await task.check()).state).toBe("succeeded");
    expect(events.at(-1)).toMatchObject({
      type: "storeFailed",
      generationId: task.generationId,
      task: undefined,
    });
  });

  test.for<[string, (entry: GenerationEntry) => object]>([
    ["is newer", (entry) => ({ ...entry, version: 2 })],
    ["has no revision", (entry) => ({ ...entry, revision: undefined })],
    ["has no attempt", (entry) => ({ ...entry, attempt: undefined })],
    ["has a list as its model", (entry) => ({ ...entry, model: ["imgmodelz"] })],
    ["has no state", (entry) => ({ ...entry, state: undefined })],
    ["has no task", (entry) => ({ ...entry, task: undefined })],
    ["has a newer task", (entry) => ({ ...entry, task: { ...entry.task, version: 3 } })],
  ])("an entry that %s blocks its key, and no other", async ([, change]) => {
    const memory = memoryStore();
    const first = clientOf([], { store: memory });
    const { generationId: blocked = "" } = await first.generate("order-1");
    const { taskid } = await first.generate("order-2");
    // The cast: what a store returns may be anything.
    const read = (entry?: GenerationEntry) =>
      (entry?.id === blocked ? change(entry) : entry) as typeof entry;
    const list = async function* () {
      for await (const entry of memory.list({ states: ["created"] }))
        if (!("unreadable" in entry)) yield read(entry) ?? entry;
    };
    const get = async (id: string) => read(await memory.get(id));
    const { generate, media, sent } = clientOf([], { store: { ...memory, get, list } });
    const unreadable = { name: "StoreError", billed: "maybe", isRetryable: false };
    expect(await errorOf(generate("order-1"))).toMatchObject(unreadable);
    expect([(await generate("order-2")).taskid, sent()]).toEqual([taskid, 0]);
    await expect(media.resolve(blocked, { taskid: "t-1" })).rejects.toThrow("is not in the store");
    expect(await media.recover()).toMatchObject({
      tasks: [{ taskid }],
      unreadable: [{ id: blocked }],
    });
  });
});

describe("an idempotency key", () => {
  const notAllowed = { issues: [{ field: "idempotencyKey", code: "notAllowed" }] };

  test("belongs to one form, with the bytes of its files, one model, and one service", async () => {
    const store = sharedStore();
    const { generate, media, sent } = clientOf([], { store });
    const options = { idempotencyKey: "k" };
    await generate("k");
    const withFile = (text: string) => {
      const sourceImage = new File(["GIF89a", text], "a.gif", { type: "image/gif" });
      return errorOf(
        media.image.generate(
          "imgmodelv4",
          { prompt: "A fox", sourceImage },
          { idempotencyKey: "file" },
        ),
      );
    };
    for (const _ of [1, 2]) expect(await withFile("1")).toHaveProperty("taskid");
    const others = [
      media.image.generate("imgmodelv5", { prompt: "A fox" }, options),
      media.video.generate("vidmodelv2", { prompt: "A fox" }, options),
      withFile("2"),
    ].map(errorOf);
    for (const error of await Promise.all(others)) expect(error).toMatchObject(notAllowed);
    expect(sent()).toBe(2);
    const elsewhere = clientOf([], { store, baseUrl: "https://elsewhere.example" });
    await elsewhere.generate("k", "A hare");
    expect(elsewhere.sent()).toBe(1);
  });

  test("whose generation was rejected may be used again, also with another form", async () => {
    const { generate, sent } = clientOf([rejection, () => created("t-2")], {
      store: sharedStore(),
    });
    await errorOf(generate("k", "A hare"));
    expect([(await generate("k")).taskid, sent()]).toEqual(["t-2", 2]);
  });

  test("that is claimed elsewhere, by a sender that renews its claim, is not taken over", async () => {
    const store = sharedStore();
    const approval = gate();
    let calls = 0;
    const first = clientOf([], { store, beforeGenerate: () => approval.promise }).generate("k");
    await expect.poll(() => store.states()).toEqual(["claimed"]);
    const other = clientOf([], { store, beforeGenerate: () => void calls++ });
    const second = other.generate("k");
    // It has read the entry several times.
    await expect.poll(() => other.pauses.length).toBeGreaterThan(4);
    approval.resolve();
    expect((await second).taskid).toBe((await first).taskid);
    expect([calls, new Set(store.written().map(({ attempt }) => attempt)).size]).toEqual([0, 1]);
  });

  test("whose generation is being sent elsewhere waits for it, until the call is aborted", async () => {
    const store = sharedStore();
    const response = gate<Response>();
    const first = clientOf([() => response.promise], { store }).generate("k");
    await expect.poll(() => store.states()).toContain("sending");
    const waiting = clientOf([], { store });
    const controller = new AbortController();
    const aborted = errorOf(waiting.generate("k", "A fox", controller.signal));
    const second = waiting.generate("k");
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    response.resolve(created("t-1"));
    expect([(await first).taskid, (await second).taskid, waiting.sent()]).toEqual([
      "t-1",
      "t-1",
      0,
    ]);
  });
});
