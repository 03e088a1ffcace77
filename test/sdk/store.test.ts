import {
  InvalidRequestError,
  OutcomeUnknownError,
  StoreError,
  type GenerationRecord,
  memoryStore,
} from "@mediagen/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  forever,
  gate,
  lost,
  neverSent,
  rejection,
  sharedStore,
  success,
} from "./fake-service.ts";

describe("races", () => {
  test("a sender that is paused before it writes `sending`, and whose claim is taken over, does not send", async () => {
    const store = sharedStore();
    const paused = gate();
    const reached = gate();
    const [slow, fast] = [clientOf([], { store: store }), clientOf([], { store: store })];
    let first = true;
    store.beforeWrite(async ({ state }) => {
      if (state !== "sending" || !first) return undefined;
      first = false;
      reached.resolve();
      return paused.promise;
    });
    const slowTask = slow.generate("order-1");
    await reached.promise;
    // The claim is not renewed while its sender is paused: another client takes it for silent.
    const task = await fast.generate("order-1");
    paused.resolve();
    expect((await slowTask).taskid).toBe(task.taskid);
    expect([slow.sent(), fast.sent()]).toEqual([0, 1]);
  });

  test("a stale sender removes nothing that another attempt has written: a failure is a state, not a removal", async () => {
    const store = sharedStore();
    const answer = gate<Response>();
    const slow = clientOf([() => answer.promise], { store });
    const fast = clientOf([], { store });
    const slowTask = errorOf(slow.generate("order-1"));
    await expect.poll(() => store.states()).toContain("sending");
    const [record] = store.written();
    // Its sender is alive, so it cannot be resolved; a person who is sure waits until it is silent.
    await expect(fast.media.resolve(record?.id ?? "", "notCreated")).rejects.toMatchObject({
      issues: [
        { field: "generationId", code: "notAllowed", message: expect.stringContaining("is sending, not unknown") },
      ],
    });
    store.beforeWrite(({ attempt, state }) => {
      if (attempt === record?.attempt && state === "sending") throw new Error("the network of this sender is down");
    });
    await fast.media.resolve(record?.id ?? "", "notCreated");
    const task = await fast.generate("order-1");
    answer.resolve(rejection());
    expect(await slowTask).toMatchObject({ name: "ServiceError" });
    // The rejection belongs to the first attempt: the key still stands for the task of the second.
    expect((await clientOf([], { store }).generate("order-1")).taskid).toBe(task.taskid);
    expect(fast.sent()).toBe(1);
  });

  /** A generation that is being sent, by a sender that can renew its record no more, and another client of its store. */
  async function silentSender() {
    const store = sharedStore();
    const response = gate<Response>();
    const slow = clientOf([() => response.promise], { store });
    const slowTask = errorOf(slow.generate("order-1"));
    await expect.poll(() => store.states()).toContain("sending");
    const { id = "", attempt } = store.written()[0] ?? {};
    store.beforeWrite((record) => {
      if (record.attempt === attempt && record.state === "sending") throw new Error("the network is down");
    });
    return { store, slow, slowTask, respond: response.resolve, id };
  }

  test("a rejection that arrives after a person has resolved the generation to a task does not free its key", async () => {
    const { store, slowTask, respond, id } = await silentSender();
    const other = clientOf([], { store });
    await errorOf(other.generate("order-1"));
    await other.media.resolve(id, { taskid: "t-7", unverified: true });
    respond(rejection());
    await slowTask;
    expect((await other.generate("order-1")).taskid).toBe("t-7");
    expect(other.sent()).toBe(0);
  });

  test("a task that arrives while another attempt is being sent is kept, next to the record of that attempt", async () => {
    const { store, slow, slowTask, respond, id } = await silentSender();
    const response = gate<Response>();
    const later = clientOf([() => response.promise], { store });
    await errorOf(later.generate("order-1"));
    await later.media.resolve(id, "notCreated");
    const laterTask = later.generate("order-1");
    await expect.poll(() => store.states().at(-1)).toBe("sending");
    respond(created("t-1"));
    expect(await slowTask).toMatchObject({ taskid: "t-1" });
    expect(slow.events.find(({ type }) => type === "lateTask")).toMatchObject({ task: { taskid: "t-1" } });
    expect(await store.get(id)).toMatchObject({ state: "sending" });
    response.resolve(created("t-2"));
    expect((await laterTask).taskid).toBe("t-2");
    expect((await slow.media.recover()).tasks.map(({ taskid }) => taskid).toSorted()).toEqual(["t-1", "t-2"]);
    expect(later.events.map(({ type }) => type)).not.toContain("lateTask");
  });

  test("a client does not take its own generation for lost, even if its record cannot be renewed", async () => {
    const { store, slow, slowTask, respond } = await silentSender();
    expect((await slow.media.recover()).unknown).toEqual([]);
    expect(store.states().at(-1)).toBe("sending");
    respond(created("t-1"));
    expect(await slowTask).toMatchObject({ taskid: "t-1" });
  });

  test("a task whose record was stored by writes that seemed to fail is listed once", async () => {
    const memory = memoryStore();
    let failures = 2;
    const write = async (record: GenerationRecord) => {
      const result = await memory.write(record);
      if (record.state === "created" && failures-- > 0) throw new Error("no response");
      return result;
    };
    const { generate, media, events } = clientOf([], { store: { ...memory, write } });
    const task = await generate("order-1");
    await expect.poll(async () => (await media.recover()).tasks.map(({ taskid }) => taskid)).toEqual([task.taskid]);
    expect(events.map(({ type }) => type)).not.toContain("lateTask");
  });

  test("a deletion ends no task of another kind or another service that has the same id", async () => {
    const store = sharedStore();
    const replies = [() => created("t-1"), () => created("t-1"), () => success({ status: "Success" })];
    const { media } = clientOf(replies, { store });
    const other = clientOf([() => created("t-1")], { store, baseUrl: "http://localhost:81" });
    await other.generate("order-1");
    await media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "order-1" });
    await media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "order-2" });
    await media.image.delete(["t-1"]);
    expect((await media.recover()).tasks).toMatchObject([{ kind: "video", taskid: "t-1" }]);
    expect((await other.media.recover()).tasks).toMatchObject([{ kind: "image", taskid: "t-1" }]);
  });

  test("a sender that was taken for dead frees its key once the service has rejected its form", async () => {
    const { store, slowTask, respond } = await silentSender();
    const other = clientOf([], { store });
    expect(await errorOf(other.generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
    respond(rejection());
    expect(await slowTask).toMatchObject({ name: "ServiceError" });
    expect(store.states()).toEqual(["claimed", "sending", "unknown", "notCreated"]);
    await other.generate("order-1");
    expect(other.sent()).toBe(1);
  });

  test("a sender that was paused since its key was forgotten overwrites no later attempt of the same number", async () => {
    const store = sharedStore();
    const [paused, reached, veto] = [gate(), gate(), gate()];
    let attempt: string | undefined;
    store.beforeWrite((record) => {
      attempt ??= record.attempt;
      if (record.attempt !== attempt || record.revision < 3) return undefined;
      reached.resolve();
      return paused.promise;
    });
    const slow = clientOf([], { store, beforeGenerate: () => veto.promise });
    const slowTask = errorOf(slow.generate("order-1"));
    await reached.promise;
    // Its claim is taken over and refused; the key is forgotten and used again.
    expect(await errorOf(clientOf([rejection], { store }).generate("order-1"))).toMatchObject({ name: "ServiceError" });
    expect(await store.forget({ keyed: true })).toBe(1);
    const answer = gate<Response>();
    const later = clientOf([() => answer.promise], { store });
    store.beforeWrite((record) => {
      if (record.attempt === attempt) return paused.promise;
      if (record.state === "sending" && record.revision > 2) throw new Error("not renewed");
      return undefined;
    });
    const task = later.generate("order-1");
    await expect.poll(() => store.written().at(-1)).toMatchObject({ state: "sending", revision: 2 });
    paused.resolve();
    veto.resolve();
    await slowTask;
    answer.resolve(created("t-later"));
    expect((await task).taskid).toBe("t-later");
    expect([slow.sent(), later.sent()]).toEqual([0, 1]);
  });

  test("of two processes that see a silent claim, one takes it over", async () => {
    const store = sharedStore();
    store.beforeWrite(({ state }) => (state === "sending" ? forever() : undefined));
    void clientOf([], { store }).generate("order-1");
    await expect.poll(() => store.states()).toEqual(["claimed"]);
    store.beforeWrite(() => undefined);
    const others = [clientOf([], { store }), clientOf([], { store })];
    const tasks = await Promise.all(others.map(({ generate }) => generate("order-1")));
    expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(1);
    expect(others.reduce((sum, { sent }) => sum + sent(), 0)).toBe(1);
  });

  test("whatever the order of writes, reads and responses, one task is created and no two requests are out at once", async () => {
    const outcome = fc.constantFrom("created" as const, "rejected" as const);
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { maxLength: 3 }), fc.scheduler(), async (outcomes, scheduler) => {
        const memory = memoryStore();
        const later = <T>(what: string, next: () => Promise<T>) =>
          scheduler.schedule(Promise.resolve(), what).then(next);
        const store = {
          ...memory,
          write: (record: GenerationRecord) =>
            later(`write ${record.state}`, () => memory.write(record)).then((result) =>
              later("written", async () => result),
            ),
          get: (id: string) => later("get", () => memory.get(id)).then((record) => later("got", async () => record)),
        };
        let [out, most, paid] = [0, 0, 0];
        const fetch = async () => {
          most = Math.max(most, ++out);
          const refused = outcomes.shift() === "rejected";
          await later("response", async () => undefined);
          out--;
          return refused ? rejection() : created(`t-${++paid}`);
        };
        const calls = Array.from({ length: 3 }, () => errorOf(clientOf([], { store, fetch }).generate("k")));
        await scheduler.waitFor(Promise.all(calls));
        const results = await Promise.all(calls);
        const taskids = results.flatMap((result) =>
          result instanceof Error ? [] : (result as { taskid: string }).taskid,
        );
        expect(most).toBeLessThan(2);
        expect(paid).toBeLessThan(2);
        expect(new Set(taskids).size).toBe(paid);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a task that arrives late", () => {
  test("after its generation was taken for unknown is returned, recorded and reported", async () => {
    const store = sharedStore();
    const answer = gate<Response>();
    const slow = clientOf([() => answer.promise], { store });
    const other = clientOf([], { store });
    const task = slow.generate("order-1");
    await expect.poll(() => store.states()).toContain("sending");
    const attempt = store.written()[0]?.attempt;
    store.beforeWrite((record) => {
      if (record.attempt === attempt && record.state === "sending") throw new Error("it cannot renew");
    });
    expect(await errorOf(other.generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
    answer.resolve(created("t-late"));
    expect((await task).taskid).toBe("t-late");
    expect(slow.events).toContainEqual(expect.objectContaining({ type: "lateTask" }));
    expect((await other.generate("order-1")).taskid).toBe("t-late");
    expect([slow.sent(), other.sent()]).toEqual([1, 0]);
  });

  test("after a caller said that there is none is kept; and next to another attempt's task it gets a record of its own", async () => {
    for (const isSentAgain of [false, true]) {
      const store = sharedStore();
      const answer = gate<Response>();
      const slow = clientOf([() => answer.promise], { store });
      const other = clientOf([() => created("t-other")], { store });
      const task = slow.generate("order-1");
      await expect.poll(() => store.states()).toContain("sending");
      const { attempt, id } = store.written()[0] ?? {};
      store.beforeWrite((record) => {
        if (record.attempt === attempt && record.state === "sending" && record.revision > 2) throw new Error("paused");
      });
      await other.media.resolve(id ?? "", "notCreated");
      if (isSentAgain) await other.generate("order-1");
      answer.resolve(created("t-late"));
      expect((await task).taskid).toBe("t-late");
      expect(slow.events).toContainEqual(expect.objectContaining({ type: "lateTask" }));
      const { tasks } = await other.media.recover();
      const taskids = tasks.map(({ taskid }) => taskid).sort();
      expect(taskids).toEqual(isSentAgain ? ["t-late", "t-other"] : ["t-late"]);
      expect((await other.generate("order-1")).taskid).toBe(isSentAgain ? "t-other" : "t-late");
    }
  });
});

describe("a generation is recorded before it is sent, and what became of it after", () => {
  test("as a task, without the form and without the key", async () => {
    const store = sharedStore();
    const { generate } = clientOf([() => (expect(store.states()).toEqual(["sending"]), created("t-1"))], { store });
    const task = await generate();
    expect(store.states()).toEqual(["sending", "created"]);
    expect(store.written().at(-1)).toMatchObject({
      kind: "image",
      model: "imgmodelz",
      origin: "http://localhost",
      resultCount: 1,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      task: task.toJSON(),
    });
    expect(task.generationId).toBe(store.written()[0]?.id);
    expect(store.text()).not.toMatch(/fox|canary/);
  });

  test.for([
    ["rejected", rejection, "notCreated"],
    ["never sent", neverSent, "notCreated"],
    ["lost", lost, "unknown"],
    ["lost, with the key in the response", () => new Response("sk-canary", { status: 500 }), "unknown"],
  ] as const)("as %s", async ([, reply, state]) => {
    for (const key of [undefined, "order-1"]) {
      const store = sharedStore();
      const error = await errorOf(clientOf([reply], { store }).generate(key));
      expect(store.states()).toEqual([...(key ? ["claimed"] : []), "sending", state]);
      const { id, reason } = store.written().at(-1) ?? {};
      if (error instanceof OutcomeUnknownError) expect(error).toMatchObject({ generationId: id, reason });
      expect(store.text()).not.toMatch(/fox|canary/);
    }
  });

  test("a retry delay is sat out as claimed, because nothing of it was sent", async () => {
    const store = sharedStore();
    const { generate } = clientOf([neverSent, () => created("t-1")], { store, retries: 1 });
    await generate("order-1");
    expect(store.states()).toEqual(["claimed", "sending", "claimed", "sending", "created"]);
  });

  test("but nothing is recorded without a key if it is not sent: a bad form, a veto, an abort", async () => {
    const store = sharedStore();
    const { media, generate } = clientOf([], { store, beforeGenerate: () => Promise.reject(new Error("no")) });
    await errorOf(generate());
    await errorOf(media.image.generate("imgmodelz", {} as { prompt: string }));
    await errorOf(media.image.generate("imgmodelz", { prompt: "A fox" }, { signal: AbortSignal.abort() }));
    const controller = new AbortController();
    const { signal } = controller;
    const aborting = clientOf([], { store, beforeGenerate: () => controller.abort("enough") });
    await expect(aborting.media.image.generate("imgmodelz", { prompt: "A fox" }, { signal })).rejects.toBe("enough");
    expect([store.states(), aborting.sent()]).toEqual([[], 0]);
  });

  test("as not created if it is aborted while it is being recorded as sending", async () => {
    const store = sharedStore();
    const controller = new AbortController();
    store.beforeWrite(({ state }) => (state === "sending" ? controller.abort("enough") : undefined));
    const { media, sent } = clientOf([], { store });
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    await expect(media.image.generate("imgmodelz", { prompt: "A fox" }, options)).rejects.toBe("enough");
    expect([store.states(), sent()]).toEqual([["claimed", "sending", "notCreated"], 0]);
  });

  test("as unknown if what is thrown while it is sent cannot be judged", async () => {
    const store = sharedStore();
    const broken = Object.defineProperty(new Error(), "message", {
      get() {
        throw new TypeError("nobody can read it");
      },
    });
    const { generate, sent } = clientOf([() => Promise.reject(broken)], { store });
    await errorOf(generate("order-1"));
    expect(store.states()).toEqual(["claimed", "sending", "unknown"]);
    expect(await errorOf(generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
    expect(sent()).toBe(1);
  });

  test("as unknown, with the cause, if the engine's error has a name of its own", async () => {
    const store = sharedStore();
    class SocketError extends Error {
      override name = "SocketError";
    }
    const error = await errorOf(clientOf([() => Promise.reject(new SocketError("closed"))], { store }).generate());
    expect(error).toMatchObject({ name: "OutcomeUnknownError", cause: { name: "SocketError", message: "closed" } });
    expect(store.states()).toEqual(["sending", "unknown"]);
  });

  test("and a renewal that waits behind the write of `sending` does not record as claimed what is sent", async () => {
    const store = sharedStore();
    const [slow, answer] = [gate(), gate<Response>()];
    store.beforeWrite(({ state }) => (state === "sending" ? slow.promise : undefined));
    const { generate } = clientOf([() => answer.promise], { store });
    const task = generate("order-1");
    await expect.poll(() => store.states()).toEqual(["claimed"]);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    slow.resolve();
    await expect.poll(() => store.written().length).toBeGreaterThan(4);
    answer.resolve(created("t-1"));
    await task;
    expect(store.states()).toEqual(["claimed", "sending", "created"]);
  });

  test("and a sender renews its record until its response arrives", async () => {
    const store = sharedStore();
    const answer = gate<Response>();
    const { generate } = clientOf([() => answer.promise], { store });
    const task = generate();
    await expect.poll(() => store.written().length).toBeGreaterThan(4);
    answer.resolve(created("t-1"));
    await task;
    const { length } = store.written();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(store.written()).toHaveLength(length);
  });
});

describe("an abort after the request has left", () => {
  const looksUnsent = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
  test.for([
    ["an error without meaning", new Error("enough")],
    ["an error that looks as if nothing was sent", new TypeError("fetch failed", { cause: looksUnsent })],
    ["another call's InvalidRequestError", new InvalidRequestError("other", [], "Nothing was sent.")],
  ] as const)("leaves the outcome unknown, with %s as its reason", async ([, reason]) => {
    const store = sharedStore();
    const controller = new AbortController();
    const { media } = clientOf([() => (controller.abort(reason), forever())], { store, retries: 2 });
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    const error = await errorOf(media.image.generate("imgmodelz", { prompt: "A fox" }, options));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(store.states().at(-1)).toBe("unknown");
    const again = clientOf([], { store });
    expect(await errorOf(again.generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
    expect(again.sent()).toBe(0);
  });
});

test("a resolution that comes at the same moment as the task itself loses neither", async () => {
  const store = sharedStore();
  const answer = gate<Response>();
  const slow = clientOf([() => answer.promise], { store });
  const other = clientOf([], { store });
  const task = slow.generate("order-1");
  await expect.poll(() => store.states()).toContain("sending");
  const { attempt, id = "" } = store.written()[0] ?? {};
  store.beforeWrite((record) => {
    if (record.attempt === attempt && record.state === "sending") throw new Error("it cannot renew");
  });
  await errorOf(other.generate("order-1"));
  // The late task is about to follow `unknown` when a person resolves the same revision.
  let resolved = false;
  store.beforeWrite(async (record) => {
    if (resolved || record.task?.taskid !== "t-paid" || record.revision !== ((await store.get(id))?.revision ?? 0) + 1)
      return;
    resolved = true;
    await other.media.resolve(id, { taskid: "t-wrong", unverified: true });
  });
  answer.resolve(created("t-paid"));
  expect((await task).taskid).toBe("t-paid");
  expect(resolved).toBe(true);
  const { tasks } = await clientOf([], { store }).media.recover();
  expect(tasks.map(({ taskid }) => taskid).sort()).toEqual(["t-paid", "t-wrong"]);
});

describe("a store that fails", () => {
  test("before sending: nothing is sent, and the same key can be used again", async () => {
    const store = sharedStore();
    const { generate, sent } = clientOf([], { store });
    store.beforeWrite(({ state }) => {
      if (state === "claimed" || state === "sending") throw new RangeError("the disk is full");
    });
    for (const key of [undefined, "order-1"]) expect(await errorOf(generate(key))).toBeInstanceOf(StoreError);
    store.beforeWrite(() => undefined);
    await generate("order-1");
    expect(sent()).toBe(1);
  });

  test("although the write has happened: the attempt recognizes its own record", async () => {
    const memory = memoryStore();
    let failures = 0;
    const store = {
      ...memory,
      async write(record: GenerationRecord) {
        const result = await memory.write(record);
        if (failures++ % 2 === 0) throw new Error("the connection broke after the commit");
        return result;
      },
    };
    const { generate, sent } = clientOf([], { store });
    const task = await generate("order-1");
    expect((await generate("order-1")).taskid).toBe(task.taskid);
    expect(sent()).toBe(1);
  });

  test("after the response: the task is returned, an event says so, and it is recorded in the background", async () => {
    const store = sharedStore();
    const { generate, events, sent } = clientOf([], { store });
    let isFull = true;
    store.beforeWrite(({ state }) => {
      if (state === "created" && isFull) throw new RangeError("the disk is full");
    });
    const task = await generate("order-1");
    const failure = { type: "storeFailed", task: task.toJSON(), error: new RangeError("the disk is full") };
    expect(events).toContainEqual(expect.objectContaining(failure));
    expect((await generate("order-1")).taskid).toBe(task.taskid);
    isFull = false;
    await expect.poll(() => store.states()).toContain("created");
    expect((await clientOf([], { store }).generate("order-1")).taskid).toBe(task.taskid);
    expect(sent()).toBe(1);
  });

  test("with a record that it cannot read, or that is newer, blocks this key and no other", async () => {
    const memory = memoryStore();
    let broken: Partial<GenerationRecord> | Error = new SyntaxError("Unexpected token");
    let blocked = "";
    const store = {
      ...memory,
      async get(id: string) {
        if (id !== blocked) return memory.get(id);
        if (broken instanceof Error) throw broken;
        return broken as GenerationRecord;
      },
    };
    const { generate, sent } = clientOf([], { store });
    blocked = (await generate("order-1")).generationId ?? "";
    const unreadable = { name: "StoreError", billed: "maybe", isRetryable: false };
    expect(await errorOf(generate("order-1"))).toMatchObject(unreadable);
    broken = { ...(await memory.get(blocked)), version: 2 as 1 };
    expect(await errorOf(generate("order-1"))).toMatchObject(unreadable);
    for (const lacking of ["revision", "attempt", "state"] as const) {
      broken = { ...(await memory.get(blocked)), [lacking]: undefined };
      expect(await errorOf(generate("order-1"))).toMatchObject(unreadable);
    }
    broken = { ...(await memory.get(blocked)), task: undefined };
    expect(await errorOf(generate("order-1"))).toMatchObject(unreadable);
    await generate("order-2");
    expect(sent()).toBe(2);
  });
});

describe("an idempotency key", () => {
  test("stands for one task: in this client, in another, and at the same time", async () => {
    const store = sharedStore();
    const [a, b] = [clientOf([], { store }), clientOf([], { store })];
    const tasks = await Promise.all([a.generate("k"), a.generate("k"), b.generate("k"), b.generate("k")]);
    tasks.push(await a.generate("k"), await clientOf([], { store }).generate("k"));
    expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(1);
    expect(a.sent() + b.sent()).toBe(1);
    expect((await a.generate("other")).taskid).not.toBe(tasks[0]?.taskid);
  });

  test("stands for one form and one model", async () => {
    const { generate, media, sent } = clientOf([], { store: sharedStore() });
    await generate("k");
    const idempotencyKey = "k";
    await expect(generate("k", "A hare")).rejects.toMatchObject({
      issues: [{ field: "idempotencyKey", code: "notAllowed" }],
    });
    await expect(media.image.generate("imgmodelv5", { prompt: "A fox" }, { idempotencyKey })).rejects.toMatchObject({
      issues: [{ field: "idempotencyKey", code: "notAllowed" }],
    });
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey })).rejects.toBeInstanceOf(
      InvalidRequestError,
    );
    expect(sent()).toBe(1);
  });

  test("covers the bytes of files", async () => {
    const { media, sent } = clientOf([], { store: sharedStore() });
    const generate = (byte: number) => {
      const sourceImage = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, byte])], "a.png", {
        type: "image/png",
      });
      return media.image.generate("imgmodelv4", { prompt: "A fox", sourceImage }, { idempotencyKey: "k" });
    };
    await generate(1);
    await generate(1);
    await expect(generate(2)).rejects.toMatchObject({ issues: [{ field: "idempotencyKey", code: "notAllowed" }] });
    expect(sent()).toBe(1);
  });

  test("stands for a task at one service", async () => {
    const store = sharedStore();
    await clientOf([], { store }).generate("k");
    const elsewhere = clientOf([], { store, baseUrl: "https://elsewhere.example" });
    await elsewhere.generate("k", "A hare");
    expect(elsewhere.sent()).toBe(1);
  });

  test("needs a store, and is a text", async () => {
    const { generate, sent } = clientOf();
    await expect(generate("k")).rejects.toMatchObject({ issues: [{ field: "idempotencyKey" }] });
    await expect(clientOf([], { store: sharedStore() }).generate("")).rejects.toMatchObject({
      issues: [{ field: "idempotencyKey" }],
    });
    expect(sent()).toBe(0);
  });

  test("whose generation was refused may be used again, also with another form", async () => {
    const { generate, sent } = clientOf([rejection, () => created("t-2")], { store: sharedStore() });
    await errorOf(generate("k", "A hare"));
    expect((await generate("k")).taskid).toBe("t-2");
    expect(sent()).toBe(2);
  });

  test("that is claimed elsewhere, by a sender that renews its claim, is not taken over", async () => {
    const store = sharedStore();
    const approval = gate();
    let asked = 0;
    const first = clientOf([], { store, beforeGenerate: () => approval.promise }).generate("k");
    await expect.poll(() => store.states()).toEqual(["claimed"]);
    const other = clientOf([], { store, beforeGenerate: () => void asked++ });
    const second = other.generate("k");
    // It has looked several times.
    await expect.poll(() => other.pauses.length).toBeGreaterThan(4);
    approval.resolve();
    expect((await second).taskid).toBe((await first).taskid);
    expect([asked, new Set(store.written().map(({ attempt }) => attempt)).size]).toEqual([0, 1]);
  });

  test("whose generation is running elsewhere waits for it, until the call is aborted", async () => {
    const store = sharedStore();
    const answer = gate<Response>();
    const running = clientOf([() => answer.promise], { store });
    const first = running.generate("k");
    await expect.poll(() => store.states()).toContain("sending");
    const waiting = clientOf([], { store });
    const controller = new AbortController();
    const options = { idempotencyKey: "k", signal: controller.signal };
    const aborted = waiting.media.image.generate("imgmodelz", { prompt: "A fox" }, options);
    const second = waiting.generate("k");
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    answer.resolve(created("t-1"));
    expect([(await first).taskid, (await second).taskid, waiting.sent()]).toEqual(["t-1", "t-1", 0]);
  });
});

describe("resolve", () => {
  const unknown = async (store: ReturnType<typeof sharedStore>) => {
    const error = await errorOf(clientOf([lost], { store }).generate("k"));
    return (error as OutcomeUnknownError).generationId ?? "";
  };

  test("changes no generation of another service, and takes no task of one for that of this one", async () => {
    const store = sharedStore();
    const [here, there] = [clientOf([lost, () => created("t-1")], { store }), "http://localhost:81"];
    const other = clientOf([lost, () => created("t-1")], { store, baseUrl: there });
    const [own, foreign] = [await errorOf(here.generate("1")), await errorOf(other.generate("1"))];
    await other.generate("2");
    await here.media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "3" });
    const idOf = (error: unknown) => (error as OutcomeUnknownError).generationId ?? "";
    expect(await errorOf(here.media.resolve(idOf(foreign), "notCreated"))).toBeInstanceOf(InvalidRequestError);
    expect(await store.get(idOf(foreign))).toMatchObject({ state: "unknown" });
    const task = await here.media.resolve(idOf(own), { taskid: "t-1", unverified: true });
    expect(task).toMatchObject({ kind: "image", taskid: "t-1" });
  });

  test("corrects a task: the end of the wrong one is not recorded as that of the right one", async () => {
    const store = sharedStore();
    const { media, generate } = clientOf([lost, () => success({ url: ["http://localhost/1.png"] })], { store });
    const { generationId = "" } = (await errorOf(generate("1"))) as OutcomeUnknownError;
    const wrong = await media.resolve(generationId, { taskid: "t-7", unverified: true });
    await media.resolve(generationId, { taskid: "t-8", unverified: true });
    await wrong?.wait();
    expect((await media.recover()).tasks).toMatchObject([{ taskid: "t-8" }]);
  });

  test.for([{ taskid: "t-7" }, "notCreated"] as const)(
    "settles a generation of unknown outcome: %o",
    async (resolution) => {
      const store = sharedStore();
      const id = await unknown(store);
      const { media, generate, sent } = clientOf([() => created("t-8")], { store });
      expect(await errorOf(generate("k"))).toMatchObject({ name: "OutcomeUnknownError", generationId: id });
      const queries = sent();
      await media.resolve(id, resolution as "notCreated");
      expect((await generate("k")).taskid).toBe(resolution === "notCreated" ? "t-8" : "t-7");
      expect(sent() - queries).toBe(1); // One query, or one generation.
    },
  );

  test("by two people at once, as a task and as none, keeps the task", async () => {
    const store = sharedStore();
    const id = await unknown(store);
    const { media, generate } = clientOf([], { store });
    await Promise.all([media.resolve(id, { taskid: "t-1" }), media.resolve(id, "notCreated")]);
    expect((await generate("k")).taskid).toBe("t-1");
  });

  test("asks the service whether it knows the task, unless it is told not to", async () => {
    const store = sharedStore();
    const id = await unknown(store);
    const { media, sent } = clientOf([rejection], { store });
    await expect(media.resolve(id, { taskid: "t-typo" })).rejects.toMatchObject({
      issues: [{ field: "taskid", code: "notAllowed" }],
    });
    expect((await media.resolve(id, { taskid: "t-typo", unverified: true })).taskid).toBe("t-typo");
    expect(sent()).toBe(1);
  });

  test("can be corrected, and rejects the task of another generation", async () => {
    const store = sharedStore();
    const id = await unknown(store);
    const { media, generate } = clientOf([() => created("t-9")], { store });
    await media.resolve(id, { taskid: "t-1" });
    await media.resolve(id, "notCreated");
    await media.resolve(id, { taskid: "t-2" });
    expect((await generate("k")).taskid).toBe("t-2");
    const other = await generate("k2");
    await expect(media.resolve(id, { taskid: other.taskid })).rejects.toMatchObject({
      issues: [
        { field: "taskid", code: "notAllowed", message: expect.stringContaining("is the task of the generation") },
      ],
    });
    await expect(media.resolve(other.generationId ?? "", "notCreated")).rejects.toMatchObject({
      issues: [{ field: "generationId", code: "notAllowed", message: expect.stringContaining("has a known outcome") }],
    });
  });

  test("can name another task after the results of the wrong one were seen, and then sends nothing again", async () => {
    const store = sharedStore();
    const id = await unknown(store);
    const { media, generate, sent } = clientOf([], { store, classify: () => "succeeded" });
    await (await media.resolve(id, { taskid: "t-wrong" })).wait();
    expect(await store.get(id)).toMatchObject({ state: "ended", outcome: "succeeded" });
    await expect(media.resolve(id, "notCreated")).rejects.toMatchObject({
      issues: [{ field: "generationId", code: "notAllowed", message: expect.stringContaining("has a known outcome") }],
    });
    const strange = clientOf([rejection], { store });
    const made = strange.media.resolve(id, { taskid: "t-made-up", unverified: true });
    await expect(made).rejects.toMatchObject({ issues: [{ field: "taskid", code: "notAllowed" }] });
    const before = sent();
    await media.resolve(id, { taskid: "t-right" });
    expect((await generate("k")).taskid).toBe("t-right");
    expect([(await media.recover()).tasks, sent() - before]).toMatchObject([[{ taskid: "t-right" }], 1]);
    const late = await errorOf(
      clientOf([], { store }).media.resolve((await generate("k2")).generationId ?? "", { taskid: "t-3" }),
    );
    expect(late).toMatchObject({ issues: [{ field: "generationId", code: "notAllowed" }] });
  });
});

test("two tasks that were resolved the wrong way round can be swapped back, and no key is free meanwhile", async () => {
  const store = sharedStore();
  const ids: string[] = [];
  for (const key of ["k1", "k2"]) {
    const error = await errorOf(clientOf([lost], { store }).generate(key));
    ids.push((error as OutcomeUnknownError).generationId ?? "");
  }
  const [first = "", second = ""] = ids;
  const { media, generate, sent } = clientOf([], { store });
  await media.resolve(first, { taskid: "t-2", unverified: true });
  await media.resolve(second, { taskid: "t-1", unverified: true });
  await media.resolve(first, { taskid: "t-1", unverified: true });
  expect(await errorOf(generate("k2"))).toMatchObject({ name: "OutcomeUnknownError", generationId: second });
  expect((await media.recover()).unknown).toMatchObject([
    { generationId: second, reason: expect.stringContaining(first) },
  ]);
  await media.resolve(second, { taskid: "t-2", unverified: true });
  expect([(await generate("k1")).taskid, (await generate("k2")).taskid, sent()]).toEqual(["t-1", "t-2", 0]);
});

describe("recover", () => {
  test("lists tasks until they have ended, and then those that succeeded and have no key", async () => {
    const store = sharedStore();
    let state: "succeeded" | "failed" = "succeeded";
    const { media, generate } = clientOf([], { store, classify: () => state });
    const tasks = [await generate(), await generate(), await generate(), await generate("key"), await generate()];
    const [first, second, third, fourth, fifth] = tasks.map(({ taskid }) => taskid);
    const recovered = async () => {
      const { tasks: open, finished, unknown } = await clientOf([], { store }).media.recover();
      return [open.map(({ taskid }) => taskid).sort(), finished.map(({ taskid }) => taskid), unknown];
    };
    expect(await recovered()).toEqual([[first, second, third, fourth, fifth].sort(), [], []]);
    await tasks[0]?.check();
    await tasks[0]?.check();
    await tasks[3]?.check();
    await media.image.delete([third ?? ""]);
    state = "failed";
    await tasks[1]?.check();
    expect(await recovered()).toEqual([[fifth], [first], []]);
    expect(await store.forget()).toBe(3);
    expect(await recovered()).toEqual([[fifth], [], []]);
    expect((await generate("key")).taskid).toBe(fourth);
    expect(await store.forget({ keyed: true })).toBe(1);
  });

  test("lists generations of unknown outcome, also those whose sender has ended, and none that is under way", async () => {
    const store = sharedStore();
    await errorOf(clientOf([lost], { store }).generate("lost"));
    const alive = clientOf([forever], { store });
    void alive.generate("alive");
    const isAlive = ({ idempotencyKey, state, revision }: GenerationRecord) =>
      idempotencyKey !== "ended" || state !== "sending" || revision < 3;
    store.beforeWrite((record) => (isAlive(record) ? undefined : forever()));
    void clientOf([forever], { store }).generate("ended");
    const isSending = (key: string) =>
      store.written().some(({ idempotencyKey, state }) => idempotencyKey === key && state === "sending");
    await expect.poll(() => isSending("alive") && isSending("ended")).toBe(true);
    const { unknown } = await clientOf([], { store }).media.recover();
    expect(unknown.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(["ended", "lost"]);
  });

  test("lists a task of a newer version as unreadable, beside those that it can read", async () => {
    const memory = memoryStore();
    const { generate, sent } = clientOf([], { store: memory });
    const [task, newer] = [await generate("order-1"), await generate("order-2")];
    const id = newer.generationId ?? "";
    const stored = await memory.get(id);
    const changed = { ...stored, task: { ...stored?.task, version: 3 } } as unknown as GenerationRecord;
    const store = { ...memory, get: async (key: string) => (key === id ? changed : memory.get(key)) };
    const list = async function* () {
      for await (const one of memory.list({ states: ["created"] })) yield one.id === id ? changed : one;
    };
    const other = clientOf([], { store: { ...store, list } });
    const { tasks, unreadable } = await other.media.recover();
    expect(tasks.map(({ taskid }) => taskid)).toEqual([task.taskid]);
    expect(unreadable).toMatchObject([{ id }]);
    expect(await errorOf(other.generate("order-2"))).toBeInstanceOf(StoreError);
    expect([sent(), other.sent()]).toEqual([2, 0]);
  });

  test("closes the list of a store that it stops reading", async () => {
    let [opened, closed] = [0, 0];
    const memory = memoryStore();
    const list = async function* (filter: Parameters<typeof memory.list>[0]) {
      opened++;
      try {
        yield* memory.list(filter);
      } finally {
        closed++;
      }
    };
    const { media, generate } = clientOf([lost, () => created("t-1")], { store: { ...memory, list } });
    const error = (await errorOf(generate("order-1"))) as OutcomeUnknownError;
    await generate("order-2");
    // The task of another record: it is found before the list has ended.
    await errorOf(media.resolve(error.generationId ?? "", { taskid: "t-1" }));
    expect(opened).toBeGreaterThan(0);
    expect(closed).toBe(opened);
  });

  test("needs a store", async () => {
    await expect(clientOf().media.recover()).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(clientOf().media.resolve("id", "notCreated")).rejects.toBeInstanceOf(InvalidRequestError);
  });
});
