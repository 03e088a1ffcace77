import { createMediaGen, type GenerationRecord, type LogLevel, memoryStore, type MediaGenOptions } from "@mediagen/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, type FakeOptions, neverSent, type Reply, success } from "./fake-service.ts";

const levels = ["error", "warn", "info", "debug"] as const;

/** Waits until the lines that are on their way are written: the first one loads what makes them. */
const written = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A client and the lines of its log, each with its level. */
function logged(replies: readonly Reply[], options: FakeOptions = {}) {
  const lines: string[] = [];
  const entries = levels.map((level) => [level, (line: string) => void lines.push(`${level} ${line}`)] as const);
  const logger = Object.fromEntries(entries) as Record<(typeof levels)[number], (line: string) => void>;
  const client = clientOf(replies, { logger, logLevel: undefined, onEvent: undefined, random: () => 0.5, ...options });
  const read = async () => {
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0));
    await written();
    return lines;
  };
  return { ...client, logger, lines, read };
}

const done = { taskid: "t-1", url: ["http://localhost/1.png"], image_status: 2 };
const failing = { taskid: "t-1", url: [], image_status: 3, message: "no" };
/** A store that does not record tasks. */
function fullStore() {
  const store = memoryStore();
  const write = async (record: GenerationRecord) => {
    if (record.state === "created") throw new Error("the disk is full");
    return store.write(record);
  };
  return { ...store, write };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("the log has one line for each event", () => {
  test("with what happened, by its level, in order", async () => {
    const client = logged(
      [
        neverSent,
        () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } }, { headers: { "x-request-id": "req-1" } }),
        () => success({ ...done, url: [] }),
        () => success(done),
      ],
      { logLevel: "debug", retries: 1, latencyMs: 100 },
    );
    await (await client.generate()).wait();
    const lines = (await client.read()).map((line) => line.replace(/ generationId=\w+/, ""));
    const about = "operation=generateImgmodelz kind=image model=imgmodelz";
    const query = "operation=queryImageTask kind=image model=imgmodelz taskid=t-1";
    expect(lines).toEqual([
      `info mediagen: retried ${about} durationMs=100 attempt=1 delayMs=250 error=NeverSentError why="nothing was sent (fetch failed: why)"`,
      `info mediagen: generated ${about} taskid=t-1 durationMs=450 attempt=2 requestId=req-1 resultCount=1 origin=http://localhost`,
      `debug mediagen: queried ${query} durationMs=100 attempt=1 status=2`,
      `debug mediagen: queried ${query} durationMs=100 attempt=1 status=2`,
      expect.stringMatching(/^info mediagen: settled kind=image model=imgmodelz taskid=t-1 state=succeeded status=2 /),
    ]);
  });

  test.for<[LogLevel, number]>([
    ["off", 0],
    ["error", 0],
    ["warn", 0],
    ["info", 2],
    ["debug", 3],
  ])("as far as the level goes: %s", async ([logLevel, count]) => {
    const client = logged([() => success({ taskid: "t-1" }), () => success(done)], { logLevel });
    await (await client.generate()).wait();
    await written();
    expect(client.lines).toHaveLength(count);
  });

  test("whether or not there is a listener", async () => {
    const events: string[] = [];
    const onEvent = ({ type }: { readonly type: string }) => void events.push(type);
    const client = logged([() => success({ taskid: "t-1" })], { logLevel: "info", onEvent });
    await client.generate();
    expect(await client.read()).toEqual([expect.stringContaining("mediagen: generated")]);
    expect(events).toEqual(["generated"]);
  });

  test("without the key and without a prompt, also where a call fails", async () => {
    const canary = "a canary of a prompt";
    const replies: readonly Reply[] = [
      () => Response.json({ code: 9999, msg: `sk-canary: ${canary} is not allowed` }, { status: 400 }),
      () => Response.json({ code: 9000, msg: canary }),
      () => Response.json({ code: 7, msg: canary }),
      () => new Response(canary, { status: 500 }),
      () => Promise.reject(new TypeError("fetch failed with sk-canary")),
    ];
    const client = logged(replies, { logLevel: "debug" });
    for (const _ of replies) await errorOf(client.generate(undefined, canary));
    await errorOf(client.media.image.generate("imgmodelv45", { prompt: canary, resolution: canary as "2K" }));
    const veto = logged([], { logLevel: "debug", beforeGenerate: () => Promise.reject(new Error(canary)) });
    await errorOf(veto.generate());
    const lines = [...(await client.read()), ...(await veto.read())];
    const failed = /^info mediagen: failed operation=generateImgmodel\w+ kind=image model=imgmodel\w+ .*attempt=[01]/;
    expect(lines).toEqual(Array(7).fill(expect.stringMatching(failed)));
    expect(lines.map((line) => line.replace(/^.*attempt=. /, ""))).toEqual([
      "error=ServiceError status=400 code=9999",
      "error=InsufficientCreditsError status=200 code=9000",
      "error=OutcomeUnknownError status=200",
      "error=OutcomeUnknownError status=500",
      "error=OutcomeUnknownError",
      'error=InvalidRequestError invalid="resolution notOneOf"',
      "error=Error",
    ]);
    expect(lines.join("\n")).not.toMatch(/canary/);
  });
});

describe("without a logger, the console has", () => {
  const shownAt = (level: (typeof levels)[number]) => vi.spyOn(console, level).mockReturnValue();

  test("what to do about a task that may have failed, at the level that is the default", async () => {
    const shown = shownAt("warn");
    const { media } = clientOf(
      Array<Reply>(9).fill(() => success(failing)),
      { logLevel: undefined },
    );
    const task = media.image.task("t-1");
    for (let checks = 0; checks < 9; checks++) await task.check();
    await vi.waitFor(() => expect(shown).toHaveBeenCalled());
    expect(shown.mock.calls).toEqual([
      [
        "mediagen: taskMayHaveFailed: The record of task t-1 has status 3. " +
          "If 3 means that it has failed, add it to the option statuses.failed or to MEDIAGEN_FAILED_STATUSES. " +
          "If it means that the task is still running, add it to statuses.pending.",
      ],
    ]);
  });

  test("a paid task that the store could not record, as JSON, on one line", async () => {
    const shown = shownAt("error");
    const options = { store: fullStore(), passing: [], logLevel: undefined };
    const task = await clientOf([() => success({ taskid: "t-1" })], options).generate();
    await vi.waitFor(() => expect(shown).toHaveBeenCalledOnce());
    const [, id, saved = "", ...rest] =
      /^mediagen: storeFailed generationId=(\S+) task=(\{.*\}) (.*)$/.exec(String(shown.mock.calls[0]?.[0])) ?? [];
    expect([id, JSON.parse(saved), rest]).toEqual([
      task.generationId,
      task.toJSON(),
      ['error=Error why="the disk is full"'],
    ]);
  });

  test.for<[string, MediaGenOptions["onEvent"]]>([
    ["throws", () => throws()],
    ["rejects", async () => throws()],
  ])("what a listener %s, which costs no task and ends no process", async ([, onEvent]) => {
    const shown = shownAt("error");
    const { generate } = clientOf([() => success({ taskid: "t-1" })], { onEvent, logLevel: "error" });
    expect((await generate()).taskid).toBe("t-1");
    await vi.waitFor(() => expect(shown).toHaveBeenCalled());
    expect(shown.mock.calls).toEqual([["mediagen: onEvent at generated threw error=Error"]]);
  });
});

function throws(): never {
  throw new Error("mine\nand yours");
}

test.for<[string, () => unknown]>([
  ["throws", throws],
  ["rejects", async () => throws()],
])("a logger that %s costs no task, no later line and no process", async ([, info]) => {
  const rejections: unknown[] = [];
  const rejected = (error: unknown) => void rejections.push(error);
  process.on("unhandledRejection", rejected);
  const lines: string[] = [];
  try {
    const logger = { ...console, info: (line: string) => (lines.push(line), info()) };
    const { generate } = clientOf([() => success({ taskid: "t-1" })], { logger, logLevel: "info" });
    expect((await generate()).taskid).toBe("t-1");
    expect((await generate()).taskid).toBe("t-1");
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    await written();
    expect(rejections).toEqual([]);
  } finally {
    process.off("unhandledRejection", rejected);
  }
});

describe("the level", () => {
  test("comes from the options, else from the environment", async () => {
    vi.stubEnv("MEDIAGEN_LOG", "info");
    for (const [logLevel, count] of [
      [undefined, 1],
      ["warn", 0],
    ] as const) {
      const client = logged([() => success({ taskid: "t-1" })], { logLevel });
      await client.generate();
      await written();
      expect(client.lines).toHaveLength(count);
    }
  });

  test("is rejected if it is none, by the name of the option or the variable", () => {
    const create = (options: object) => () => createMediaGen({ baseUrl: "http://localhost", ...options });
    const expected = "is not valid. Use one of off, error, warn, info, debug.";
    expect(create({ logLevel: "verbose" })).toThrow(`createMediaGen: logLevel "verbose" ${expected}`);
    vi.stubEnv("MEDIAGEN_LOG", "1");
    expect(create({})).toThrow(`createMediaGen: MEDIAGEN_LOG "1" ${expected}`);
    expect(create({ logLevel: "warn" })).not.toThrow();
    vi.stubEnv("MEDIAGEN_LOG", "");
    expect(create({})).not.toThrow();
  });

  test("needs a logger with a method for each", () => {
    for (const logger of [null, {}, { ...console, debug: undefined }, "console"])
      expect(() => createMediaGen({ baseUrl: "http://localhost", logger: logger as never })).toThrow(
        /^createMediaGen: logger\.\w+ must be a function, not (undefined|null)\.$/,
      );
  });
});
