import { cp, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createEmulator, type Emulator } from "@mediagen/emulator";
import {
  planBatch,
  runBatch,
  type BatchLine,
  type BatchOptions,
  type BatchPlan,
  type BatchProgress,
} from "@mediagen/batch";
import { createMediaGen, fileStore, generationIdOf, InvalidRequestError, type MediaGenEvent } from "@mediagen/sdk/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createBatchDirectory, linesOf } from "./batch-directory.ts";

async function start(lines: readonly object[], emulator: Emulator = createEmulator()) {
  const batch = await createBatchDirectory();
  const input = await batch.write("jobs.jsonl", lines);
  const run = (options: BatchOptions = {}) =>
    runBatch(input, batch.out, { ...emulator.client, retries: 0, ...options });
  return { ...batch, input, emulator, run };
}

const isGeneration = (url: string) => !/infobytaskid|results/.test(url);

describe("a batch", () => {
  test("brings each line's results into the directory, under the line's id, and tells of each", async () => {
    const told: BatchLine[] = [];
    const { run, out, results } = await start([
      ...linesOf(2),
      { id: "three", model: "imgmodelv4", prompt: "A fox", batchsize: 3 },
      { id: "clip", model: "vidmodelv2", prompt: "A fox" },
    ]);
    expect(await run({ onLine: (line) => void told.push(line) })).toMatchObject({
      lines: 4,
      succeeded: 4,
      failed: 0,
      unknown: 0,
      unfinished: 0,
      running: 0,
      generated: 4,
    });
    expect((await readdir(out)).sort()).toEqual([
      "clip-1.mp4",
      "generations",
      "index.html",
      "line-1-1.png",
      "line-2-1.png",
      "results.jsonl",
      "three-1.png",
      "three-2.png",
      "three-3.png",
      "unfinished.jsonl",
    ]);
    expect(await results()).toEqual(JSON.parse(JSON.stringify(told)));
    expect(told.find(({ id }) => id === "clip")).toMatchObject({
      line: 4,
      kind: "video",
      taskid: expect.any(String),
      files: [{ name: "clip-1.mp4", type: "video/mp4", bytes: expect.any(Number) }],
    });
  });

  test("that is run again sends nothing and asks nobody; with more lines it goes on with those", async () => {
    const { run, write, emulator, results } = await start(linesOf(3));
    await run();
    expect(await run({ confirm: () => expect.fail("there is nothing to confirm") })).toMatchObject({
      succeeded: 3,
      generated: 0,
    });
    await write("jobs.jsonl", linesOf(5).reverse());
    expect(await run()).toMatchObject({ lines: 5, succeeded: 5, generated: 2 });
    expect(emulator.charges).toHaveLength(5);
    expect((await results()).map(({ id }) => id).sort()).toEqual(linesOf(5).map(({ id }) => id));
  });

  test("whose last result was cut off by a crash, or its download, brings it again without paying for it", async () => {
    const { run, out, read, results } = await start(linesOf(3));
    await run({ concurrency: 1 });
    await truncate(join(out, "results.jsonl"), (await read("results.jsonl")).length - 9);
    await writeFile(join(out, ".line-3-1.00000000-0000-4000-8000-000000000000.part"), "half");
    expect(await run()).toMatchObject({ succeeded: 3, generated: 0 });
    expect((await results()).map(({ id }) => id)).toEqual(["line-1", "line-2", "line-3"]);
    expect((await readdir(out)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("asks before anything is sent, with the count of what is paid, and takes no for an answer", async () => {
    const { run, emulator, write, out } = await start(linesOf(3));
    await run();
    const lines = [
      ...linesOf(4),
      { model: "vidmodelv2", prompt: "A fox" },
      { model: "vidmodelv2", prompt: "A fox", duration: 10 },
      { model: "vidmodelv15pro", prompt: "A fox" },
      { model: "imgmodelv4", prompt: "A fox", batchsize: 3 },
      { model: "imgmodelv4", prompt: "A fox" },
      // The service does not document the bounds of this one.
      ...[-2, 0, 100].map((batchsize) => ({ model: "imgmodelv5", prompt: "A fox", batchsize })),
    ];
    const input = await write("jobs.jsonl", lines);
    const asked: BatchPlan[] = [];
    expect(await run({ confirm: (plan) => (asked.push(plan), false) })).toMatchObject({
      succeeded: 3,
      stopped: "declined",
    });
    // A video's length has a default in the description of one model. A number of images has none: it is one at least.
    const plan: BatchPlan = {
      lines: 12,
      generations: 9,
      retries: 0,
      unknown: 0,
      byModel: {
        imgmodelz: { generations: 1, amount: 1, unit: "image", open: 0 },
        vidmodelv2: { generations: 2, amount: 15, unit: "second", open: 0 },
        vidmodelv15pro: { generations: 1, amount: 0, unit: "second", open: 1 },
        imgmodelv4: { generations: 2, amount: 4, unit: "image", open: 1 },
        imgmodelv5: { generations: 3, amount: 102, unit: "image", open: 0 },
      },
    };
    expect(asked).toEqual([plan]);
    expect(await planBatch(input, out, emulator.client)).toEqual(plan);
    expect(emulator.charges).toHaveLength(3);
  });

  test("refuses an id that stands for another form by now, and a directory of another service", async () => {
    const { run, write, emulator } = await start(linesOf(2));
    await run();
    await write("jobs.jsonl", [{ id: "line-1", model: "imgmodelz", prompt: "A hare" }, ...linesOf(3)]);
    await expect(run()).rejects.toThrow(
      /line 1, id "line-1" was first used with another form in this directory. Use that form, or a new id.[^]*line 2, id/,
    );
    await expect(run({ baseUrl: "http://127.0.0.1:1" })).rejects.toThrow(
      /directory has results of http:\/\/emulator\.localhost/,
    );
    expect(emulator.charges).toHaveLength(2);
  });

  test("keeps so many lines under way at once, and so many generations in a minute", async () => {
    const emulator = createEmulator();
    const { run } = await start(linesOf(12), emulator);
    let most = 0;
    let begin = Infinity;
    const beforeGenerate = () => void (begin = Math.min(begin, emulator.clock.now()));
    await run({
      concurrency: 3,
      generationsPerMinute: 6,
      beforeGenerate,
      onProgress: ({ running }) => (most = Math.max(most, running)),
    });
    expect(most).toBe(2); // One of three has just ended when it is told.
    expect(emulator.charges).toHaveLength(12);
    // A call may take a while, but none begins too early.
    for (const [index, { at }] of emulator.charges.entries()) expect(at - begin).toBeGreaterThanOrEqual(index * 10_000);
    await expect(run({ concurrency: 0, generationsPerMinute: Number.NaN })).rejects.toThrow(
      /concurrency must be [^]*generationsPerMinute must be /,
    );
    const texts: object = { onLine: "x", retryFailed: "false", waitTimeoutMs: "30000" };
    await expect(run(texts)).rejects.toThrow(/3 problems\. Nothing was sent/);
    expect(emulator.charges).toHaveLength(12);
  });

  test("tells how far it has come, at what rate, and what is left", async () => {
    const { run } = await start(linesOf(4));
    const told: BatchProgress[] = [];
    const summary = await run({
      concurrency: 1,
      generationsPerMinute: 1,
      onProgress: (progress) => void told.push(progress),
    });
    expect(told.map(({ succeeded }) => succeeded)).toEqual([0, 1, 2, 3, 4]);
    expect(told.map(({ leftMs }) => leftMs === undefined)).toEqual([true, false, false, false, false]);
    const { elapsedMs, linesPerMinute, leftMs } = told[2] ?? expect.fail();
    expect(linesPerMinute).toBeCloseTo((2 * 60_000) / elapsedMs, 0);
    expect(leftMs).toBeCloseTo(elapsedMs);
    expect(summary).toMatchObject({ ...told[4], elapsedMs: expect.any(Number) });
  });
});

describe("a part of a batch", () => {
  const countsOf = ({ lines, succeeded, failed, unknown, unfinished, notStarted, generated }: BatchProgress) => ({
    lines,
    sum: succeeded + failed + unknown + unfinished + notStarted,
    succeeded,
    notStarted,
    generated,
  });

  test("is so many new lines, or those that are named; what is planned leaves no trace", async () => {
    const { run, emulator, input, directory, out } = await start(linesOf(6));
    const options = { ...emulator.client, limit: 2 };
    expect(await planBatch(input, out, options)).toMatchObject({ lines: 6, generations: 2 });
    expect(await readdir(directory)).toEqual(["jobs.jsonl"]);
    const first = await run({ limit: 2, onProgress: (now) => expect(countsOf(now).sum + now.running).toBe(6) });
    expect(countsOf(first)).toEqual({ lines: 6, sum: 6, succeeded: 2, notStarted: 4, generated: 2 });
    const named = await run({ only: ["line-6", "line-5", "line-1"], limit: 1 });
    expect(countsOf(named)).toEqual({ lines: 3, sum: 3, succeeded: 2, notStarted: 1, generated: 1 });
    expect(emulator.tasks.map(({ prompt }) => prompt).sort()).toEqual(["Picture 1", "Picture 2", "Picture 5"]);
    await expect(run({ only: ["line-7"], limit: 0 })).rejects.toThrow(/limit must be a number above 0, not 0/);
    await expect(run({ only: ["line-7"] })).rejects.toThrow(/only "line-7" is not the id of a line/);
    // What has a task is finished beyond the limit.
    await writeFile(join(out, "results.jsonl"), "");
    expect(countsOf(await run({ limit: 1 }))).toMatchObject({ succeeded: 4, notStarted: 2, generated: 1 });
    expect(emulator.charges).toHaveLength(4);
  });

  test("is so many new tasks: a rejected line leaves its place to another one, and an unknown outcome does not", async () => {
    const { run, emulator } = await start(linesOf(9));
    for (const concurrency of [1, 4]) {
      for (const fault of ["failure", "failure", "resetAfter"] as const) emulator.next({ fault, on: "generate" });
      expect(await run({ limit: 2, concurrency })).toMatchObject({ generated: 1, unfinished: 2 });
    }
    expect(emulator.charges).toHaveLength(4);
  });

  test("counts and lists what an earlier run has left, also if nothing more is sent", async () => {
    const lines = linesOf(6).map((line) => ({ ...line, prompt: "#slow" }));
    const { run, write, emulator, unfinished } = await start(lines);
    emulator.next({ fault: "resetAfter", on: "generate" });
    await run({ concurrency: 1, limit: 2, waitTimeoutMs: 1_000 });
    const [lost, slow] = await unfinished();
    expect([lost, slow]).toMatchObject([
      { id: "line-1", state: "unknown" },
      { id: "line-2", state: "unfinished" },
    ]);
    emulator.credits = 0;
    // Now the credits run out before these two are reached.
    await write("jobs.jsonl", lines.reverse());
    expect(await run({ concurrency: 1 })).toMatchObject({
      stopped: "credits",
      unknown: 1,
      unfinished: 1,
      notStarted: 4,
    });
    expect(await unfinished()).toMatchObject([
      { id: "line-2", state: "unfinished", taskid: slow?.taskid ?? expect.fail() },
      { id: "line-1", state: "unknown", generationId: lost?.generationId ?? expect.fail() },
    ]);
  });
});

describe("lines whose task failed get a second task if that is wanted", () => {
  test("and no third one; the plan says how many at most, and the last task counts", async () => {
    const { run, emulator, results, read, out } = await start(linesOf(3));
    const fail = () => emulator.next({ fault: "taskFails", on: "generate" });
    fail();
    fail();
    await run({ concurrency: 1 });
    expect(await run()).toMatchObject({ failed: 2, generated: 0 });
    const asked: BatchPlan[] = [];
    const options = { concurrency: 1, retryFailed: true, confirm: (plan: BatchPlan) => (asked.push(plan), true) };
    fail();
    expect(await run({ ...options, limit: 1 })).toMatchObject({ succeeded: 1, failed: 2, generated: 1 });
    expect(await run(options)).toMatchObject({ succeeded: 2, failed: 1, generated: 1 });
    // A part of the lines does not make a run forget what was paid.
    expect(await run({ ...options, only: ["line-2"] })).toMatchObject({ succeeded: 1, generated: 0 });
    expect(await run(options)).toMatchObject({ succeeded: 2, failed: 1, generated: 0 });
    expect(asked).toMatchObject([1, 1].map(() => ({ lines: 3, generations: 1, retries: 1 })));
    expect(emulator.charges).toHaveLength(5);
    expect((await results()).map(({ id, state, taskid }) => [id, state, taskid]).sort()).toEqual([
      ["line-1", "failed", emulator.tasks[3]?.taskid],
      ["line-2", "succeeded", emulator.tasks[4]?.taskid],
      ["line-3", "succeeded", emulator.tasks[2]?.taskid],
    ]);
    expect((await read("index.html")).match(/<figure>/g)).toHaveLength(3);
    expect((await readdir(out)).filter((name) => name.endsWith(".png"))).toEqual(["line-2-1.png", "line-3-1.png"]);
  });

  test("unless the first one has succeeded meanwhile: its results are downloaded, and nothing is paid", async () => {
    const { run, emulator } = await start(linesOf(2));
    const guess = { statuses: { failed: Object.values(emulator.statuses).flat() as number[] } };
    expect(await run(guess)).toMatchObject({ failed: 2, generated: 2 });
    const asked: BatchPlan[] = [];
    const options = { retryFailed: true, confirm: (plan: BatchPlan) => (asked.push(plan), true) };
    for (const _ of [1, 2]) expect(await run(options)).toMatchObject({ succeeded: 2, failed: 0, generated: 0 });
    expect(asked).toMatchObject([{ generations: 2, retries: 2 }]);
    expect(await run()).toMatchObject({ succeeded: 2, failed: 0, generated: 0 });
    expect(emulator.charges).toHaveLength(2);
  });

  test("which is no line's third one if that run is stopped, its directory copied and run again, in part and without results", async () => {
    const { run, emulator, input, directory, read, out } = await start(
      linesOf(3).map((line) => ({ ...line, prompt: `${line.prompt} #fail` })),
    );
    expect(await run({ retryFailed: true })).toMatchObject({ failed: 3, generated: 3 });
    const before = await read("results.jsonl");
    const controller = new AbortController();
    let generations = 0;
    const fetch = async (url: string, init: RequestInit) => {
      if (isGeneration(url) && ++generations === 2) controller.abort(new Error("enough"));
      return emulator.fetch(url, init);
    };
    const stopped = run({ retryFailed: true, concurrency: 1, signal: controller.signal, fetch });
    await expect(stopped).rejects.toThrow("enough");
    expect(emulator.charges).toHaveLength(3 + 2);
    await writeFile(join(out, "results.jsonl"), before);
    const copy = join(directory, "copy");
    await cp(out, copy, { recursive: true, filter: (path) => !basename(path).startsWith(".") });
    const options = { ...emulator.client, retries: 0, retryFailed: true };
    expect(await runBatch(input, copy, { ...options, only: ["line-1"] })).toMatchObject({ failed: 1, generated: 0 });
    for (const generated of [1, 0])
      expect(await runBatch(input, copy, options)).toMatchObject({ failed: 3, generated });
    // Without its store, nobody knows how many tasks a line has had.
    await rm(join(copy, "generations"), { recursive: true });
    expect(await runBatch(input, copy, options)).toMatchObject({ failed: 3, generated: 0 });
    const perLine = Map.groupBy(emulator.tasks, ({ prompt }) => prompt);
    expect([...perLine.values()].map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  test("but none whose outcome is unknown or open; a later run brings home what a stopped one has paid", async () => {
    const { run, emulator } = await start([...linesOf(2), { id: "slow", model: "imgmodelz", prompt: "#slow" }]);
    for (const fault of ["taskFails", "resetAfter"] as const) emulator.next({ fault, on: "generate" });
    const counts = { failed: 1, unknown: 1, unfinished: 1 };
    expect(await run({ concurrency: 1, waitTimeoutMs: 10_000 })).toMatchObject(counts);
    const controller = new AbortController();
    const fetch = async (url: string, init: RequestInit) => {
      if (isGeneration(url)) controller.abort(new Error("enough"));
      return emulator.fetch(url, init);
    };
    const confirm = ({ generations }: BatchPlan) => generations === 1;
    const stopped = run({ retryFailed: true, confirm, signal: controller.signal, fetch });
    await expect(stopped).rejects.toThrow("enough");
    expect(await run()).toMatchObject({ succeeded: 2, failed: 0, unknown: 1, unfinished: 0, generated: 0 });
    expect(emulator.charges).toHaveLength(4);
  });
});

describe("a directory", () => {
  test("is one run's at a time, and the next one's once it has ended", async () => {
    const { run, emulator, results } = await start(linesOf(4));
    const confirm = async () => {
      const others = await Promise.allSettled([run(), run()]);
      const message = `directory is in use by another run (process ${process.pid} on `;
      for (const other of others)
        expect(other).toMatchObject({ reason: { message: expect.stringContaining(message) } });
      return true;
    };
    expect(await run({ confirm })).toMatchObject({ succeeded: 4 });
    expect([await results(), emulator.charges]).toMatchObject([{ length: 4 }, { length: 4 }]);
    expect(await run()).toMatchObject({ succeeded: 4, generated: 0 });
  });

  test("that a second run takes while the first one is alive is paid once for each line", async () => {
    const { run, out, emulator, results } = await start(linesOf(6));
    let second: Promise<unknown> | undefined;
    const onLine = () => void (second ??= rm(join(out, ".lock")).then(() => run()));
    // Both may fail, because each removes files of the other one.
    await run({ concurrency: 2, onLine }).catch(() => undefined);
    await second?.catch(() => undefined);
    expect(await run()).toMatchObject({ succeeded: 6, generated: 0 });
    expect(emulator.charges).toHaveLength(6);
    expect((await results()).map(({ id }) => id).sort()).toEqual(linesOf(6).map(({ id }) => id));
  });

  test("whose store fails after a generation was billed says so", async () => {
    const { run, out, emulator } = await start(linesOf(3));
    const store = join(out, "generations");
    const onLine = () => rm(store, { recursive: true }).then(() => writeFile(store, ""));
    const cause = { name: "StoreError", billed: "no" };
    await expect(run({ concurrency: 1, onLine })).rejects.toMatchObject({ billed: "yes", isRetryable: true, cause });
    expect(emulator.charges).toHaveLength(1);
  });
});

test("the bytes of a picture are digested once for a line with an id that is run for the first time", async () => {
  const { run, directory } = await start([
    { id: "fox", model: "imgmodelv45", prompt: "A fox", sourceImage: "first.gif" },
    { id: "hare", model: "imgmodelv45", prompt: "A hare", sourceImage: "first.gif" },
  ]);
  const bytes = "GIF89a".padEnd(5_000, "a picture of its own length");
  await writeFile(join(directory, "first.gif"), bytes);
  const digest = vi.spyOn(crypto.subtle, "digest");
  onTestFinished(() => digest.mockRestore());
  expect(await run()).toMatchObject({ succeeded: 2 });
  expect(digest.mock.calls.filter(([, data]) => data.byteLength === bytes.length)).toHaveLength(2);
});

test("a picture that has changed since an earlier run is another form, also if it has the same size", async () => {
  const { run, directory, emulator } = await start([
    { id: "fox", model: "imgmodelv45", prompt: "A fox", sourceImage: "first.gif" },
  ]);
  await writeFile(join(directory, "first.gif"), "GIF89a, a picture");
  await run();
  await writeFile(join(directory, "first.gif"), "GIF89a, another..");
  await expect(run()).rejects.toThrow(
    'line 1, id "fox" was first used with another form in this directory. Use that form, or a new id. Nothing was sent.',
  );
  expect(emulator.charges).toHaveLength(1);
});

test("a task that is resolved to another one brings the other one's result", async () => {
  const { run, emulator, out, unfinished, results, input } = await start(linesOf(2));
  const others = createMediaGen(emulator.client);
  const wrong = await others.generate("imgmodelz", { prompt: "Another picture" });
  emulator.next({ fault: "resetAfter", on: "generate" });
  expect(await run({ concurrency: 1 })).toMatchObject({ succeeded: 1, unknown: 1 });
  expect(await planBatch(input, out, emulator.client)).toMatchObject({ generations: 0, unknown: 1 });
  const [{ generationId = "" } = {}] = await unfinished();
  const media = createMediaGen({ ...emulator.client, store: fileStore(join(out, "generations")) });
  const right = emulator.tasks.find(({ prompt }) => prompt === "Picture 1")?.taskid ?? "";
  const pictures: Buffer[] = [];
  for (const taskid of [wrong.taskid, right]) {
    await media.resolve(generationId, { taskid });
    expect(await run()).toMatchObject({ succeeded: 2, generated: 0 });
    expect((await results()).find(({ id }) => id === "line-1")).toMatchObject({ taskid });
    pictures.push(await readFile(join(out, "line-1-1.png")));
  }
  expect(pictures[0]).not.toEqual(pictures[1]);
});

test("an id stands for one form also in a directory that was copied without its store", async () => {
  const { run, emulator, out, write } = await start(linesOf(2));
  await run();
  await rm(join(out, "generations"), { recursive: true });
  expect(await run()).toMatchObject({ succeeded: 2, generated: 0 });
  await write("jobs.jsonl", [{ ...linesOf(1)[0], prompt: "A hare" }]);
  await expect(run()).rejects.toThrow(
    'line 1, id "line-1" was first used with another form in this directory. Use that form, or a new id. Nothing was sent.',
  );
  expect(emulator.charges).toHaveLength(2);
});

test("a result whose file is gone is downloaded again, without paying again", async () => {
  const { run, emulator, out, results } = await start(linesOf(3));
  await run();
  await rm(join(out, "line-2-1.png"));
  expect(await run()).toMatchObject({ succeeded: 3, generated: 0 });
  expect(await readdir(out)).toContain("line-2-1.png");
  expect((await results()).map(({ id }) => id).sort()).toEqual(["line-1", "line-2", "line-3"]);
  expect(emulator.charges).toHaveLength(3);
});

test("no file outside the directory is written, whatever a part file's name points to", async () => {
  const { run, directory, out } = await start(linesOf(2));
  await run();
  const precious = join(directory, "precious");
  await writeFile(precious, "mine");
  for (const name of [".index.html.part", "results.jsonl.part"]) await symlink(precious, join(out, name));
  await rm(join(out, "line-2-1.png"));
  expect(await run()).toMatchObject({ succeeded: 2 });
  expect(await readFile(precious, "utf8")).toBe("mine");
});

test("a record that cannot be read blocks its line, and no other", async () => {
  const { run, emulator, out, unfinished } = await start(linesOf(3));
  await run();
  const id = await generationIdOf(new URL(emulator.client.baseUrl).origin, "line-1");
  const record = join(out, "generations", id.slice(0, 2), id);
  for (const name of await readdir(record)) await writeFile(join(record, name), "{");
  await writeFile(join(out, "results.jsonl"), "");
  expect(await run()).toMatchObject({ succeeded: 2, unfinished: 1, generated: 0 });
  expect(await unfinished()).toMatchObject([{ id: "line-1", error: { name: "StoreError" } }]);
  expect(emulator.charges).toHaveLength(3);
});

test("a result that a full disk cut off amid others is told with what to do, and then fetched again unpaid", async () => {
  const { run, emulator, out } = await start(linesOf(2));
  await run();
  const path = join(out, "results.jsonl");
  const [first = "", second = ""] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, `${first.slice(0, 20)}${second}\n`);
  await expect(run()).rejects.toThrow(/results\.jsonl whose line 1 is not valid\. Remove that line/);
  await writeFile(path, "");
  expect([await run(), emulator.charges.length]).toMatchObject([{ succeeded: 2, generated: 0 }, 2]);
});

describe("a line", () => {
  test("that fails, is refused or has no known outcome holds up nothing; run again, only what may be is done again", async () => {
    const { run, emulator, results, unfinished, out, input } = await start([
      ...linesOf(2),
      { id: "fails", model: "imgmodelz", prompt: "#fail" },
      ...linesOf(6).slice(2),
    ]);
    emulator.next({ fault: "resetAfter", on: "generate" });
    emulator.next({ fault: "failure", on: "generate" });
    expect(await run({ concurrency: 1 })).toMatchObject({
      lines: 7,
      succeeded: 4,
      failed: 1,
      unknown: 1,
      unfinished: 1,
      generated: 5,
    });
    expect((await results()).map(({ id, state }) => [id, state])).toEqual([
      ["fails", "failed"],
      ...["line-3", "line-4", "line-5", "line-6"].map((id) => [id, "succeeded"]),
    ]);
    const [unknown, refused] = await unfinished();
    expect(unknown).toMatchObject({
      line: 1,
      id: "line-1",
      state: "unknown",
      generationId: expect.any(String),
      error: { name: "OutcomeUnknownError" },
      form: { prompt: "Picture 1" },
    });
    expect(refused).toMatchObject({ line: 2, id: "line-2", state: "unfinished", error: { name: "ServiceError" } });

    expect(await run()).toMatchObject({ succeeded: 5, failed: 1, unknown: 1, unfinished: 0, generated: 1 });
    expect(await unfinished()).toMatchObject([{ id: "line-1", state: "unknown", generationId: unknown?.generationId }]);
    const media = createMediaGen({ ...emulator.client, store: fileStore(join(out, "generations")) });
    await media.resolve(unknown?.generationId ?? "", { taskid: emulator.charges[0]?.taskid ?? "" });
    expect(await runBatch(input, out, emulator.client)).toMatchObject({ succeeded: 6, unknown: 0, generated: 0 });
    expect(emulator.charges).toHaveLength(7);
    expect(new Set((await results()).map(({ id }) => id)).size).toBe(7);
  });

  test("that is not done in time is waited for again, not paid again", async () => {
    const { run, unfinished, emulator } = await start([{ id: "slow", model: "imgmodelz", prompt: "#slow" }]);
    expect(await run({ waitTimeoutMs: 1_000 })).toMatchObject({ unfinished: 1, generated: 1 });
    expect(await unfinished()).toMatchObject([
      { taskid: emulator.charges[0]?.taskid, error: { name: "WaitTimeoutError" } },
    ]);
    expect(await run()).toMatchObject({ succeeded: 1, generated: 0 });
  });
});

test("where the credits run out nothing more is sent, and what runs is brought home", async () => {
  const { run, emulator, results } = await start(linesOf(20), createEmulator({ credits: 5 * 7 }));
  expect(await run({ concurrency: 3 })).toMatchObject({
    lines: 20,
    succeeded: 7,
    unfinished: 0,
    generated: 7,
    running: 0,
    stopped: "credits",
  });
  expect(emulator.calls.filter(({ code }) => code === 9000).length).toBeLessThanOrEqual(3);
  expect(await results()).toHaveLength(7);
  emulator.credits = 1_000;
  expect(await run()).toMatchObject({ succeeded: 20, generated: 13, stopped: undefined });
  expect(emulator.charges).toHaveLength(20);
});

test("an abort ends the lines that wait for their turn at once", async () => {
  const emulator = createEmulator({ clock: "manual" });
  const { run } = await start(linesOf(5), emulator);
  const controller = new AbortController();
  const onEvent = ({ type }: MediaGenEvent) => void (type === "generated" && controller.abort(new Error("enough")));
  const options = { concurrency: 1, signal: controller.signal, onEvent };
  await expect(run(options)).rejects.toThrow("enough");
  expect(emulator.charges).toHaveLength(1);
});

describe("what is no fault of the lines stops what is sent, leaves the lines unpaid, and brings home what runs", () => {
  test.for<[what: string, options: BatchOptions, stopped: string]>([
    ["a wrong key", { apiKey: "wrong" }, "rejected"],
    ["an address that is another's", { baseUrl: "http://emulator.localhost/elsewhere" }, "rejected"],
    [
      "a service that is not reached",
      {
        baseUrl: "http://elsewhere.localhost",
        fetch: () => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })),
        fetchSendsOnce: true,
      },
      "unreachable",
    ],
  ])("%s", async ([, options, stopped]) => {
    const { run, emulator, unfinished } = await start(linesOf(20));
    expect(await run({ concurrency: 3, ...options })).toMatchObject({
      lines: 20,
      succeeded: 0,
      unfinished: 0,
      generated: 0,
      stopped,
      error: { message: expect.any(String) },
    });
    expect([emulator.calls.length <= 3, await unfinished()]).toEqual([true, []]);
    expect(await run()).toMatchObject({ succeeded: 20, generated: 20, stopped: undefined });
  });

  test("a key that is revoked on the way", async () => {
    const { run, emulator } = await start(linesOf(20));
    let generations = 0;
    const fetch = (url: string, init: RequestInit) => {
      const isRevoked = isGeneration(url) && ++generations > 5;
      return emulator.fetch(
        url,
        isRevoked ? { ...init, headers: { ...init.headers, authorization: "revoked" } } : init,
      );
    };
    expect(await run({ concurrency: 2, fetch })).toMatchObject({ succeeded: 5, unfinished: 0, stopped: "rejected" });
    expect(emulator.calls.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(2);
  });

  test("outcomes that are unknown one after the other, but not those that an earlier run left", async () => {
    const { run, emulator } = await start(linesOf(20));
    const fetch = async (url: string, init: RequestInit) => (await emulator.fetch(url, init), new Response("<html>"));
    expect(await run({ concurrency: 2, fetch })).toMatchObject({
      succeeded: 0,
      stopped: "unknown",
      error: { name: "OutcomeUnknownError" },
    });
    const paid = emulator.charges.length;
    expect([3, 4]).toContain(paid);
    expect(await run({ concurrency: 2 })).toMatchObject({ succeeded: 20 - paid, unknown: paid, stopped: undefined });
  });

  test("but not one rejection among others, nor an outage of a moment", async () => {
    const { run, emulator } = await start(linesOf(9));
    const statuses = [200, 403, 404, 200, 0, 0, 200];
    // One response at a time: the next one waits until the batch has counted what came of the last.
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
    expect(await run({ concurrency: 3, fetch, onEvent, onLine })).toMatchObject({
      succeeded: 5,
      unfinished: 4,
      stopped: undefined,
    });
  });
});

test("an abort sends nothing more, but lets what is being sent be answered; the next run takes it from there", async () => {
  const { run, emulator, out } = await start(linesOf(10));
  const controller = new AbortController();
  let generations = 0;
  const fetch = async (url: string, init: RequestInit) => {
    if (isGeneration(url) && ++generations === 3) controller.abort(new Error("enough"));
    return emulator.fetch(url, init);
  };
  await expect(run({ concurrency: 2, signal: controller.signal, fetch })).rejects.toThrow("enough");
  const paid = emulator.charges.length;
  expect([3, 4]).toContain(paid);
  expect(await readdir(out)).toContain("index.html");
  expect(await run()).toMatchObject({ succeeded: 10, unknown: 0, generated: 10 - paid });
  expect(emulator.charges).toHaveLength(10);
});

describe("what is no fault of a line ends the batch, and loses nothing", () => {
  test.for<[what: string, options: BatchOptions]>([
    ["a veto", { beforeGenerate: () => Promise.reject(new RangeError("too dear")) }],
    ["a listener that throws", { onLine: () => Promise.reject(new RangeError("mine")) }],
  ])("%s", async ([, options]) => {
    const { run, emulator } = await start(linesOf(9));
    await expect(run({ concurrency: 2, ...options })).rejects.toBeInstanceOf(RangeError);
    expect(emulator.charges.length).toBeLessThan(5);
    await run();
    expect(emulator.charges).toHaveLength(9);
  });

  test("an input that changes while it is read", async () => {
    const { run, input, emulator } = await start(linesOf(3));
    const confirm = async () => {
      await writeFile(input, `${JSON.stringify({ id: "line-1", model: "imgmodelz", prompt: "A hare" })}\n`);
      return true;
    };
    await expect(run({ confirm })).rejects.toThrow(InvalidRequestError);
    expect(emulator.charges).toEqual([]);
  });

  test("a picture that changes after it was checked, though not its size", async () => {
    const { run, directory, emulator } = await start([
      { id: "fox", model: "imgmodelv45", prompt: "A fox", sourceImage: "first.gif" },
    ]);
    const picture = join(directory, "first.gif");
    await writeFile(picture, "GIF89a, a picture");
    const confirm = async () => {
      await writeFile(picture, "GIF89a, another..");
      // Some file systems have coarse times: both writes may have one.
      await utimes(picture, new Date(), new Date(Date.now() + 1_000));
      return true;
    };
    await expect(run({ confirm })).rejects.toThrow("line 1 has changed");
    expect(emulator.charges).toEqual([]);
  });

  test("an input that is cut off before it is read again", async () => {
    const { run, input } = await start(linesOf(3));
    const confirm = async () => {
      await writeFile(input, JSON.stringify(linesOf(1)[0]));
      return true;
    };
    await expect(run({ confirm })).rejects.toThrow("line 2 and on has changed");
  });
});

test("an input is read on as lines end, not held: what changes far behind the line under way is noticed", async () => {
  const lines = linesOf(60).map((line) => ({ ...line, prompt: "x".repeat(10_000) }));
  const { run, input, emulator } = await start(lines);
  const changed = lines
    .map((line, index) => `${JSON.stringify(index < 40 ? line : { ...line, prompt: "y".repeat(10_000) })}\n`)
    .join("");
  await expect(
    // In place: a read at this moment must not find the file cut off.
    run({ concurrency: 1, onLine: ({ line }) => (line === 1 ? writeFile(input, changed, { flag: "r+" }) : undefined) }),
  ).rejects.toThrow("line 41 has changed");
  expect([39, 40]).toContain(emulator.charges.length); // The last one may not have been sent yet.
});

test("the contact sheet shows pictures and clips in the input's order, escaped, loaded when they come into view, and asks for nothing else", async () => {
  const { run, read } = await start([
    { id: "clip", model: "vidmodelv2", prompt: "A clip" },
    { id: "füchse", model: "imgmodelz", prompt: '<script>alert("1")</script> & more' },
    { id: "fails", model: "imgmodelz", prompt: "#fail" },
  ]);
  await run();
  const page = await read("index.html");
  expect([...page.matchAll(/<b>(\d)\. (\S+) /g)].map(([, line, id]) => [line, id])).toEqual([
    ["1", "clip"],
    ["2", "füchse"],
    ["3", "fails"],
  ]);
  expect(page).toContain('<img src="f%C3%BCchse-1.png" alt="2. füchse (imgmodelz)" loading="lazy">');
  expect(page).toContain('<video src="clip-1.mp4" aria-label="1. clip (vidmodelv2)" controls preload="none">');
  expect(page).toContain("prompt: &#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; more");
  expect(page).toMatch(/3\. fails[^]*failed\./);
  expect(page).not.toMatch(/https?:|\/\//);
});
