import {
  TaskFailedError,
  waitAll,
  waitEach,
  WaitTimeoutError,
  type Task,
  type WaitOptions,
  type WaitOutcome,
} from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { errorOf } from "./fake-service.ts";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

/** Finished after as many seconds as its name says: t-3 after three. */
const bySeconds = (taskid: string): Fate =>
  taskid === "t-lost" ? "lost" : { doneAfterMs: 1_000 * Number(taskid.slice(2)) };

async function allOf<T>(iterable: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of iterable) all.push(one);
  return all;
}
const outcomesOf = (tasks: Iterable<Task>, options?: WaitOptions) =>
  allOf(waitEach(tasks, options));

/** The id of a finished task, with its URLs or its error. */
function summary(outcome: WaitOutcome): readonly [string, unknown] {
  return [outcome.task.taskid, outcome.ok ? outcome.record.url : outcome.error];
}

describe("waitEach", () => {
  test("yields tasks of either kind in the order in which they finish, each with its record", async () => {
    const { task, pass } = serviceOnAClock(bySeconds);
    const tasks = [task("t-30"), task("t-10", "image"), task("t-50"), task("t-20")];
    const outcomes = await pass(outcomesOf(tasks));
    expect(outcomes.map(summary)).toEqual(
      ["t-10", "t-20", "t-30", "t-50"].map((taskid) => [taskid, ["1"]]),
    );
    expect(outcomes[0]).toEqual({ ok: true, task: tasks[1], record: tasks[1]?.record });
  });

  test("yields an error for each task that fails, continues, and reports every poll to onUpdate", async () => {
    const { task, pass } = serviceOnAClock(bySeconds, {
      classify: (record) =>
        record.taskid === "t-5" && record.url.length > 0 ? "failed" : undefined,
    });
    const polled = new Set<string>();
    const onUpdate = ({ task: { taskid } }: { readonly task: Task }) => polled.add(taskid);
    const tasks = [task("t-lost"), task("t-10"), task("t-5")];
    const outcomes = await pass(outcomesOf(tasks, { waitTimeoutMs: 20_000, onUpdate }));
    expect(outcomes.map(summary)).toEqual([
      ["t-5", expect.any(TaskFailedError)],
      ["t-10", ["1"]],
      ["t-lost", expect.any(WaitTimeoutError)],
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, false]);
    expect(polled.size).toBe(3);
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
    const iterator = waitEach(tasks(10));
    const first = await pass(iterator.next());
    await sleep(60_000);
    const rest = await allOf(iterator);
    expect(first.value?.task.taskid).toBe("t-0");
    expect(rest.map(({ task }) => task.taskid).sort()).toEqual(
      Array.from({ length: 9 }, (_, at) => `t-${at + 1}`),
    );
  });
});

test("waitAll resolves to outcomes in the order of the tasks, also if some fail or one is there twice", async () => {
  const { task, pass } = serviceOnAClock(bySeconds);
  const tasks = [task("t-30"), task("t-lost"), task("t-10", "image")];
  expect(
    (await pass(waitAll([...tasks, ...tasks.slice(0, 1)], { waitTimeoutMs: 40_000 }))).map(summary),
  ).toEqual([
    ["t-30", ["1"]],
    ["t-lost", expect.any(WaitTimeoutError)],
    ["t-10", ["1"]],
    ["t-30", ["1"]],
  ]);
});

describe.each([
  ["waitEach", outcomesOf],
  ["waitAll", (tasks: readonly Task[], options?: WaitOptions) => waitAll(tasks, options)],
] as const)("%s", (_, wait) => {
  test("rejects at once when the signal aborts, with its reason, and the waits end", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { tasks, pass, sleep, elapsed, seen } = serviceOnAClock(bySeconds);
    const end = wait(tasks(9).slice(5), { signal }).catch((reason: unknown) => [reason, elapsed()]);
    await sleep(2_345);
    controller.abort("enough");
    expect(await end).toEqual(["enough", 2_345]);
    await pass(end);
    expect(seen()).toMatchObject({ inFlight: 0, timers: 0 });
    expect(await errorOf(wait([], { signal }))).toBe("enough");
  });

  test("comes to nothing if there is no task, and rejects a waitTimeoutMs that is not a time", async () => {
    const { tasks, queries } = serviceOnAClock(bySeconds);
    expect(await wait([])).toEqual([]);
    for (const waitTimeoutMs of [-1, Number.NaN])
      expect(await errorOf(wait(tasks(1), { waitTimeoutMs }))).toMatchObject({
        issues: [{ field: "waitTimeoutMs" }],
      });
    expect(queries).toEqual([]);
  });
});
