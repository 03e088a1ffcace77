import { type GenerationEntry, memoryStore, type MediaGenOptions } from "@mediagen/sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, type FakeOptions, lost, neverSent, type Reply, success } from "./fake-service.ts";

/** A client without a listener. */
const clientWithout = (replies: readonly Reply[], options: FakeOptions = {}) =>
  clientOf(replies, { onEvent: undefined, ...options });

/** What was printed to stderr. */
let printed: unknown[][];
/** The events that were printed. */
const lines = () =>
  printed.map(([line]) => JSON.parse(String(line).replace("mediagen: ", "")) as Record<string, unknown>);

beforeEach(() => {
  printed = [];
  vi.spyOn(console, "error").mockImplementation((...given: unknown[]) => void printed.push(given));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const done = { taskid: "t-1", url: ["http://localhost/1.png"], image_status: 2 };

/** A store that does not record tasks. */
function fullStore() {
  const store = memoryStore();
  const write = async (record: GenerationEntry) => {
    if (record.state === "created") throw new Error("the disk is full");
    return store.write(record);
  };
  return { ...store, write };
}

describe("with MEDIAGEN_LOG=1, each event is printed as one line", () => {
  beforeEach(() => vi.stubEnv("MEDIAGEN_LOG", "1"));

  test("with what happened, in order, whether or not there is a listener", async () => {
    const onEvent = vi.fn();
    const named = { headers: { "x-request-id": "req-1" } };
    const client = clientWithout(
      [
        neverSent,
        () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } }, named),
        () => success({ ...done, url: [] }),
        () => success(done),
      ],
      { onEvent, retries: 1, latencyMs: 100 },
    );
    await (await client.generate()).wait();
    const about = { operation: "generateImgmodelz", kind: "image", model: "imgmodelz", at: expect.any(Number) };
    const error = { name: "NeverSentError", message: "nothing was sent (fetch failed: why)" };
    const origin = "http://localhost";
    expect(lines()).toEqual([
      { type: "retried", ...about, durationMs: 100, attempt: 1, delayMs: 250, error },
      {
        type: "generated",
        ...about,
        taskid: "t-1",
        durationMs: 450,
        attempt: 2,
        requestId: "req-1",
        resultCount: 1,
        origin,
      },
      expect.objectContaining({ type: "ended", kind: "image", taskid: "t-1", state: "succeeded", status: 2 }),
    ]);
    for (const [line, ...more] of printed)
      expect([String(line), more]).toEqual([expect.not.stringContaining("\n"), []]);
    expect(onEvent).toHaveBeenCalledTimes(3);
  });

  test("without the key and without a prompt, also where a call fails", async () => {
    const canary = "a canary\nof a prompt";
    const rejection = () => Response.json({ code: 9999, msg: `sk-canary: ${canary} is not allowed` }, { status: 400 });
    const replies: readonly Reply[] = [
      rejection,
      () => Response.json({ code: 9000, msg: canary }),
      () => Response.json({ code: 7, msg: canary }),
      () => new Response(canary, { status: 500 }),
      () => Promise.reject(new TypeError("fetch failed with sk-canary")),
    ];
    const client = clientWithout(replies);
    for (const _ of replies) await errorOf(client.generate(undefined, canary));
    await errorOf(client.media.image.generate("imgmodelv45", { prompt: canary, resolution: canary as "2K" }));
    const veto = clientWithout([], { beforeGenerate: () => Promise.reject(new Error(canary)) });
    await errorOf(veto.generate());
    const polls = clientWithout([rejection, () => success(done)]);
    await polls.media.image.task("t-1").wait();
    expect(lines().map(({ type, error }) => [type, error])).toEqual([
      ["failed", { name: "ServiceError", status: 400, code: 9999 }],
      ["failed", { name: "InsufficientCreditsError", status: 200, code: 9000 }],
      ["failed", { name: "OutcomeUnknownError", status: 200, code: 7 }],
      ["failed", { name: "OutcomeUnknownError", status: 500 }],
      ["failed", { name: "OutcomeUnknownError" }],
      ["failed", { name: "InvalidRequestError" }],
      ["failed", { name: "Error" }],
      ["retried", { name: "ServiceError", status: 400, code: 9999 }],
      ["ended", undefined],
    ]);
    expect(printed.join("\n")).not.toMatch(/canary/);
  });
});

describe("without MEDIAGEN_LOG", () => {
  test("nothing is printed that a call reports", async () => {
    const client = clientWithout([() => success({ taskid: "t-1" }), () => success(done), lost]);
    await (await client.generate()).wait();
    await errorOf(client.generate());
    expect(printed).toEqual([]);
  });

  test("a task that is not recorded is printed on one line, unless there is a listener", async () => {
    const reply = () => success({ taskid: "t-1" });
    const task = await clientWithout([reply], { store: fullStore(), passing: [] }).generate();
    const error = { name: "Error", message: "the disk is full" };
    expect(lines()[0]).toEqual({ type: "storeFailed", generationId: task.generationId, task: task.toJSON(), error });
    printed = [];
    const heard = clientOf([reply], { store: fullStore(), passing: [] });
    await heard.generate();
    expect(heard.events.map(({ type }) => type)).toContain("storeFailed");
    expect(printed).toEqual([]);
  });
});

const mistake = new Error("mine");
test.for<[string, MediaGenOptions["onEvent"]]>([
  [
    "throws",
    () => {
      throw mistake;
    },
  ],
  ["rejects", () => Promise.reject(mistake)],
])("a listener that %s costs no task and ends no process, and its error is printed", async ([, onEvent]) => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  try {
    const { generate } = clientOf([() => success({ taskid: "t-1" })], { onEvent });
    expect((await generate()).taskid).toBe("t-1");
    await vi.waitFor(() => expect(printed).toEqual([["mediagen: onEvent threw", mistake]]));
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
  }
});
