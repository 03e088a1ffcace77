import { createEmulator, type Emulator, type EmulatorOptions } from "@mediagen/emulator";
import {
  BudgetError,
  createMediaGen,
  type MediaGenEvent,
  type MediaGenOptions,
  OutcomeUnknownError,
  type Task,
} from "@mediagen/sdk";
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
  type Reply,
  sharedStore,
  success,
} from "./fake-service.ts";

const form = { prompt: "A fox" };

/** A client of an emulator, and the most tasks that it has had at once that had not ended. */
function emulated(options: MediaGenOptions = {}, emulatorOptions: EmulatorOptions = { clock: "auto" }) {
  const emulator = createEmulator(emulatorOptions);
  const events: MediaGenEvent[] = [];
  let most = 0;
  const fetch: Emulator["fetch"] = async (request, init) => {
    const response = await emulator.fetch(request, init);
    most = Math.max(most, unfinished(emulator));
    return response;
  };
  const onEvent = (event: MediaGenEvent) => void events.push(event);
  const media = createMediaGen({ ...emulator.client, fetch, onEvent, logLevel: "off", ...options });
  return {
    emulator,
    events,
    media,
    generate: (prompt = "A fox", signal?: AbortSignal) => media.image.generate("imgmodelz", { prompt }, { signal }),
    most: () => most,
  };
}

const unfinished = ({ tasks }: Emulator) =>
  tasks.filter(({ state }) => state === "pending" || state === "running").length;

/** How many of the calls were fulfilled, and the errors of the others. */
async function settled(calls: readonly Promise<unknown>[]) {
  const results = await Promise.allSettled(calls);
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
  return { fulfilled: results.length - errors.length, errors };
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const abortable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error("no")) };
};
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("maxTasksInFlight", () => {
  test("lets so many tasks run, and 50 that are generated at once run one after the other, without a wait", async () => {
    const { emulator, generate, most } = emulated({ maxTasksInFlight: 5 });
    const tasks = await Promise.all(times(50, (index) => generate(`fox ${index}`)));
    expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(50);
    expect(emulator.charges).toHaveLength(50);
    expect(most()).toBe(5);
  });

  test("lets a program generate ten in a row that never waits", async () => {
    const { generate, most, events } = emulated({ maxTasksInFlight: 3 });
    for (let index = 0; index < 10; index++) await generate();
    expect(most()).toBe(3);
    expect(events.filter(({ type }) => type === "failed")).toEqual([]);
  });

  test("lets waits see the ends themselves: a task that the caller waits for is not polled twice", async () => {
    let queries = 0;
    const reply: Reply = ({ url }) => (url.endsWith("infobytaskid") ? (queries++, forever()) : created("t-1"));
    const { media, generate } = clientOf([reply], { maxTasksInFlight: 1, passing: ["pause"] });
    const task = await generate();
    const { signal, abort } = abortable();
    const calls = [task.wait({ signal }), media.image.generate("imgmodelz", form, { signal })].map(errorOf);
    await turns(50);
    expect(queries).toBe(1);
    abort();
    expect(await Promise.all(calls)).toEqual([new Error("no"), new Error("no")]);
  });

  test("polls as a wait does once the caller's own wait is aborted", async () => {
    const { generate } = emulated({ maxTasksInFlight: 1 });
    const task = await generate();
    const controller = new AbortController();
    const wait = errorOf(task.wait({ signal: controller.signal }));
    const second = generate();
    controller.abort(new Error("no"));
    expect(await wait).toEqual(new Error("no"));
    expect((await second).taskid).toMatch(/^image-/);
  });

  test("polls nothing while no generation waits, so that the process may end", async () => {
    const { generate, events, emulator } = emulated({ maxTasksInFlight: 2 }, { clock: "manual" });
    await generate();
    await generate();
    const controller = new AbortController();
    const third = errorOf(generate("A fox", controller.signal));
    await turns();
    controller.abort(new Error("no"));
    expect(await third).toEqual(new Error("no"));
    const { length } = events;
    emulator.clock.advance("10m");
    await turns();
    expect(events.slice(length)).toEqual([]);
  });

  describe("gives a place back", () => {
    const ends: readonly [string, (task: Task, client: ReturnType<typeof emulated>) => unknown][] = [
      ["when a check sees the end", async (task, { emulator }) => (emulator.clock.advance("10m"), task.check())],
      ["when the task is deleted", (task) => task.delete()],
      ["when its id is deleted", ({ taskid }, { media }) => media.image.delete([taskid])],
      [
        "when another handle sees the end",
        async (task, { emulator, media }) => (emulator.clock.advance("10m"), media.task(task.toJSON()).check()),
      ],
    ];
    test.for(ends)("%s", async ([, end]) => {
      const client = emulated({ maxTasksInFlight: 1 }, { clock: "manual" });
      await end(await client.generate(), client);
      await client.generate();
      expect(client.emulator.charges).toHaveLength(2);
    });

    test.for<[string, Reply]>([
      ["rejected", rejection],
      ["never sent", neverSent],
      ["of unknown outcome", lost],
    ])("when a generation is %s", async ([, reply]) => {
      const { generate } = clientOf([reply, () => created("t-1")], { maxTasksInFlight: 1 });
      await errorOf(generate());
      expect((await generate()).taskid).toBe("t-1");
    });

    test("30 minutes after its creation if no end is seen, and no later", async () => {
      let generated = 0;
      const pending = () => success({ taskid: "t-1", url: [] });
      const reply: Reply = ({ url }) => (url.endsWith("infobytaskid") ? pending() : created(`t-${++generated}`));
      const client = clientOf([reply], { maxTasksInFlight: 1, passing: ["pause", "deadline", "limit", "background"] });
      const start = client.now();
      await client.generate();
      await client.generate();
      expect(client.now() - start).toBe(30 * 60_000);
    });
  });

  test("lets calls that wait keep their order, and leave when their signal aborts", async () => {
    const client = emulated({ maxTasksInFlight: 1 }, { clock: "manual" });
    const first = await client.generate("first");
    const controller = new AbortController();
    const order: string[] = [];
    const calls = ["second", "third", "fourth"].map(async (prompt) => {
      const task = await client.generate(prompt, prompt === "third" ? controller.signal : undefined);
      order.push(prompt);
      await task.delete();
    });
    const results = Promise.allSettled(calls);
    controller.abort(new Error("no"));
    await first.delete();
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(order).toEqual(["second", "fourth"]);
    expect(client.emulator.charges).toHaveLength(3);
  });

  test("does not count a task that its key stands for", async () => {
    const options = { maxTasksInFlight: 1, store: sharedStore() };
    const { generate, sent } = clientOf([() => created("t-1")], options);
    await generate("order-1");
    expect((await generate("order-1")).taskid).toBe("t-1");
    expect(sent()).toBe(1);
  });

  test("counts a task once that the server returns for a repeated key, so that no place is lost", async () => {
    let queries = 0;
    const reply: Reply = async (request) => {
      if (request.url.endsWith("infobytaskid"))
        return (queries++, success({ taskid: "t", url: ["https://a.example/1"] }));
      return created(`task of ${request.headers.get("idempotency-key")}`);
    };
    const limits = { maxTasksInFlight: 2, budget: { generations: 4 } };
    const { generate } = clientOf([reply], { ...limits, apiKey: undefined });
    const [first, again] = await Promise.all([generate("1"), generate("1")]);
    expect(again?.taskid).toBe(first?.taskid);
    // Two places for three further tasks: both have to be there, and the budget covers them all.
    for (const key of ["2", "3", "4"]) expect((await generate(key)).taskid).toBe(`task of ${key}`);
    expect(queries).toBe(2);
    expect(await errorOf(generate("5"))).toBeInstanceOf(BudgetError);
  });

  test("polls the tasks in flight also while another generation is being sent", async () => {
    const slow = gate<Response>();
    let generations = 0;
    const reply: Reply = ({ url }) => {
      if (url.endsWith("infobytaskid")) return success({ taskid: "t", url: ["https://a.example/1"] });
      return ++generations === 2 ? slow.promise : created(`t-${generations}`);
    };
    const { generate } = clientOf([reply], { maxTasksInFlight: 2 });
    await generate();
    const second = generate();
    await turns();
    expect((await generate()).taskid).toBe("t-3");
    slow.resolve(created("t-2"));
    await second;
  });

  test.for([0, -1, Number.NaN, 0.5])("is rejected if it is %d", (maxTasksInFlight) => {
    expect(() => clientOf([], { maxTasksInFlight })).toThrow(/^createMediaGen: maxTasksInFlight/);
  });
});

describe("calls with one key at once", () => {
  const limits: readonly MediaGenOptions[] = [
    { budget: { generations: 1 } },
    { budget: { results: 1 } },
    { maxTasksInFlight: 1 },
  ];

  test.for(limits)("return the one task, which is counted once, with %j", async (limit) => {
    const { media, generate, sent } = clientOf([() => created("t-1")], { ...limit, store: sharedStore() });
    const other = media.withOptions({ onEvent: () => undefined });
    const calls = [generate("1"), generate("1"), other.image.generate("imgmodelz", form, { idempotencyKey: "1" })];
    expect((await Promise.all(calls)).map(({ taskid }) => taskid)).toEqual(["t-1", "t-1", "t-1"]);
    expect(sent()).toBe(1);
  });

  test("end by their own signals alone, and one goes on where the other was aborted before it was sent", async () => {
    const reply: Reply = ({ url }) => (url.endsWith("infobytaskid") ? forever() : created(`t-${sent()}`));
    const { media, generate, sent } = clientOf([reply], {
      store: sharedStore(),
      maxTasksInFlight: 1,
      passing: ["pause"],
    });
    const running = await generate();
    const [first, second] = [abortable(), abortable()];
    const calls = [first, second].map(({ signal }) =>
      errorOf(media.image.generate("imgmodelz", form, { idempotencyKey: "1", signal })),
    );
    const third = generate("1");
    await turns();
    second.abort();
    expect(await calls[1]).toEqual(new Error("no"));
    first.abort();
    expect(await calls[0]).toEqual(new Error("no"));
    await running.delete();
    expect((await third).taskid).toBe(`t-${sent()}`);
  });

  test("reject another form", async () => {
    const { generate, sent } = clientOf([], { store: sharedStore(), budget: { generations: 1 } });
    const ended = await Promise.allSettled([generate("1"), generate("1", "A hen")]);
    // Either may be first: each hashes its form on another thread.
    expect([ended.map(({ status }) => status).toSorted(), sent()]).toEqual([["fulfilled", "rejected"], 1]);
    const rejected = ended.find(({ status }) => status === "rejected");
    expect(rejected).toHaveProperty("reason.message", expect.stringContaining("with another form"));
  });
});

describe("budget", () => {
  test("of 5 generations pays for 5 of 50 that are generated at once, however many of the first are rejected", async () => {
    for (const rejected of [0, 3]) {
      const { emulator, generate, events } = emulated({ budget: { generations: 5 }, retries: 0 });
      for (let count = 0; count < rejected; count++) emulator.next({ fault: "failure", on: "generateImgmodelz" });
      const { fulfilled, errors } = await settled(times(50, () => generate()));
      expect([fulfilled, emulator.charges.length]).toEqual([5, 5]);
      expect(errors.filter((error) => error instanceof BudgetError)).toHaveLength(45 - rejected);
      expect(events.filter(({ type }) => type === "failed")).toHaveLength(45);
    }
  });

  test("says what is used up, and that nothing was sent", async () => {
    const { generate, sent } = clientOf([], { budget: { generations: 1 } });
    await generate();
    const error = await errorOf(generate());
    expect(error).toMatchObject({
      name: "BudgetError",
      message:
        "imgmodelz: the client's budget { generations: 1 } is used up. Nothing was sent. To go on, create a client with another budget.",
      budget: { generations: 1, results: Infinity },
      spent: { generations: 1, results: 1 },
    });
    expect(sent()).toBe(1);
  });

  test("counts the results that forms request", async () => {
    const { media, sent } = clientOf([], { budget: { results: 5 } });
    const generate = (batchsize: number) => media.image.generate("imgmodelv4", { ...form, batchsize });
    await generate(3);
    const error = await errorOf(generate(3));
    expect(error).toMatchObject({ name: "BudgetError", spent: { generations: 1, results: 3 } });
    expect((error as Error).message).toContain(
      "it makes 3 results, and 2 are left of the client's budget { results: 5 }. Nothing was sent.",
    );
    await generate(2);
    expect(sent()).toBe(2);
  });

  test.for<[string, Reply, boolean]>([
    ["rejected", rejection, false],
    ["never sent", neverSent, false],
    ["of unknown outcome", lost, true],
  ])("a generation that is %s", async ([, reply, isUsed]) => {
    const { generate } = clientOf([reply, () => created("t-1")], { budget: { generations: 1 } });
    await errorOf(generate());
    const next = await errorOf(generate());
    if (isUsed) expect(next).toBeInstanceOf(BudgetError);
    else expect(next).toHaveProperty("taskid", "t-1");
  });

  test("is not used by what beforeGenerate vetoes, nor by what is aborted before it is sent", async () => {
    const veto = gate<never>();
    const signal = AbortSignal.abort(new Error("no"));
    let calls = 0;
    const beforeGenerate = () => (++calls === 1 ? veto.promise : undefined);
    const { media, generate } = clientOf([], { budget: { generations: 1 }, beforeGenerate });
    const vetoed = errorOf(generate());
    const controller = new AbortController();
    const aborted = errorOf(media.image.generate("imgmodelz", form, { signal: controller.signal }));
    expect(await errorOf(media.image.generate("imgmodelz", form, { signal }))).toEqual(new Error("no"));
    controller.abort(new Error("later"));
    expect(await aborted).toEqual(new Error("later"));
    veto.reject(new Error("veto"));
    expect(await vetoed).toEqual(new Error("veto"));
    expect(await generate()).toHaveProperty("taskid");
    expect(await errorOf(generate())).toBeInstanceOf(BudgetError);
  });

  test("is not used by a task that its key stands for", async () => {
    const options = { budget: { generations: 1 }, store: sharedStore() };
    const { generate, sent } = clientOf([() => created("t-1")], options);
    const tasks = await Promise.all(times(3, () => generate("order-1")));
    expect(tasks.map(({ taskid }) => taskid)).toEqual(["t-1", "t-1", "t-1"]);
    expect(await errorOf(generate("order-2"))).toBeInstanceOf(BudgetError);
    expect(sent()).toBe(1);
  });

  test("is used once by a generation of unknown outcome, however often its key is tried", async () => {
    const options = { budget: { generations: 2 }, store: sharedStore() };
    const { generate } = clientOf([lost, () => created("t-1")], options);
    for (let tries = 0; tries < 3; tries++)
      expect(await errorOf(generate("order-1"))).toBeInstanceOf(OutcomeUnknownError);
    expect(await generate("order-2")).toHaveProperty("taskid", "t-1");
    expect(await errorOf(generate("order-3"))).toBeInstanceOf(BudgetError);
  });

  test("rejects at once, also where no place is free", async () => {
    const { generate } = emulated({ budget: { generations: 1 }, maxTasksInFlight: 1 }, { clock: "manual" });
    await generate();
    expect(await errorOf(generate())).toBeInstanceOf(BudgetError);
  });

  test.for<[object, RegExp]>([
    [{ generations: -1 }, /^createMediaGen: budget: generations: -1 is not valid/],
    [{ results: Number.NaN }, /^createMediaGen: budget: results: NaN is not valid/],
    [{ results: "5" }, /^createMediaGen: budget: results must be a number of at least 0, not "5"/],
    [{ generation: 5 }, /^createMediaGen: budget: generation is not a known option\. Did you mean generations\?/],
  ])("is rejected if it is %o", ([budget, message]) => {
    expect(() => clientOf([], { budget })).toThrow(message);
  });
});
