import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEmulator, faultEffects, type Fault, type FaultName } from "@mediagen/emulator";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { errorOf } from "../sdk/fake-service.ts";

const form = { prompt: "A fox runs through snow" };

/** An emulator, and a client without retries: a fault of one call is how that call ends. */
function start() {
  const emulator = createEmulator();
  return { emulator, media: createMediaGen({ ...emulator.client, retries: 0 }) };
}

/** How each fault of a response ends a generation, and a query or a deletion. */
const unknown = "OutcomeUnknownError";
const lost = [{ name: unknown, status: undefined }, { name: "ConnectionError" }] as const;
const unreadable = (status: number) =>
  [
    { name: unknown, status },
    { name: "ServiceError", status, code: undefined },
  ] as const;
const rejected = (error: object) => [error, error] as const;
const seen: Partial<Record<FaultName, readonly [generation: object, other: object]>> = {
  resetBefore: lost,
  resetAfter: lost,
  cutBody: lost,
  html: unreadable(200),
  brokenJson: unreadable(200),
  emptyBody: unreadable(200),
  serverError: unreadable(500),
  wrongCode: [
    { name: unknown, status: 200 },
    { name: "ServiceError", status: 200, code: 4_242 },
  ],
  unavailable: [
    { name: unknown, status: 503 },
    { name: "ServiceError", status: 503, retryAfterMs: 7_000 },
  ],
  rateLimited: rejected({ name: "RateLimitError", status: 429, retryAfterMs: 7_000 }),
  failure: rejected({ name: "ServiceError", status: 200, code: 9999 }),
  insufficientCredits: rejected({ name: "InsufficientCreditsError", status: 200, code: 9000 }),
};
/** The faults that have tests of their own; slowBody is in over-http.test.ts. */
const others: readonly FaultName[] = [
  "hang",
  "slowBody",
  "unknownStatus",
  "taskFails",
  "linkExpired",
  "downloadCut",
];

test("every fault is tested", () => {
  expect([...Object.keys(seen), ...others].sort()).toEqual(Object.keys(faultEffects).sort());
});

// The cast: Object.entries forgets which keys there are.
test.for(Object.entries(seen) as [FaultName, [object, object]][])(
  "%s ends a generation, a query and a deletion, and takes effect before or after the response",
  async ([name, [generation, other]]) => {
    const { emulator, media } = start();
    const effects = faultEffects[name] === "after" ? 1 : 0;
    // More often than any client retries.
    const fault = { fault: name, retryAfter: "7", times: 1_000 };
    const { taskid } = await media.image.generate("imgmodelv4", form);
    emulator.next({ ...fault, on: "generateVidmodelv2" });
    expect(await errorOf(media.video.generate("vidmodelv2", form))).toMatchObject(generation);
    expect(emulator.charges).toHaveLength(1 + effects);
    expect(emulator.tasks).toHaveLength(1 + effects);
    const created = emulator.tasks.find(({ kind }) => kind === "video")?.taskid;
    expect(emulator.calls[1]).toMatchObject({
      operation: "generateVidmodelv2",
      fault: name,
      created,
    });
    emulator.next({ ...fault, on: "queryImageTask" });
    expect(await errorOf(media.image.query(taskid))).toMatchObject(other);
    expect(await errorOf(media.video.query(taskid))).toMatchObject({
      code: 9999,
      operation: "queryVideoTask",
    });
    emulator.next({ ...fault, on: "delete", times: 1 });
    expect(await errorOf(media.image.delete([taskid]))).toMatchObject(other);
    expect(emulator.tasks.filter(({ kind }) => kind === "image")).toHaveLength(1 - effects);
    expect(emulator.charges).toHaveLength(1 + effects);
  },
);

test("hang: no response arrives, the task exists, and an aborted generation has an unknown outcome", async () => {
  const { emulator, media } = start();
  emulator.next({ fault: "hang", on: "generate" });
  const leaving = new AbortController();
  const generation = errorOf(media.video.generate("vidmodelv2", form, { signal: leaving.signal }));
  await vi.waitFor(() => expect(emulator.charges).toHaveLength(1));
  // A request that is collected as garbage would never abort.
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  leaving.abort("enough");
  expect(await generation).toMatchObject({ name: unknown });
  await media.video.query(emulator.charges[0]?.taskid ?? "");
});

test("unknownStatus: a wait continues and ends by the results", async () => {
  const { emulator, media } = start();
  const task = await media.image.generate("imgmodelv4", { prompt: "A #slow fox" });
  emulator.next({ fault: "unknownStatus" });
  const statuses: unknown[] = [];
  const record = await task.wait({ onUpdate: ({ status }) => statuses.push(status) });
  expect(statuses[0]).toBe(424_242);
  expect(statuses.length).toBeGreaterThan(1);
  expect(record.url).toHaveLength(1);
});

test("taskFails fails the task, which is billed", async () => {
  const { emulator, media } = start();
  emulator.next({ fault: "taskFails" });
  const task = await media.image.generate("imgmodelv4", form);
  expect(await errorOf(task.wait())).toMatchObject({ name: "TaskFailedError" });
  expect(emulator.charges).toHaveLength(1);
  await (await media.image.generate("imgmodelv4", form)).wait();
});

// A download renews an expired URL once.
test.for<[FaultName, number, object]>([
  ["linkExpired", 2, { name: "ServiceError", status: 403, operation: "download" }],
  ["downloadCut", 1, { name: "ConnectionError", operation: "download" }],
])("%s ends a download, which may be repeated", async ([fault, times, error]) => {
  const { emulator, media } = start();
  const task = await media.image.generate("imgmodelv4", form);
  await task.wait();
  emulator.next({ fault, times });
  expect(await errorOf(blobs(task))).toMatchObject(error);
  expect(await blobs(task)).toHaveLength(1);
});

test("#credits in a prompt means code 9000 and no charge; #slow takes longer", async () => {
  const { emulator, media } = start();
  const error = await errorOf(media.image.generate("imgmodelv4", { prompt: "A fox #credits" }));
  expect([error, emulator.charges]).toMatchObject([{ name: "InsufficientCreditsError" }, []]);
  const begin = emulator.clock.now();
  await (await media.image.generate("imgmodelv4", { prompt: "A fox #slow" })).wait();
  expect(emulator.clock.now() - begin).toBeGreaterThan(20 * 2_500);
});

describe("which calls a fault hits", () => {
  const hits = async (faults: readonly Fault[], seed = 1) => {
    const emulator = createEmulator({ seed });
    const media = createMediaGen({ ...emulator.client, retries: 0 });
    for (const fault of faults) emulator.next(fault);
    for (let index = 0; index < 40; index++) await errorOf(media.image.query("t-0"));
    return emulator.calls.flatMap(({ fault }, index) => (fault ? [[index, fault]] : []));
  };

  test.for<[string, readonly Fault[], unknown]>([
    ["as many as it says", [{ fault: "html", times: 2 }], [0, 1].map((index) => [index, "html"])],
    ["none of another operation", [{ fault: "html", on: "queryVideoTask" }], []],
    [
      "one after the other",
      [{ fault: "html" }, { fault: "emptyBody" }],
      [
        [0, "html"],
        [1, "emptyBody"],
      ],
    ],
  ])("%s", async ([, faults, expected]) => {
    expect(await hits(faults)).toEqual(expected);
  });

  test("a share of them, drawn from the seed", async () => {
    const half = [{ fault: "html", share: 0.5 }] as const;
    const [one, again, other] = await Promise.all([hits(half), hits(half), hits(half, 2)]);
    expect(one.length).toBeGreaterThan(10);
    expect(one.length).toBeLessThan(30);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });
});

test.for<[string, object, RegExp]>([
  ["an unknown name", { fault: "flood" }, /^fault: ".*" is not valid\. Use one of resetBefore, /],
  [
    "a name of every object",
    { fault: "constructor" },
    /^fault: ".*" is not valid\. Use one of resetBefore, /,
  ],
  [
    "an unknown property",
    { fault: "html", time: 3 },
    /^time is not a known property\. Did you mean times\?/,
  ],
])("a fault with %s is rejected, in code and over HTTP", async ([, fault, why]) => {
  const { emulator } = start();
  expect(() => emulator.next(fault as Fault)).toThrow(why);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fault),
  };
  const response = await emulator.fetch("http://emulator.localhost/_emulator/next", init);
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    expect.stringMatching(why.source.replace("^", "")),
  ]);
});
