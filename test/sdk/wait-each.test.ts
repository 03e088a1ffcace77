import {
  InvalidRequestError,
  TaskFailedError,
  waitAll,
  waitEach,
  WaitTimeoutError,
  type Task,
  type WaitOptions,
  type WaitOutcome,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

/** Finished after as many seconds as its name says: t-3 after three. */
const bySeconds = (taskid: string): Fate => ({ doneAfterMs: 1_000 * Number(taskid.slice(2)) });

async function outcomesOf(tasks: Iterable<Task>, options?: WaitOptions): Promise<WaitOutcome[]> {
  const outcomes: WaitOutcome[] = [];
  for await (const outcome of waitEach(tasks, options)) outcomes.push(outcome);
  return outcomes;
}

/** The id of a finished task, with its URLs or its error. */
function summary(outcome: WaitOutcome): readonly [string, unknown] {
  return [outcome.task.taskid, outcome.ok ? outcome.record.url : outcome.error];
}

describe("waitEach", () => {
  test("yields tasks of either kind in the order in which they finish, each with its record", async () => {
    const { task, pass } = serviceOnAClock(bySeconds);
    const tasks = [task("t-30"), task("t-10", "image"), task("t-50"), task("t-20")];
    const outcomes = await pass(outcomesOf(tasks));
    expect(outcomes.map(summary)).toEqual(["t-10", "t-20", "t-30", "t-50"].map((taskid) => [taskid, ["1"]]));
    expect(outcomes[0]?.task).toBe(tasks[1]);
    expect(outcomes[0]).toEqual({ ok: true, task: tasks[1], record: tasks[1]?.record });
  });

  test("yields an error for each task that fails, and continues", async () => {
    const { task, pass } = serviceOnAClock((taskid) => (taskid === "t-lost" ? "lost" : bySeconds(taskid)), {
      classify: (record) => (record.taskid === "t-5" && record.url.length > 0 ? "failed" : undefined),
    });
    const outcomes = await pass(outcomesOf([task("t-lost"), task("t-10"), task("t-5")], { waitTimeoutMs: 20_000 }));
    expect(outcomes.map(summary)).toEqual([
      ["t-5", expect.any(TaskFailedError)],
      ["t-10", ["1"]],
      ["t-lost", expect.any(WaitTimeoutError)],
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, false]);
  });

  test("ends the other waits when the loop is left, and their tasks can be waited for again", async () => {
    const { tasks, pass, sleep, queries, seen } = serviceOnAClock(bySeconds);
    const all = tasks(20).slice(3);
    await pass(
      (async () => {
        for await (const { task } of waitEach(all)) if (task.taskid === "t-5") break;
      })(),
    );
    const before = queries.length;
    await sleep(60_000);
    expect(queries).toHaveLength(before);
    expect(seen()).toMatchObject({ inFlight: 0, timers: 0 });
    expect(await pass(waitAll(all))).toHaveLength(all.length);
  });

  test("loses nothing when the loop's body is slow", async () => {
    const { tasks, pass, sleep } = serviceOnAClock(bySeconds);
    const iterator = waitEach(tasks(10))[Symbol.asyncIterator]();
    const first = await pass(iterator.next());
    await sleep(60_000);
    const rest: unknown[] = [];
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value.task.taskid);
    expect(first.value?.task.taskid).toBe("t-0");
    expect(rest.sort()).toEqual(Array.from({ length: 9 }, (_, index) => `t-${index + 1}`));
  });

  test("yields nothing if there is no task", async () => {
    expect(await outcomesOf([])).toEqual([]);
  });

  test("reports every poll of every task to onUpdate", async () => {
    const { tasks, pass } = serviceOnAClock(bySeconds);
    const polled = new Set<string>();
    await pass(outcomesOf(tasks(5), { onUpdate: ({ task: { taskid } }) => polled.add(taskid) }));
    expect([...polled].sort()).toEqual(["t-0", "t-1", "t-2", "t-3", "t-4"]);
  });
});

describe("waitAll", () => {
  test("resolves to outcomes in the order of the tasks, also if some fail", async () => {
    const { task, pass } = serviceOnAClock((taskid) => (taskid === "t-lost" ? "lost" : bySeconds(taskid)));
    const tasks = [task("t-30"), task("t-lost"), task("t-10", "image")];
    expect((await pass(waitAll(tasks, { waitTimeoutMs: 40_000 }))).map(summary)).toEqual([
      ["t-30", ["1"]],
      ["t-lost", expect.any(WaitTimeoutError)],
      ["t-10", ["1"]],
    ]);
  });

  test("resolves to an outcome for each task, also if one is there twice, and to none if there is none", async () => {
    const { task, pass } = serviceOnAClock(bySeconds);
    const twice = task("t-5");
    expect((await pass(waitAll([twice, task("t-2"), twice]))).map(({ task }) => task.taskid)).toEqual([
      "t-5",
      "t-2",
      "t-5",
    ]);
    expect(await waitAll([])).toEqual([]);
  });
});

describe.each([
  ["waitEach", outcomesOf],
  ["waitAll", (tasks: readonly Task[], options?: WaitOptions) => waitAll(tasks, options)],
] as const)("%s", (_, wait) => {
  test("rejects at once when the signal aborts, with its reason, and the waits end", async () => {
    const controller = new AbortController();
    const { tasks, pass, sleep, elapsed, seen } = serviceOnAClock(bySeconds);
    const end = wait(tasks(9).slice(5), { signal: controller.signal }).catch((reason: unknown) => [reason, elapsed()]);
    await sleep(2_345);
    controller.abort("enough");
    expect(await end).toEqual(["enough", 2_345]);
    await pass(end);
    expect(seen()).toMatchObject({ inFlight: 0, timers: 0 });
    await expect(wait([], { signal: controller.signal })).rejects.toBe("enough");
  });

  test("rejects if waitTimeoutMs is not a time, and polls nothing", async () => {
    const { tasks, queries } = serviceOnAClock(bySeconds);
    const rejects = expect(wait(tasks(1), { waitTimeoutMs: -1 })).rejects;
    await rejects.toBeInstanceOf(InvalidRequestError);
    await expect(wait(tasks(1), { waitTimeoutMs: Number.NaN })).rejects.toThrow("waitTimeoutMs");
    expect(queries).toEqual([]);
  });
});
