import {
  compactEntries,
  createMediaGen,
  InvalidRequestError,
  OutcomeUnknownError,
  type JournalEntry,
  type MediaGenEvent,
  type State,
} from "@mediagen/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createLog, forever, journalledClient, lost, refusal } from "./journalled-client.ts";

afterEach(() => void vi.restoreAllMocks());

describe("a generation is noted before it is sent, and what became of it after", () => {
  test("as a task", async () => {
    const log = createLog();
    const { generate } = journalledClient(log, [
      () => (expect(log.types()).toEqual(["intent"]), Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } })),
    ]);
    const task = await generate();
    const [intent, created] = await log.entries();
    expect(intent).toMatchObject({
      kind: "image",
      model: "imgmodelz",
      origin: "http://localhost",
      results: 1,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(created).toMatchObject({ type: "created", id: (intent as { id: string }).id, task: task.toJSON() });
    expect(log.text()).not.toMatch(/fox|canary/);
  });

  test.for([
    ["refused", refusal, "notCreated"],
    ["never sent", () => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })), "notCreated"],
    ["lost", lost, "unknown"],
    ["lost, with the key in the answer", () => new Response("sk-canary", { status: 500 }), "unknown"],
  ] as const)("as %s", async ([, reply, type]) => {
    const log = createLog();
    const { generate, errorOf } = journalledClient(log, [reply]);
    const error = await errorOf(generate());
    expect(log.types()).toEqual(["intent", type]);
    const [intent, end] = await log.entries();
    expect(end).toMatchObject({
      why: expect.stringContaining(error instanceof OutcomeUnknownError ? error.why : (error as Error).message),
    });
    if (error instanceof OutcomeUnknownError)
      expect(error).toMatchObject({ id: (intent as { id: string }).id, message: expect.stringContaining("resolve(") });
    expect(log.text()).not.toMatch(/fox|canary/);
  });

  test("but not where it is not sent: a bad form, a veto, an abort", async () => {
    const log = createLog();
    const { media, generate, errorOf } = journalledClient(log, [], {
      beforeGenerate: () => Promise.reject(new Error("no")),
    });
    await errorOf(generate());
    await errorOf(media.image.generate("imgmodelz", {} as { prompt: string }));
    await errorOf(media.image.generate("imgmodelz", { prompt: "A fox" }, { signal: AbortSignal.abort() }));
    const controller = new AbortController();
    const { media: aborting } = journalledClient(log, [], { beforeGenerate: () => controller.abort() });
    await errorOf(aborting.image.generate("imgmodelz", { prompt: "A fox" }, { signal: controller.signal }));
    expect(log.types()).toEqual([]);
  });

  test("and a client with a long generation under way says that it is alive, until it is answered", async () => {
    const log = createLog();
    const reply = Promise.withResolvers<Response>();
    const { generate } = journalledClient(log, [() => reply.promise]);
    const task = generate();
    await expect.poll(() => log.types().length).toBeGreaterThan(4);
    expect(new Set(log.types().slice(1))).toEqual(new Set(["lease"]));
    reply.resolve(Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } }));
    await task;
    const { length } = log.types();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([log.types().length, log.types().at(-1)]).toEqual([length, "created"]);
  });
});

describe("a journal that fails", () => {
  test("before sending: nothing is sent, and its error is the caller's", async () => {
    const log = createLog();
    const { generate, errorOf, sent } = journalledClient(log);
    log.breakFor(() => true);
    expect(await errorOf(generate())).toBeInstanceOf(RangeError);
    log.breakFor(undefined);
    await generate();
    expect([sent(), log.types()]).toEqual([1, ["notCreated", "intent", "created"]]);
  });

  test("after the answer: the task is the caller's, the failure an event, and what is missing is noted before the next", async () => {
    const log = createLog();
    const { generate, events } = journalledClient(log);
    log.breakFor(({ type }) => type === "created");
    const task = await generate("a");
    expect(events.filter(({ type }) => type === "journalFailed")).toMatchObject([
      { entry: { type: "created", task: task.toJSON() }, error: new RangeError("the disk is full") },
    ]);
    expect((await generate("a")).taskid).toBe(task.taskid);
    log.breakFor(undefined);
    await generate("b");
    expect(log.types()).toEqual(["intent", "created", "intent", "created"]);
  });

  test("is told on the console where nobody listens or the listener throws, and costs no task", async () => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    for (const onEvent of [
      undefined,
      (event: MediaGenEvent) => {
        if (event.type === "journalFailed") throw new Error("mine");
      },
    ]) {
      const log = createLog();
      log.breakFor(({ type }) => type === "created");
      expect(await journalledClient(log, [], { onEvent }).generate()).toHaveProperty("taskid");
    }
    expect(told.mock.calls).toMatchObject([
      ["mediagen: journalFailed", { type: "journalFailed" }],
      [expect.stringContaining("onEvent threw"), new Error("mine")],
    ]);
  });
});

describe("recover", () => {
  test("gives tasks until they have ended, and then those that succeeded and have no key", async () => {
    const log = createLog();
    let state: State = "succeeded";
    const { media, generate } = journalledClient(log, [], { classify: () => state });
    const tasks = [await generate(), await generate(), await generate(), await generate("key"), await generate()];
    const taskids = async () => {
      const { tasks: open, finished, unknown } = await journalledClient(log).media.recover();
      return [open.map(({ taskid }) => taskid), finished.map(({ taskid }) => taskid), unknown];
    };
    const [first, second, third, fourth, fifth] = tasks.map(({ taskid }) => taskid);
    expect(await taskids()).toEqual([[first, second, third, fourth, fifth], [], []]);
    await tasks[0]?.check();
    await tasks[0]?.check();
    await tasks[3]?.check();
    await media.image.delete([third ?? ""]);
    state = "failed";
    await media.image.task(second ?? "").check();
    expect(log.types().slice(-4)).toEqual(["end", "end", "end", "end"]);
    expect(await taskids()).toEqual([[fifth], [first], []]);
    const kept = compactEntries(await log.entries());
    expect(kept.map(({ type }) => type)).toEqual(["intent", "created", "intent", "created", "end"]);
    expect(compactEntries(kept)).toEqual(kept);
  });

  test("gives generations of unknown outcome, also where their process ended, until they are resolved", async () => {
    const log = createLog();
    const dead = journalledClient(log, [lost, forever]);
    await dead.errorOf(dead.generate("a"));
    const { promise: written, resolve } = Promise.withResolvers<void>();
    void journalledClient(
      {
        ...log,
        append: (entry) => (entry.type === "lease" ? forever() : log.append(entry).then(resolve)) as Promise<never>,
      },
      [forever],
    ).generate();
    await written;
    const { media, now } = journalledClient(log);
    const begin = now();
    const { unknown } = await media.recover();
    expect(now() - begin).toBe(15_250);
    expect(unknown).toMatchObject([
      {
        kind: "image",
        model: "imgmodelz",
        once: "a",
        digest: expect.any(String),
        at: begin,
        why: expect.stringContaining("HTTP 500"),
      },
      { once: undefined, why: expect.stringContaining("ended before it noted an answer") },
    ]);
    const [first, second] = unknown.map(({ id }) => id);
    expect((await media.resolve(first ?? "", { taskid: "t-7" })).toJSON()).toMatchObject({
      taskid: "t-7",
      kind: "image",
      createdAt: begin,
    });
    expect(await media.resolve(second ?? "", "not created")).toBeUndefined();
    expect(await media.recover()).toMatchObject({ tasks: [{ taskid: "t-7" }], unknown: [] });
  });

  test("leaves alone what another living process or another service has under way", async () => {
    const log = createLog();
    const alive = journalledClient(log, [forever]);
    void alive.generate();
    const elsewhere = journalledClient(log, [lost], { baseUrl: "https://elsewhere.example" });
    await elsewhere.errorOf(elsewhere.generate());
    expect((await journalledClient(log).media.recover()).unknown).toEqual([]);
    expect((await alive.media.recover()).unknown).toEqual([]);
  });

  test("takes a process for dead that does not renew its lease, even where its clock ran ahead", async () => {
    const log = createLog();
    const { media, now } = journalledClient(log);
    const begin = now();
    await log.append({
      type: "intent",
      id: "1",
      at: begin,
      kind: "image",
      model: "m",
      origin: "http://localhost",
      results: 1,
      owner: "ahead",
      until: begin + 1e9,
    });
    expect((await media.recover()).unknown).toMatchObject([{ id: "1" }]);
    expect(now() - begin).toBe(15_250);
  });

  test("reads an entry that comes twice as one", async () => {
    const log = createLog();
    await journalledClient(log).generate();
    const twice = async () => [...(await log.entries()), ...(await log.entries()).slice(0, 1)];
    expect(await journalledClient({ ...log, entries: twice }).media.recover()).toMatchObject({
      tasks: [{ kind: "image" }],
      unknown: [],
    });
  });

  test("and resolve refuse a client without a journal", async () => {
    const media = createMediaGen({ baseUrl: "http://localhost" });
    await expect(media.recover()).rejects.toThrow(/journal/);
    await expect(media.resolve("1", "not created")).rejects.toBeInstanceOf(InvalidRequestError);
  });
});

describe("resolve", () => {
  test("refuses what is not unknown, and what is no resolution", async () => {
    const log = createLog();
    const { media, generate, errorOf } = journalledClient(log, [
      lost,
      () => Response.json({ code: 1000, msg: "", data: { taskid: "t-2" } }),
      forever,
    ]);
    await errorOf(generate());
    await generate();
    void generate();
    await expect.poll(() => log.types().filter((type) => type === "intent").length).toBe(3);
    const [unknown = "", created = "", running = ""] = (await log.entries()).flatMap((entry) =>
      entry.type === "intent" ? entry.id : [],
    );
    await expect(media.resolve("nothing", "not created")).rejects.toThrow("id: got");
    await expect(media.resolve(created, "not created")).rejects.toThrow("t-2");
    await expect(media.resolve(running, "not created")).rejects.toThrow("under way");
    for (const bad of ["created", { taskid: "" }, {}, undefined])
      await expect(media.resolve(unknown, bad as "not created")).rejects.toThrow("resolution");
    expect(await media.resolve(created, { taskid: "t-2" })).toMatchObject({ taskid: "t-2" });
  });
});

test("a task is never taken back, not by a person nor by a compaction", async () => {
  const log = createLog();
  const { media, generate, errorOf } = journalledClient(log, [lost]);
  const { id } = (await errorOf(generate())) as { id: string };
  await media.resolve(id, "not created");
  const compacted = compactEntries(await log.entries());
  // Whoever was thought dead comes back with the answer.
  const task = media.image.task("t-9").toJSON();
  const late: JournalEntry[] = [
    ...compacted,
    { type: "created", id, at: 1, task },
    { type: "notCreated", id, at: 2, why: "" },
    { type: "unknown", id, at: 3, why: "" },
  ];
  const { tasks, unknown } = await journalledClient({ ...log, entries: async () => late }).media.recover();
  expect([tasks.map(({ taskid }) => taskid), unknown]).toEqual([["t-9"], []]);
});
