import { InvalidRequestError, TaskFailedError, WaitTimeoutError, type Settled } from "@mediagen/sdk";
import { expect, test } from "vitest";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

/** Done after so many seconds: t-3 after three. */
const bySeconds = (taskid: string): Fate => ({ doneAfterMs: 1_000 * Number(taskid.slice(2)) });

test("tasks come in the order in which they are done, of either kind, each with its record", async () => {
  const { media, task, pass } = serviceOnAClock(bySeconds);
  const tasks = [task("t-30"), task("t-10", "image"), task("t-50"), task("t-20")];
  const done: Settled[] = [];
  await pass(
    (async () => {
      for await (const one of media.settle(tasks)) done.push(one);
    })(),
  );
  expect(done.map(({ task: { taskid } }) => taskid)).toEqual(["t-10", "t-20", "t-30", "t-50"]);
  expect(done.map(({ record }) => record?.url)).toEqual([["1"], ["1"], ["1"], ["1"]]);
  expect(done[0]?.task).toBe(tasks[1]);
});

test("each fails on its own", async () => {
  const { media, task, pass } = serviceOnAClock((taskid) => (taskid === "t-lost" ? "lost" : bySeconds(taskid)), {
    classify: (record) => (record.taskid === "t-5" && record.url.length > 0 ? "failed" : undefined),
  });
  const tasks = [task("t-lost"), task("t-10"), task("t-5")];
  const outcomes: unknown[] = [];
  await pass(
    (async () => {
      for await (const {
        task: { taskid },
        record,
        error,
      } of media.settle(tasks, { timeoutMs: 20_000 }))
        outcomes.push([taskid, record?.url ?? error]);
    })(),
  );
  expect(outcomes).toEqual([
    ["t-5", expect.any(TaskFailedError)],
    ["t-10", ["1"]],
    ["t-lost", expect.any(WaitTimeoutError)],
  ]);
});

test("leaving the loop ends the waits that are left", async () => {
  const { media, tasks, pass, sleep, queries, seen } = serviceOnAClock(bySeconds);
  await pass(
    (async () => {
      for await (const { task } of media.settle(tasks(20).slice(3))) if (task.taskid === "t-5") break;
    })(),
  );
  const before = queries.length;
  await sleep(60_000);
  expect(queries).toHaveLength(before);
  expect(seen()).toMatchObject({ inFlight: 0, timers: 0 });
});

test("who is slow in the loop loses nothing", async () => {
  const { media, tasks, pass, sleep } = serviceOnAClock(bySeconds);
  const iterator = media.settle(tasks(10))[Symbol.asyncIterator]();
  const first = await pass(iterator.next());
  await sleep(60_000);
  const rest: unknown[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value.task.taskid);
  expect(first.value?.task.taskid).toBe("t-0");
  expect(rest.sort()).toEqual(Array.from({ length: 9 }, (_, index) => `t-${index + 1}`));
});

test("it rejects at once when it is aborted, with the signal's reason, and the waits end", async () => {
  const controller = new AbortController();
  const { media, tasks, pass, sleep, elapsed, seen } = serviceOnAClock(bySeconds);
  const loop = (async () => {
    for await (const _ of media.settle(tasks(9).slice(5), { signal: controller.signal }));
  })();
  const end = loop.catch((reason: unknown) => [reason, elapsed()]);
  await sleep(2_345);
  controller.abort("enough");
  expect(await end).toEqual(["enough", 2_345]);
  await pass(end);
  expect(seen()).toMatchObject({ inFlight: 0, timers: 0 });
  await expect(media.settle([], { signal: controller.signal })[Symbol.asyncIterator]().next()).rejects.toBe("enough");
});

test("it ends at once where there is no task, and refuses what is no deadline", async () => {
  const { media, tasks } = serviceOnAClock(bySeconds);
  expect(await media.settle([])[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  await expect(media.settle(tasks(1), { timeoutMs: -1 })[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(
    InvalidRequestError,
  );
});

test("each check of each task is told", async () => {
  const { media, tasks, pass } = serviceOnAClock(bySeconds);
  const told = new Map<string, number>();
  await pass(
    (async () => {
      for await (const { task, record } of media.settle(tasks(5), {
        onUpdate: ({ task: { taskid }, checks }) => told.set(taskid, checks),
      })) {
        expect(record).toBe(task.record);
      }
    })(),
  );
  expect([...told.keys()].sort()).toEqual(["t-0", "t-1", "t-2", "t-3", "t-4"]);
});
