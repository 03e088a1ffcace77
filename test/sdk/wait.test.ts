import { createEmulator } from "@mediagen/emulator";
import {
  createMediaGen,
  type MediaGenOptions,
  memoryStore,
  type TaskJSON,
  type TaskRecord,
  type WaitOptions,
  type WaitUpdate,
} from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { type QueryReply, clientOnAClock } from "./client-on-a-clock.ts";
import { errorOf, forever, throwing } from "./fake-service.ts";

const pending = { url: [] };
const done = { url: ["http://localhost/1"] };
const one = { url: ["1"] };
const two = { url: ["1", "2"] };
const unknown = { code: 9999 };
const failed = { status: 3, message: "the picture was rejected" };
const hour = 3_600_000;
const times = (count: number, reply: QueryReply) => Array<QueryReply>(count).fill(reply);
const mine = throwing(new RangeError("mine"));

interface Given {
  readonly options?: MediaGenOptions;
  /** Fields of its task. */
  readonly task?: Partial<TaskJSON>;
  readonly wait?: WaitOptions;
}
const young = { createdAt: 1_800_000_000_000 };
const minute = { waitTimeoutMs: 60_000 };
let keys = 0;
const withoutThreeKeys = {
  apiKey: async () => (keys++ < 3 ? Promise.reject(new Error("no key")) : "key"),
};
const classify = (record: TaskRecord) =>
  "task_status" in record && record.task_status === 5 ? "succeeded" : undefined;
const failing = { statuses: { failed: [3] } };
const taskFailed = {
  name: "TaskFailedError",
  message: expect.stringContaining("Task t-1 failed"),
  record: { task_status: 3 },
};
const notAState = { name: "InvalidRequestError", issues: [{ field: "classify" }] };
// The casts: the types reject them.
const wrong = (result: () => unknown) => ({ options: { classify: result as never } });
const forbidden = (count: number, retryAfter: number) => times(count, { http: 403, retryAfter });
const rejectedKey = {
  name: "AuthenticationError",
  status: 401,
  code: undefined,
  operation: "queryVideoTask",
};

test.for<[string, readonly QueryReply[], Given, object, queries?: number]>([
  [
    "with as many URLs as requested",
    [pending, one, two, pending],
    { task: { resultCount: 2 } },
    two,
    3,
  ],
  [
    "with fewer URLs, once equally many for a minute",
    [one, two, two, two],
    { task: { resultCount: 3 } },
    two,
    // One every ten seconds from the first with two URLs on.
    1 + 7,
  ],
  [
    "if a status means that the task failed",
    [pending, failed],
    { options: failing },
    taskFailed,
    2,
  ],
  [
    "if a status means that it succeeded, also without URLs",
    [pending, failed],
    { options: { statuses: { succeeded: [3] } } },
    { url: [], task_status: 3 },
    2,
  ],
  [
    "if classify says so, and it may leave a record open",
    [pending, { status: 5 }],
    { options: { classify } },
    { url: [], task_status: 5 },
    2,
  ],
  ["if classify throws", [pending], wrong(mine), { name: "RangeError" }, 1],
  ["if classify rejects", [pending], wrong(async () => mine()), notAState, 1],
  ["if classify returns a promise", [pending], wrong(async () => "succeeded"), notAState, 1],
  ["if classify returns no state", [pending], wrong(() => "done"), notAState, 1],
  ["if onUpdate throws", [pending], { wait: { onUpdate: mine } }, { name: "RangeError" }, 1],
  [
    "if onUpdate rejects",
    [pending],
    { wait: { onUpdate: async () => mine() } },
    { name: "RangeError" },
    1,
  ],
  [
    "at its deadline, with the last record and its status",
    [pending, failed, failed, failed, "lost"],
    { wait: minute },
    {
      name: "WaitTimeoutError",
      status: 3,
      record: { task_status: 3, message: "the picture was rejected" },
    },
  ],
  [
    "at its deadline, without a record if no query succeeded, and with the last error",
    ["lost"],
    { wait: minute },
    {
      name: "WaitTimeoutError",
      record: undefined,
      status: undefined,
      cause: { name: "ConnectionError" },
    },
  ],
  [
    "after rejections in a row for a minute",
    [unknown, unknown, "lost", pending, unknown],
    {},
    { name: "ServiceError", code: 9999 },
    // Pauses grow from half a second to ten.
    4 + 13,
  ],
  ...[400, 429, 500, 503].map((under): [string, readonly QueryReply[], Given, object] => [
    `with its record, after HTTP ${under} in the service's envelope for some minutes`,
    [...times(30, { code: 9999, under }), done],
    {},
    done,
  ]),
  ...[404, 422].map((http): [string, readonly QueryReply[], Given, object, number] => [
    `after HTTP ${http} without an envelope for five minutes: baseUrl is probably wrong`,
    [pending, { http }],
    {},
    { name: http === 404 ? "NotFoundError" : "ServiceError", status: http },
    1 + 37,
  ]),
  ["with its record, after seven lost queries", [...times(7, "lost"), done], {}, done],
  [
    "with its record, after polls without a record or a key",
    [...times(9, { code: 1001 }), done],
    { options: withoutThreeKeys },
    done,
  ],
  [
    "with its record, although it is unknown within a minute",
    [...times(9, unknown), done],
    { task: young },
    done,
  ],
  [
    "after HTTP 401 three times in a row, over ten seconds",
    [pending, { http: 401 }],
    {},
    rejectedKey,
    1 + 7,
  ],
  [
    "after HTTP 403 alike",
    [pending, { http: 403 }],
    { task: young },
    { name: "AuthenticationError" },
    1 + 7,
  ],
  [
    "after three that are far apart",
    [{ http: 401, retryAfter: 30 }],
    {},
    { name: "AuthenticationError" },
    3,
  ],
  [
    "with its record, after a gateway sent HTTP 403 within ten seconds",
    [...forbidden(4, 1), done],
    {},
    done,
  ],
  [
    "with its record, if the key was accepted in between",
    [{ http: 403 }, { http: 401 }, pending, { http: 403 }, { http: 403 }, done],
    {},
    done,
  ],
  [
    "with its record, after rejections of both kinds, which are counted apart",
    [...times(4, unknown), ...forbidden(2, 30), unknown, ...forbidden(1, 30), unknown, done],
    {},
    done,
  ],
])("a wait ends %s", async ([, replies, { options, task: fields, wait }, expected, queries]) => {
  const client = clientOnAClock(replies, options);
  const task = client.media.task({ ...client.media.video.task("t-1").toJSON(), ...fields });
  const outcome = await errorOf(task.wait(wait));
  expect(outcome).toMatchObject(expected);
  const isOfTask = outcome instanceof Error && !/RangeError|InvalidRequest/.test(outcome.name);
  if (isOfTask) expect(outcome).toHaveProperty("task", task);
  if (queries !== undefined) expect(client.queries).toHaveLength(queries);
});

test.for([
  ["at its deadline, exactly", minute, 60_000],
  ["after 30 minutes by default", {}, hour / 2],
] as const)("a wait ends %s", async ([, options, ms]) => {
  const { media, elapsed } = clientOnAClock([pending]);
  expect(await errorOf(media.video.task("t-1").wait(options))).toHaveProperty(
    "name",
    "WaitTimeoutError",
  );
  expect(elapsed()).toBe(ms);
});

test("a wait for an unknown task ends two minutes after it began, if the clock that dated the task is ahead", async () => {
  const { media, elapsed } = clientOnAClock([unknown]);
  const task = media.task({
    ...media.video.task("t-1").toJSON(),
    createdAt: young.createdAt + hour,
  });
  expect(await errorOf(task.wait())).toMatchObject({ task, code: 9999 });
  // It may not be known for a minute, and is rejected for another one.
  expect(elapsed()).toBeGreaterThan(120_000);
  expect(elapsed()).toBeLessThan(140_000);
});

test("an abort ends a wait at once, with the signal's reason", async () => {
  const controller = new AbortController();
  const { media, queries } = clientOnAClock([pending]);
  const onUpdate = ({ checks }: WaitUpdate) => checks === 2 && controller.abort("enough");
  expect(await errorOf(media.video.task("t-1").wait({ onUpdate, signal: controller.signal }))).toBe(
    "enough",
  );
  expect(queries).toHaveLength(2);
});

test("a wait ends at its deadline, and a query when aborted, although fetch and key never settle", async () => {
  for (const options of [{ fetch: forever }, { apiKey: forever as () => Promise<never> }]) {
    const media = createMediaGen({ baseUrl: "http://localhost", ...options });
    const wait = media.video.task("t-1").wait({ waitTimeoutMs: 5 });
    const query = media.video.query("t-1", { signal: AbortSignal.timeout(5) });
    expect(await Promise.all([wait, query].map(errorOf))).toMatchObject([
      { name: "WaitTimeoutError" },
      { name: "TimeoutError" },
    ]);
  }
});

test("onUpdate gets each poll, with statuses that nobody knows", async () => {
  const { media } = clientOnAClock([
    { status: 77 },
    { status: -1 },
    "lost",
    { status: 3, url: ["1"] },
  ]);
  const seen: unknown[] = [];
  await media.video
    .task("t-1")
    .wait({ onUpdate: ({ state, status, checks }) => seen.push([checks, state, status]) });
  const polls = [
    ["pending", 77],
    ["pending", -1],
    [undefined, undefined],
    ["succeeded", 3],
  ];
  expect(seen).toEqual(polls.map((poll, index) => [index + 1, ...poll]));
});

test("the polls of an unknown model spread out as the task grows older, with jitter; the last is 1 s before the end", async () => {
  const second: number[] = [];
  for (const random of [0.1, 0.9]) {
    const { media, queries } = clientOnAClock([pending], { clock: { random: () => random } });
    await errorOf(media.video.task("t-1").wait({ waitTimeoutMs: 120_000 }));
    const within = (from: number, to: number) =>
      queries.filter((at) => at >= from && at < to).length / (to - from);
    const rates = [
      within(0, 3_000),
      within(3_000, 15_000),
      within(15_000, 50_000),
      within(50_000, 118_000),
    ];
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
    expect(rates[0]).toBeGreaterThan(3 * (rates[3] ?? 0));
    expect(queries.at(-1)).toBe(119_000);
    second.push(queries[1] ?? 0);
  }
  expect(second[1]).toBeGreaterThan((second[0] ?? 0) * 1.3);
});

describe("an onUpdate that never settles", () => {
  test.for<[string, QueryReply, object]>([
    ["failed", failed, { name: "TaskFailedError" }],
    ["succeeded", done, done],
    ["pending", pending, { name: "WaitTimeoutError" }],
  ])(
    "does not keep a wait beyond its deadline, which ends as its last check said: %s",
    async ([, reply, expected]) => {
      const { media, elapsed, queries } = clientOnAClock([reply], { statuses: { failed: [3] } });
      const wait = media.video.task("t-1").wait({ waitTimeoutMs: 800, onUpdate: forever });
      expect(await errorOf(wait)).toMatchObject(expected);
      expect([elapsed(), queries.length]).toEqual([800, 1]);
    },
  );

  test("does not keep a wait that is aborted", async () => {
    const { media, elapsed } = clientOnAClock([done]);
    const controller = new AbortController();
    const onUpdate = () => {
      queueMicrotask(() => controller.abort("enough"));
      return forever();
    };
    expect(
      await errorOf(media.video.task("t-1").wait({ onUpdate, signal: controller.signal })),
    ).toBe("enough");
    expect(elapsed()).toBe(0);
  });
});

test("what rejects after a wait is handled: an onUpdate, and a classify that is none", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const late = Promise.withResolvers<never>();
  const { media } = clientOnAClock([pending]);
  await errorOf(media.video.task("t-1").wait({ waitTimeoutMs: 800, onUpdate: () => late.promise }));
  late.reject(new RangeError("mine"));
  const other = clientOnAClock([pending], {
    ...wrong(async () => mine()).options,
    store: memoryStore(),
  });
  const task = await other.media.image.generate("imgmodelz", { prompt: "A fox" });
  expect(await errorOf(task.check())).toMatchObject(notAState);
  // Its task has not ended.
  expect((await other.media.recover()).tasks).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe("a wait whose deadline passes during the sleep of the machine", () => {
  test.for<[string, object | string, object]>([
    ["resolves if the task has succeeded by then", {}, { url: [expect.any(String)] }],
    [
      "rejects if the task is still pending",
      { classify: () => "pending" },
      { name: "WaitTimeoutError" },
    ],
    ["rejects if the poll fails", { isDown: true }, { name: "WaitTimeoutError" }],
    [
      "rejects with the signal's reason if the signal has aborted",
      { abort: true },
      new RangeError("mine"),
    ],
  ])("%s", async ([, given, expected]) => {
    const { isDown, abort, ...options } = given as {
      isDown?: true;
      abort?: true;
    } & MediaGenOptions;
    const emulator = createEmulator({ clock: "manual" });
    const controller = new AbortController();
    let isCreated = false;
    const fetch: typeof emulator.fetch = async (url, init) => {
      if (isDown && isCreated) throw new TypeError("fetch failed");
      return emulator.fetch(url, init);
    };
    const media = createMediaGen({ ...emulator.client, fetch, ...options });
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    isCreated = true;
    const wait = errorOf(task.wait({ signal: controller.signal }));
    emulator.clock.advance("1h");
    if (abort) controller.abort(expected);
    expect(await wait).toMatchObject(expected);
  });
});
