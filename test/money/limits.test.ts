import { type BeforeGenerate, OutcomeUnknownError } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  gate,
  lost,
  neverSent,
  rejection,
  type Reply,
  sharedStore,
} from "../sdk/fake-service.ts";

const form = { prompt: "A fox" };

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const abortable = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error("no")) };
};
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("beforeGenerate", () => {
  test("receives the form, its model, and the number of results that it requests", async () => {
    const beforeGenerate = vi.fn<BeforeGenerate>();
    const { media } = clientOf([], { beforeGenerate });
    const four = { ...form, batchsize: 4 };
    await media.image.generate("imgmodelv4", four);
    await media.video.generate("vidmodelv2", form);
    expect(beforeGenerate.mock.calls).toEqual([
      [four, { kind: "image", model: "imgmodelv4", resultCount: 4 }],
      [form, { kind: "video", model: "vidmodelv2", resultCount: 1 }],
    ]);
  });

  test("is not called for a key that finds its task, in this process, at the same time, or in another one", async () => {
    const beforeGenerate = vi.fn<BeforeGenerate>();
    const store = sharedStore();
    const { generate, sent } = clientOf([], { beforeGenerate, store });
    const tasks = await Promise.all(times(3, () => generate("1")));
    tasks.push(await generate("1"), await clientOf([], { beforeGenerate, store: { ...store } }).generate("1"));
    expect(new Set(tasks.map(({ taskid }) => taskid)).size).toBe(1);
    expect([beforeGenerate.mock.calls.length, sent()]).toEqual([1, 1]);
  });

  test("is not called for a key whose outcome is unknown", async () => {
    const beforeGenerate = vi.fn<BeforeGenerate>();
    const { generate, sent } = clientOf([lost], { beforeGenerate, store: sharedStore() });
    for (let tries = 0; tries < 3; tries++) expect(await errorOf(generate("1"))).toBeInstanceOf(OutcomeUnknownError);
    expect([beforeGenerate.mock.calls.length, sent()]).toEqual([1, 1]);
  });

  /** A client that may pay for so many results. What was not billed is given back. */
  function limited(most: number, replies: readonly Reply[]) {
    let left = most;
    const beforeGenerate: BeforeGenerate = (_, { resultCount }) => {
      if (resultCount > left) throw new Error("the limit is reached");
      left -= resultCount;
    };
    const client = clientOf(replies, { beforeGenerate });
    const generate = async (key?: string) =>
      client.generate(key).catch((error: unknown) => {
        const isBilled = error instanceof OutcomeUnknownError;
        if (!isBilled && (error as Error).message !== "the limit is reached") left++;
        throw error;
      });
    return { ...client, generate };
  }

  test("can limit what is sent at once: 3 of 30", async () => {
    const { generate, sent } = limited(3, []);
    const results = await Promise.allSettled(times(30, () => generate()));
    const rejected = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(rejected).toEqual(times(27, () => new Error("the limit is reached")));
    expect(sent()).toBe(3);
  });

  test.for<[string, Reply, boolean]>([
    ["rejected", rejection, false],
    ["never sent", neverSent, false],
    ["of unknown outcome", lost, true],
  ])("can count exactly: a generation that is %s", async ([, reply, isUsed]) => {
    const { generate } = limited(1, [reply, () => created("t-1")]);
    await errorOf(generate());
    const next = await errorOf(generate());
    if (isUsed) expect(next).toEqual(new Error("the limit is reached"));
    else expect(next).toHaveProperty("taskid", "t-1");
  });
});

describe("calls with one key at once", () => {
  test("end by their own signals alone, and one goes on where the other was aborted before it was sent", async () => {
    const approval = gate();
    const options = { store: sharedStore(), beforeGenerate: () => approval.promise };
    const { media, generate, sent } = clientOf([() => created("t-1")], options);
    const [one, other] = [abortable(), abortable()];
    const calls = [one, other].map(({ signal }) =>
      errorOf(media.image.generate("imgmodelz", form, { idempotencyKey: "1", signal })),
    );
    const third = generate("1");
    await turns();
    other.abort();
    expect(await calls[1]).toEqual(new Error("no"));
    one.abort();
    expect(await calls[0]).toEqual(new Error("no"));
    approval.resolve();
    expect([(await third) as unknown, sent()]).toMatchObject([{ taskid: "t-1" }, 1]);
  });

  test("reject another form", async () => {
    const { generate, sent } = clientOf([], { store: sharedStore() });
    const ended = await Promise.allSettled([generate("1"), generate("1", "A hen")]);
    // Either may be first: each hashes its form on another thread.
    expect([ended.map(({ status }) => status).toSorted(), sent()]).toEqual([["fulfilled", "rejected"], 1]);
    const rejected = ended.find(({ status }) => status === "rejected");
    expect(rejected).toHaveProperty("reason.message", expect.stringContaining("with another form"));
  });
});
