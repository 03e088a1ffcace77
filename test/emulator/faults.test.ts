import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createEmulator,
  faultEffects,
  listen,
  type Emulator,
  type EmulatorServer,
  type Fault,
  type FaultName,
} from "@mediagen/emulator/node";
import {
  ConnectionError,
  createMediaGen,
  download,
  InsufficientCreditsError,
  OutcomeUnknownError,
  RateLimitError,
  ServiceError,
  TaskFailedError,
  type MediaGen,
  type SleepReason,
} from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const form = { prompt: "A fox runs through snow" };
const outcome = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** What each fault of an answer is, seen through the SDK. */
interface Seen {
  readonly generation: readonly [type: unknown, fields: object];
  /** What a query or a deletion ends in. */
  readonly other: readonly [type: unknown, fields: object];
}

const lost: Seen = { generation: [OutcomeUnknownError, { status: undefined }], other: [ConnectionError, {}] };
const unreadable = (status: number): Seen => ({
  generation: [OutcomeUnknownError, { status }],
  other: [ServiceError, { status, code: undefined }],
});
const rejection = (type: unknown, fields: object): Seen => ({ generation: [type, fields], other: [type, fields] });

const seen: Partial<Record<FaultName, Seen>> = {
  resetBefore: lost,
  resetAfter: lost,
  cutBody: lost,
  html: unreadable(200),
  brokenJson: unreadable(200),
  emptyBody: unreadable(200),
  serverError: unreadable(500),
  wrongCode: {
    generation: [OutcomeUnknownError, { status: 200 }],
    other: [ServiceError, { status: 200, code: 4_242 }],
  },
  unavailable: {
    generation: [OutcomeUnknownError, { status: 503 }],
    other: [ServiceError, { status: 503, retryAfterMs: 7_000 }],
  },
  rateLimited: rejection(RateLimitError, { status: 429, retryAfterMs: 7_000 }),
  failure: rejection(ServiceError, { status: 200, code: 9999 }),
  insufficientCredits: rejection(InsufficientCreditsError, { status: 200, code: 9000 }),
};
const faults = Object.entries(seen) as [FaultName, Seen][];

/** The faults that tests of their own are about. */
const alone: readonly FaultName[] = ["hang", "slowBody", "unknownStatus", "taskFails", "linkExpired", "downloadCut"];

/** Collects what nothing holds, as any longer run does. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

test("every fault is tested", () => {
  expect([...Object.keys(seen), ...alone].sort()).toEqual(Object.keys(faultEffects).sort());
});

const servers: EmulatorServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** An emulator, a client on it, and a way to ask it for faults. */
interface Setup {
  readonly emulator: Emulator;
  readonly media: MediaGen;
  next(fault: Fault): Promise<void>;
}

async function withoutAPort(): Promise<Setup> {
  const emulator = createEmulator();
  // Without retries a fault of one call is what that call ends in.
  return {
    emulator,
    media: createMediaGen({ ...emulator.client, retries: 0 }),
    next: async (fault) => emulator.next(fault),
  };
}

async function behindAPort(): Promise<Setup> {
  const emulator = createEmulator();
  const server = await listen(emulator);
  servers.push(server);
  const {
    apiKey,
    statuses,
    clock: { random },
  } = emulator.client;
  // Each query moves the emulator's time on, so waits need not sleep as long as they say.
  const sleep = async (ms: number, signal: AbortSignal, why: SleepReason) =>
    setTimeout(why === "pause" ? ms / 100 : ms, undefined, { signal });
  const media = createMediaGen({ baseUrl: server.baseUrl, apiKey, statuses, clock: { random, sleep }, retries: 0 });
  const next = async (fault: Fault) => {
    const answer = await fetch(`${server.baseUrl}/_emulator/next`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault),
    });
    expect(answer.status).toBe(200);
  };
  return { emulator, media, next };
}

describe.for([
  ["asked for as code, without a port", withoutAPort],
  ["asked for over HTTP, behind a port", behindAPort],
] as const)("%s", ([, setUp]) => {
  describe.for(faults)("%s", ([fault, { generation, other }]) => {
    // More often than any client tries again, so that what it makes of the fault is seen.
    const again = { fault, retryAfter: "7", times: 1_000 };
    const expectError = (error: unknown, [type, fields]: Seen["other"]) => {
      expect(error).toBeInstanceOf(type);
      expect((error as Error).constructor).toBe(type);
      expect(error).toMatchObject(fields);
    };

    test("of a generation, which is charged once where it took effect and not at all where it did not", async () => {
      const { emulator, media, next } = await setUp();
      await next({ ...again, on: "generate" });
      expectError(await outcome(media.video.generate("vidmodelv2", form)), generation);
      expect(emulator.charges).toHaveLength(faultEffects[fault] === "after" ? 1 : 0);
      expect(emulator.tasks).toHaveLength(emulator.charges.length);
      expect(emulator.calls[0]).toMatchObject({
        operation: "generateVidmodelv2",
        fault,
        created: emulator.tasks[0]?.taskid,
      });
      expect(
        (
          await media.video
            .task(emulator.charges[0]?.taskid ?? "t-0")
            .check()
            .catch(() => undefined)
        )?.state,
      ).toBe(emulator.charges[0] && "pending");
    });

    test("of a query, which changes nothing", async () => {
      const { emulator, media, next } = await setUp();
      const { taskid } = await media.image.generate("imgmodelv4", form);
      await next({ ...again, on: "queryImageTask" });
      expectError(await outcome(media.image.query(taskid)), other);
      expect(await outcome(media.video.query(taskid))).toMatchObject({ code: 9999, operation: "queryVideoTask" });
      expect(emulator.charges).toHaveLength(1);
    });

    test("of a deletion, which is done where it took effect", async () => {
      const { emulator, media, next } = await setUp();
      const { taskid } = await media.image.generate("imgmodelv4", form);
      await next({ ...again, on: "delete", times: 1 });
      expectError(await outcome(media.image.delete([taskid])), other);
      expect(emulator.tasks).toHaveLength(faultEffects[fault] === "after" ? 0 : 1);
    });
  });

  test("hang: no answer comes, the task is there, and whoever leaves gets an unknown outcome", async () => {
    const { emulator, media, next } = await setUp();
    await next({ fault: "hang", on: "generate" });
    const leaving = new AbortController();
    const generation = outcome(media.video.generate("vidmodelv2", form, { signal: leaving.signal }));
    await vi.waitFor(() => expect(emulator.charges).toHaveLength(1));
    collectGarbage();
    leaving.abort("enough");
    expect(await generation).toBeInstanceOf(OutcomeUnknownError);
    await media.video.query(emulator.charges[0]?.taskid ?? "");
  });

  test("hang: a limit of the caller's ends it, and other waits go on meanwhile", async () => {
    const { emulator, next } = await setUp();
    await next({ fault: "hang", on: "generateImgmodelz" });
    const media = createMediaGen({ ...emulator.client, retries: 0, generateTimeoutMs: 300 });
    const hanging = outcome(media.image.generate("imgmodelz", form));
    const task = await media.image.generate("imgmodelv4", form);
    expect((await task.wait()).url).toHaveLength(1);
    expect(await hanging).toMatchObject({
      name: "OutcomeUnknownError",
      message: expect.stringContaining("longer than 0.3 s"),
    });
  });

  test("unknownStatus: a wait goes on and ends by the results", async () => {
    const { media, next } = await setUp();
    const task = await media.image.generate("imgmodelv4", { prompt: "A #slow fox" });
    await next({ fault: "unknownStatus" });
    const statuses: unknown[] = [];
    const record = await task.wait({ onUpdate: ({ status }) => statuses.push(status) });
    expect(statuses[0]).toBe(424_242);
    expect(statuses.length).toBeGreaterThan(1);
    expect(record.url).toHaveLength(1);
  });

  test("taskFails: the generation succeeds, is paid, and fails", async () => {
    const { emulator, media, next } = await setUp();
    await next({ fault: "taskFails" });
    const task = await media.image.generate("imgmodelv4", form);
    expect(await outcome(task.wait())).toBeInstanceOf(TaskFailedError);
    expect(emulator.charges).toHaveLength(1);
    await (await media.image.generate("imgmodelv4", form)).wait();
  });

  describe("of a download, which leaves no file and may be repeated", () => {
    let directory = "";
    beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "mediagen-"))));
    afterEach(() => rm(directory, { recursive: true, force: true }));

    // As often as it takes until a download gives up: an address is renewed once.
    test.for<[FaultName, number, unknown, object]>([
      ["linkExpired", 2, ServiceError, { status: 403, operation: "download" }],
      ["downloadCut", 1, ConnectionError, { operation: "download" }],
    ])("%s", async ([fault, times, type, fields]) => {
      const { media, next } = await setUp();
      const task = await media.image.generate("imgmodelv4", form);
      await task.wait();
      await next({ fault, times });
      const error = await outcome(download(task, directory));
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject(fields);
      expect(await readdir(directory)).toEqual([]);
      expect(await download(task, directory)).toHaveLength(1);
    });
  });
});

test("slowBody: the answer comes whole in the end", async () => {
  const { emulator, media, next } = await behindAPort();
  await next({ fault: "slowBody" });
  const { taskid } = await media.video.generate("vidmodelv2", form);
  expect(emulator.charges).toMatchObject([{ taskid }]);
});

describe("magic words in a prompt", () => {
  test("#credits answers 9000 and charges nothing", async () => {
    const { client, charges } = createEmulator();
    expect(
      await outcome(createMediaGen(client).image.generate("imgmodelv4", { prompt: "A fox #credits" })),
    ).toBeInstanceOf(InsufficientCreditsError);
    expect(charges).toEqual([]);
  });

  test("#fail fails the task, which is paid", async () => {
    const emulator = createEmulator();
    const task = await createMediaGen(emulator.client).image.generate("imgmodelv4", { prompt: "A #fail fox" });
    expect(await outcome(task.wait())).toBeInstanceOf(TaskFailedError);
    expect(emulator.charges).toHaveLength(1);
  });

  test("#slow takes longer by what the behaviour says", async () => {
    const { client, clock } = createEmulator();
    const media = createMediaGen(client);
    const took = async (prompt: string) => {
      const start = clock.now();
      await (await media.image.generate("imgmodelv4", { prompt })).wait();
      return clock.now() - start;
    };
    expect(await took("A fox")).toBeLessThan(10_000);
    expect(await took("A fox #slow")).toBeGreaterThan(20 * 2_500);
  });
});

describe("which calls a fault hits", () => {
  const hits = async (fault: Fault, seed = 1) => {
    const emulator = createEmulator({ seed });
    const media = createMediaGen({ ...emulator.client, retries: 0 });
    emulator.next(fault);
    for (let index = 0; index < 40; index++) await outcome(media.image.query("t-0"));
    return emulator.calls.map((call) => call.fault !== undefined);
  };

  test("the next one, unless it says how often", async () => {
    expect((await hits({ fault: "html" })).indexOf(true)).toBe(0);
    expect((await hits({ fault: "html" })).filter(Boolean)).toHaveLength(1);
    expect((await hits({ fault: "html", times: 3 })).lastIndexOf(true)).toBe(2);
    expect((await hits({ fault: "html", on: "generate" })).filter(Boolean)).toEqual([]);
    expect((await hits({ fault: "html", on: "queryVideoTask" })).filter(Boolean)).toEqual([]);
  });

  test("a share of them, drawn from the seed", async () => {
    const [one, again, other] = await Promise.all([
      hits({ fault: "html", share: 0.5 }),
      hits({ fault: "html", share: 0.5 }),
      hits({ fault: "html", share: 0.5 }, 2),
    ]);
    expect(one.filter(Boolean).length).toBeGreaterThan(10);
    expect(one.filter(Boolean).length).toBeLessThan(30);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  test("in the order in which they were asked for", async () => {
    const emulator = createEmulator();
    for (const fault of ["html", "emptyBody", "rateLimited"] as const) emulator.next({ fault });
    const media = createMediaGen({ ...emulator.client, retries: 0 });
    for (let index = 0; index < 4; index++) await outcome(media.image.query("t-0"));
    expect(emulator.calls.map(({ fault }) => fault)).toEqual(["html", "emptyBody", "rateLimited", undefined]);
  });
});

describe("a fault that there is not", () => {
  test.for<[string, object]>([
    ["its name", { fault: "flood" }],
    ["a name of every object", { fault: "constructor" }],
    ["none", {}],
  ])("is refused with the names that there are: %s", async ([, fault]) => {
    const emulator = createEmulator();
    expect(() => emulator.next(fault as Fault)).toThrow(/^fault: ".*" is not valid\. Use one of resetBefore, /);
    const answer = await emulator.fetch("http://emulator.localhost/_emulator/next", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("resetBefore, ");
  });
});
