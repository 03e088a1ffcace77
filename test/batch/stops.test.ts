import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BatchLine, type BatchOptions, runBatch } from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import {
  createMediaGen,
  fileStore,
  InvalidRequestError,
  type MediaGenEvent,
} from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { abortAt, createBatch, isGeneration, linesOf } from "./batch-directory.ts";

test("a line that fails, is rejected or has an unknown outcome does not stop the others; a later run repeats only the rejected one", async () => {
  const lines = [
    ...linesOf(2),
    { id: "fails", model: "imgmodelz", prompt: "#fail" },
    ...linesOf(6).slice(2),
  ];
  const { run, emulator, results, unfinished, out, input } = await createBatch(lines);
  emulator.next({ fault: "resetAfter", on: "generate" });
  emulator.next({ fault: "failure", on: "generate" });
  const counts = { lines: 7, succeeded: 4, failed: 1, unknown: 1, unfinished: 1, generated: 5 };
  expect(await run({ concurrency: 1 })).toMatchObject(counts);
  expect((await results()).map(({ id, state }) => [id, state])).toEqual([
    ["fails", "failed"],
    ...["line-3", "line-4", "line-5", "line-6"].map((id) => [id, "succeeded"]),
  ]);
  const [unknown, rejected] = await unfinished();
  expect(unknown).toMatchObject({
    ...{ line: 1, id: "line-1", state: "unknown", generationId: expect.any(String) },
    ...{ error: { name: "OutcomeUnknownError" }, form: { prompt: "Picture 1" } },
  });
  expect(rejected).toMatchObject({
    line: 2,
    id: "line-2",
    state: "unfinished",
    error: { name: "ServiceError" },
  });

  expect(await run()).toMatchObject({
    succeeded: 5,
    failed: 1,
    unknown: 1,
    unfinished: 0,
    generated: 1,
  });
  expect(await unfinished()).toMatchObject([
    { id: "line-1", state: "unknown", generationId: unknown?.generationId },
  ]);
  const media = createMediaGen({ ...emulator.client, store: fileStore(join(out, "generations")) });
  await media.resolve(unknown?.generationId ?? "", { taskid: emulator.charges[0]?.taskid ?? "" });
  expect(await runBatch(input, out, emulator.client)).toMatchObject({
    succeeded: 6,
    unknown: 0,
    generated: 0,
  });
  expect(emulator.charges).toHaveLength(7);
  expect(new Set((await results()).map(({ id }) => id)).size).toBe(7);
});

test("if the credits run out, nothing more is sent, and the results of running lines are downloaded", async () => {
  const { run, emulator, results } = await createBatch(
    linesOf(20),
    createEmulator({ credits: 5 * 7 }),
  );
  const counts = {
    lines: 20,
    succeeded: 7,
    unfinished: 0,
    generated: 7,
    running: 0,
    stopped: "credits",
  };
  expect(await run({ concurrency: 3 })).toMatchObject(counts);
  expect(emulator.calls.filter(({ code }) => code === 9000).length).toBeLessThanOrEqual(3);
  expect(await results()).toHaveLength(7);
  emulator.credits = 1_000;
  expect(await run()).toMatchObject({ succeeded: 20, generated: 13, stopped: undefined });
  expect(emulator.charges).toHaveLength(20);
});

describe("a batch stops, and bills no further line, after", () => {
  const noConnection = () =>
    Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" }));
  const unreachable = {
    baseUrl: "http://elsewhere.localhost",
    fetch: noConnection,
    fetchSendsOnce: true,
  };
  test.for<[what: string, options: BatchOptions, stopped: string]>([
    ["a wrong key", { apiKey: "wrong" }, "rejected"],
    ["a wrong base URL", { baseUrl: "http://emulator.localhost/elsewhere" }, "rejected"],
    [
      "a proxy without its password",
      { fetch: async () => new Response("", { status: 407 }) },
      "rejected",
    ],
    ["no connection", unreachable, "unreachable"],
  ])("%s", async ([, options, stopped]) => {
    const { run, emulator, unfinished } = await createBatch(linesOf(20));
    const error = { message: expect.any(String) };
    const counts = { lines: 20, succeeded: 0, unfinished: 0, generated: 0, stopped, error };
    expect(await run({ concurrency: 3, ...options })).toMatchObject(counts);
    expect([emulator.calls.length <= 3, await unfinished()]).toEqual([true, []]);
    expect(await run()).toMatchObject({ succeeded: 20, generated: 20, stopped: undefined });
  });

  test("a key that is revoked while it runs", async () => {
    const { run, emulator } = await createBatch(linesOf(20));
    let generations = 0;
    const fetch = (url: string, init: RequestInit) => {
      const isRevoked = isGeneration(url) && ++generations > 5;
      return emulator.fetch(
        url,
        isRevoked ? { ...init, headers: { ...init.headers, authorization: "no" } } : init,
      );
    };
    expect(await run({ concurrency: 2, fetch })).toMatchObject({
      succeeded: 5,
      unfinished: 0,
      stopped: "rejected",
    });
    expect(emulator.calls.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(2);
  });

  test("several unknown outcomes in a row, but not after those of an earlier run", async () => {
    const { run, emulator } = await createBatch(linesOf(20));
    const fetch = async (url: string, init: RequestInit) => {
      await emulator.fetch(url, init);
      return new Response("<html>");
    };
    const stopped = { succeeded: 0, stopped: "unknown", error: { name: "OutcomeUnknownError" } };
    expect(await run({ concurrency: 2, fetch })).toMatchObject(stopped);
    const paid = emulator.charges.length;
    expect([3, 4]).toContain(paid);
    expect(await run({ concurrency: 2 })).toMatchObject({
      succeeded: 20 - paid,
      unknown: paid,
      stopped: undefined,
    });
  });
});

test("a batch does not stop after one rejection among others, or a short outage", async () => {
  const { run, emulator } = await createBatch(linesOf(9));
  const statuses = [200, 403, 405, 200, 0, 0, 200];
  // One response at a time: the next one waits until the batch has counted the last.
  let last = Promise.resolve();
  let counted = () => {};
  const fetch = async (url: string, init: RequestInit) => {
    if (!isGeneration(url)) return emulator.fetch(url, init);
    const turn = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await turn;
    counted = resolve;
    const status = statuses.shift() ?? 200;
    if (status === 200) return emulator.fetch(url, init);
    if (status === 0) throw Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    return new Response("no", { status });
  };
  const onEvent = ({ type }: MediaGenEvent) => void (type === "generated" && counted());
  const onLine = ({ state }: BatchLine) => void (state === "unfinished" && counted());
  const summary = await run({ concurrency: 3, fetch, onEvent, onLine });
  expect(summary).toMatchObject({ succeeded: 5, unfinished: 4, stopped: undefined });
});

describe("an abort", () => {
  test("sends nothing more, and waits for the responses to what was sent; the next run continues", async () => {
    const { run, emulator, out } = await createBatch(linesOf(10));
    const { signal, fetch } = abortAt(3, emulator);
    await expect(run({ concurrency: 2, signal, fetch })).rejects.toThrow("enough");
    const paid = emulator.charges.length;
    expect([3, 4]).toContain(paid);
    expect(await readdir(out)).toContain("index.html");
    expect(await run()).toMatchObject({ succeeded: 10, unknown: 0, generated: 10 - paid });
    expect(emulator.charges).toHaveLength(10);
  });

  test("ends the lines that wait for their turn at once", async () => {
    const { run, emulator } = await createBatch(linesOf(5), createEmulator({ clock: "manual" }));
    const controller = new AbortController();
    const onEvent = ({ type }: MediaGenEvent) =>
      void (type === "generated" && controller.abort(new Error("enough")));
    await expect(run({ concurrency: 1, signal: controller.signal, onEvent })).rejects.toThrow(
      "enough",
    );
    expect(emulator.charges).toHaveLength(1);
  });
});

describe("a batch ends with the error, and bills nothing twice, after", () => {
  test.for<[what: string, options: BatchOptions]>([
    ["a veto", { beforeGenerate: () => Promise.reject(new RangeError("too expensive")) }],
    ["a listener that throws", { onLine: () => Promise.reject(new RangeError("mine")) }],
  ])("%s", async ([, options]) => {
    const { run, emulator } = await createBatch(linesOf(9));
    await expect(run({ concurrency: 2, ...options })).rejects.toBeInstanceOf(RangeError);
    expect(emulator.charges.length).toBeLessThan(5);
    await run();
    expect(emulator.charges).toHaveLength(9);
  });

  test("a change of its input, or of a picture of the same size, after it was checked", async () => {
    const fox = { id: "fox", model: "imgmodelv45", prompt: "A fox", sourceImage: "first.gif" };
    const { run, write, emulator } = await createBatch([fox]);
    const picture = await write("first.gif", "GIF89a, a picture");
    const changePicture = async () => {
      await write("first.gif", "GIF89a, another..");
      // Some file systems have coarse times: both writes may have one.
      await utimes(picture, new Date(), new Date(Date.now() + 1_000));
      return true;
    };
    await expect(run({ confirm: changePicture })).rejects.toThrow("line 1 has changed");
    const changeInput = async () => {
      await write("jobs.jsonl", [{ ...fox, prompt: "A hare" }]);
      return true;
    };
    await expect(run({ confirm: changeInput })).rejects.toThrow(InvalidRequestError);
    expect(emulator.charges).toEqual([]);
  });

  test("a failure of the store, and says that a generation was billed", async () => {
    const { run, out, emulator } = await createBatch(linesOf(3));
    const store = join(out, "generations");
    const onLine = () => rm(store, { recursive: true }).then(() => writeFile(store, ""));
    const cause = { name: "StoreError", billed: "no" };
    await expect(run({ concurrency: 1, onLine })).rejects.toMatchObject({
      billed: "yes",
      isRetryable: true,
      cause,
    });
    expect(emulator.charges).toHaveLength(1);
  });
});

test("a directory that a second run takes from a running one is billed once for each line", async () => {
  const { run, out, emulator, results } = await createBatch(linesOf(6));
  let second: Promise<unknown> | undefined;
  const onLine = () =>
    void (second ??= rm(join(out, ".lock"), { recursive: true }).then(() => run()));
  // Both may fail, because each removes files of the other one.
  await run({ concurrency: 2, onLine }).catch(() => undefined);
  await second?.catch(() => undefined);
  expect(await run()).toMatchObject({ succeeded: 6, generated: 0 });
  expect(emulator.charges).toHaveLength(6);
  expect((await results()).map(({ id }) => id).sort()).toEqual(linesOf(6).map(({ id }) => id));
});
