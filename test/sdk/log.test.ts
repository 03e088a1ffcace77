import { type GenerationRecord, memoryStore, type MediaGenOptions } from "@mediagen/sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf, type FakeOptions, lost, neverSent, type Reply, success } from "./fake-service.ts";

/** A client without a listener. */
const clientWithout = (replies: readonly Reply[], options: FakeOptions = {}) =>
  clientOf(replies, { onEvent: undefined, ...options });

/** What was printed to stderr. */
let printed: unknown[][];

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
  const write = async (record: GenerationRecord) => {
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
    const about = 'operation="generateImgmodelz" kind="image" model="imgmodelz"';
    const why = "nothing was sent (fetch failed: why)";
    expect(printed.map(([line, ...more]) => [String(line).replace(/ at=[\d.]+/, ""), ...more])).toEqual([
      [`mediagen: retried ${about} durationMs=100 attempt=1 delayMs=250 error="NeverSentError: ${why}"`],
      [
        `mediagen: generated ${about} taskid="t-1" durationMs=450 attempt=2 requestId="req-1" resultCount=1 origin="http://localhost"`,
      ],
      [
        expect.stringMatching(
          /^mediagen: ended kind="image" model="imgmodelz" taskid="t-1" state="succeeded" status=2 /,
        ),
      ],
    ]);
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
    const errors = printed.map(([line]) => /^mediagen: (\w+) .* error="(.*)"$/.exec(String(line))?.slice(1));
    expect(errors).toEqual([
      ["failed", "ServiceError 400 9999"],
      ["failed", "InsufficientCreditsError 200 9000"],
      ["failed", "OutcomeUnknownError 200"],
      ["failed", "OutcomeUnknownError 500"],
      ["failed", "OutcomeUnknownError"],
      ["failed", "InvalidRequestError"],
      ["failed", "Error"],
      ["retried", "ServiceError 400 9999"],
      undefined,
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
    const line = /^mediagen: storeFailed generationId="(\S+)" task=(\{.*\}) error="Error: the disk is full"$/;
    const [, id, saved = ""] = line.exec(String(printed[0]?.[0])) ?? [];
    expect([id, JSON.parse(saved)]).toEqual([task.generationId, task.toJSON()]);
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
