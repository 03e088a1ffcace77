import { cp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  type BatchLine,
  type BatchPlan,
  type BatchProgress,
  planBatch,
  runBatch,
} from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen, fileStore, generationIdOf } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { abortAt, createBatch, linesOf } from "./batch-directory.ts";

describe("a batch", () => {
  test("downloads the results of each line under its id, and reports each line", async () => {
    const reported: BatchLine[] = [];
    const { run, out, results } = await createBatch([
      ...linesOf(2),
      { id: "three", model: "imgmodelv4", prompt: "A fox", batchsize: 3 },
      { id: "clip", model: "vidmodelv2", prompt: "A fox" },
    ]);
    const counts = {
      lines: 4,
      succeeded: 4,
      failed: 0,
      unknown: 0,
      unfinished: 0,
      running: 0,
      generated: 4,
    };
    expect(await run({ onLine: (line) => void reported.push(line) })).toMatchObject(counts);
    const names = [
      "clip-1.mp4",
      "generations",
      "index.html",
      "line-1-1.png",
      "line-2-1.png",
      "results.jsonl",
    ];
    names.push("three-1.png", "three-2.png", "three-3.png", "unfinished.jsonl");
    expect((await readdir(out)).filter((name) => !name.startsWith(".")).sort()).toEqual(names);
    expect(await results()).toEqual(JSON.parse(JSON.stringify(reported)));
    expect(reported.find(({ id }) => id === "clip")).toMatchObject({
      ...{ line: 4, kind: "video", taskid: expect.any(String) },
      files: [{ name: "clip-1.mp4", type: "video/mp4", bytes: expect.any(Number) }],
    });
  });

  test("sends nothing when it is run again, and only new lines if there are some", async () => {
    const { run, write, emulator, results } = await createBatch(linesOf(3));
    await run();
    const again = await run({ confirm: () => expect.fail("there is nothing to confirm") });
    expect(again).toMatchObject({ succeeded: 3, generated: 0 });
    await write("jobs.jsonl", linesOf(5).reverse());
    expect(await run()).toMatchObject({ lines: 5, succeeded: 5, generated: 2 });
    expect(emulator.charges).toHaveLength(5);
    expect((await results()).map(({ id }) => id).sort()).toEqual(linesOf(5).map(({ id }) => id));
  });

  test("downloads again what a crash has cut off or is missing, and writes to no file outside its directory", async () => {
    const { run, directory, out, read, results } = await createBatch(linesOf(3));
    await run({ concurrency: 1 });
    const ids = linesOf(3).map(({ id }) => id);
    await truncate(join(out, "results.jsonl"), (await read("results.jsonl")).length - 9);
    expect(await run()).toMatchObject({ succeeded: 3, generated: 0 });
    expect((await results()).map(({ id }) => id)).toEqual(ids);
    expect((await readdir(out)).filter((name) => name.startsWith("."))).toEqual([]);
    await writeFile(join(directory, "other"), "mine");
    for (const name of [".index.html.part", "results.jsonl.part"])
      await symlink("../other", join(out, name));
    await rm(join(out, "line-2-1.png"));
    expect(await run()).toMatchObject({ succeeded: 3, generated: 0 });
    expect(await readdir(out)).toContain("line-2-1.png");
    expect((await results()).map(({ id }) => id).sort()).toEqual(ids);
    expect(await readFile(join(directory, "other"), "utf8")).toBe("mine");
  });

  test("asks before anything is sent, with what would be billed, and accepts a no", async () => {
    const { run, emulator, write, out } = await createBatch(linesOf(3));
    await run();
    const input = await write("jobs.jsonl", [
      ...linesOf(4),
      { model: "vidmodelv2", prompt: "A fox" },
      { model: "vidmodelv2", prompt: "A fox", duration: 10 },
      { model: "vidmodelv15pro", prompt: "A fox" },
      { model: "imgmodelv4", prompt: "A fox", batchsize: 3 },
      { model: "imgmodelv4", prompt: "A fox" },
    ]);
    const asked: BatchPlan[] = [];
    const declined = await run({
      confirm: (plan) => {
        asked.push(plan);
        return false;
      },
    });
    expect(declined).toMatchObject({ succeeded: 3, stopped: "declined" });
    // One model documents a default for the length of a video. A number of images has none, and is
    // at least one.
    const plan: BatchPlan = {
      ...{ lines: 9, generations: 6, retries: 0, unknown: 0 },
      byModel: {
        imgmodelz: { generations: 1, amount: 1, unit: "image", open: 0 },
        vidmodelv2: { generations: 2, amount: 15, unit: "second", open: 0 },
        vidmodelv15pro: { generations: 1, amount: 0, unit: "second", open: 1 },
        imgmodelv4: { generations: 2, amount: 4, unit: "image", open: 1 },
      },
    };
    expect(asked).toEqual([plan]);
    expect(await planBatch(input, out, emulator.client)).toEqual(plan);
    expect(emulator.charges).toHaveLength(3);
  });

  test("rejects an id that was used with another form, or a directory of another service", async () => {
    const fox = { id: "fox", model: "imgmodelv45", prompt: "A fox", sourceImage: "first.gif" };
    const { run, write, out, emulator } = await createBatch([fox, ...linesOf(2)]);
    await write("first.gif", "GIF89a, a picture");
    await run();
    const other = (id: string) =>
      `id "${id}" was first used with another form in this directory. Use that form, or a new`;
    await write("first.gif", "GIF89a, another..");
    await expect(run()).rejects.toThrow(`line 1, ${other("fox")}`);
    await write("jobs.jsonl", [
      { id: "line-1", model: "imgmodelz", prompt: "A hare" },
      ...linesOf(3),
    ]);
    await expect(run()).rejects.toThrow(new RegExp(`line 1, ${other("line-1")}[^]*line 2, id`));
    await expect(run({ baseUrl: "http://127.0.0.1:1" })).rejects.toThrow(
      /directory has results of http:\/\/emulator/,
    );
    // The results alone are enough for that.
    await rm(join(out, "generations"), { recursive: true });
    await expect(run()).rejects.toThrow(`line 1, ${other("line-1")}`);
    await write("jobs.jsonl", linesOf(2));
    expect(await run()).toMatchObject({ succeeded: 2, generated: 0 });
    expect(emulator.charges).toHaveLength(3);
  });

  test("limits the lines that run at once and the generations per minute", async () => {
    const emulator = createEmulator();
    const { run } = await createBatch(linesOf(12), emulator);
    let most = 0;
    let begin = Infinity;
    const beforeGenerate = () => void (begin = Math.min(begin, emulator.clock.now()));
    const onProgress = ({ running }: BatchProgress) => void (most = Math.max(most, running));
    await run({ concurrency: 3, generationsPerMinute: 6, beforeGenerate, onProgress });
    expect(most).toBe(2); // One of three has just ended when it is reported.
    expect(emulator.charges).toHaveLength(12);
    // A call may take a while, but none begins too early.
    for (const [index, { at }] of emulator.charges.entries())
      expect(at - begin).toBeGreaterThanOrEqual(index * 10_000);
    const options: object = {
      onLine: "x",
      retryFailed: "false",
      waitTimeoutMs: "30000",
      concurrency: 0,
    };
    await expect(run(options)).rejects.toThrow(/4 problems\. Nothing was sent/);
    await expect(run({ generationsPerMinute: Number.NaN })).rejects.toThrow(
      /generationsPerMinute must be /,
    );
    expect(emulator.charges).toHaveLength(12);
  });
});

describe("a part of a batch", () => {
  const countsOf = ({
    lines,
    succeeded,
    failed,
    unknown,
    unfinished,
    notStarted,
    generated,
  }: BatchProgress) => {
    const sum = succeeded + failed + unknown + unfinished + notStarted;
    return { lines, sum, succeeded, notStarted, generated };
  };

  test("is a number of new lines, or lines that are named; a plan leaves no trace", async () => {
    const { run, emulator, input, directory, out } = await createBatch(linesOf(6));
    expect(await planBatch(input, out, { ...emulator.client, limit: 2 })).toMatchObject({
      lines: 6,
      generations: 2,
    });
    expect(await readdir(directory)).toEqual(["jobs.jsonl"]);
    const first = await run({ limit: 2 });
    expect(countsOf(first)).toEqual({
      lines: 6,
      sum: 6,
      succeeded: 2,
      notStarted: 4,
      generated: 2,
    });
    const named = await run({ only: ["line-6", "line-5", "line-1"], limit: 1 });
    expect(countsOf(named)).toEqual({
      lines: 3,
      sum: 3,
      succeeded: 2,
      notStarted: 1,
      generated: 1,
    });
    expect(emulator.tasks.map(({ prompt }) => prompt).sort()).toEqual([
      "Picture 1",
      "Picture 2",
      "Picture 5",
    ]);
    await expect(run({ only: ["line-7"], limit: 0 })).rejects.toThrow(
      /limit must be a number above 0, or Infinity for none, not 0/,
    );
    await expect(run({ only: ["line-7"] })).rejects.toThrow(
      /only "line-7" is not the id of a line/,
    );
    // A line that has a task is finished beyond the limit.
    await writeFile(join(out, "results.jsonl"), "");
    expect(countsOf(await run({ limit: 1 }))).toMatchObject({
      succeeded: 4,
      notStarted: 2,
      generated: 1,
    });
    expect(emulator.charges).toHaveLength(4);
  });

  test("counts new tasks: a rejected line leaves its place to another one, and an unknown outcome does not", async () => {
    const { run, emulator } = await createBatch(linesOf(9));
    for (const concurrency of [1, 4]) {
      for (const fault of ["failure", "failure", "resetAfter"] as const)
        emulator.next({ fault, on: "generate" });
      expect(await run({ limit: 2, concurrency })).toMatchObject({ generated: 1, unfinished: 2 });
    }
    expect(emulator.charges).toHaveLength(4);
  });

  test("lists what an earlier run has left, also if nothing more is sent", async () => {
    const lines = linesOf(6).map((line) => ({ ...line, prompt: "#slow" }));
    const { run, write, emulator, unfinished } = await createBatch(lines);
    emulator.next({ fault: "resetAfter", on: "generate" });
    await run({ concurrency: 1, limit: 2, waitTimeoutMs: 1_000 });
    const [lost, slow] = await unfinished();
    expect(lost).toMatchObject({ id: "line-1", state: "unknown" });
    expect(slow).toMatchObject({
      id: "line-2",
      state: "unfinished",
      error: { name: "WaitTimeoutError" },
    });
    emulator.credits = 0;
    // Now the credits run out before these two are reached.
    await write("jobs.jsonl", lines.reverse());
    const counts = { stopped: "credits", unknown: 1, unfinished: 1, notStarted: 4 };
    expect(await run({ concurrency: 1 })).toMatchObject(counts);
    expect(await unfinished()).toMatchObject([
      { id: "line-2", state: "unfinished", taskid: slow?.taskid ?? expect.fail() },
      { id: "line-1", state: "unknown", generationId: lost?.generationId ?? expect.fail() },
    ]);
  });
});

describe("with retryFailed, a line whose task has failed", () => {
  test("gets a second task and no third one; the plan says how many at most, and the last task counts", async () => {
    const { run, emulator, results, read, out } = await createBatch(linesOf(3));
    const fail = (times: number) => emulator.next({ fault: "taskFails", on: "generate", times });
    fail(2);
    await run({ concurrency: 1 });
    expect(await run()).toMatchObject({ failed: 2, generated: 0 });
    const asked: BatchPlan[] = [];
    const options = {
      concurrency: 1,
      retryFailed: true,
      confirm: (plan: BatchPlan) => {
        asked.push(plan);
        return true;
      },
    };
    fail(1);
    expect(await run({ ...options, limit: 1 })).toMatchObject({
      succeeded: 1,
      failed: 2,
      generated: 1,
    });
    expect(await run(options)).toMatchObject({ succeeded: 2, failed: 1, generated: 1 });
    // A run of some lines keeps what is known about the others.
    expect(await run({ ...options, only: ["line-2"] })).toMatchObject({
      succeeded: 1,
      generated: 0,
    });
    expect(await run(options)).toMatchObject({ succeeded: 2, failed: 1, generated: 0 });
    expect(asked).toMatchObject([1, 1].map(() => ({ lines: 3, generations: 1, retries: 1 })));
    expect(emulator.charges).toHaveLength(5);
    expect((await results()).map(({ id, state, taskid }) => [id, state, taskid]).sort()).toEqual([
      ["line-1", "failed", emulator.tasks[3]?.taskid],
      ["line-2", "succeeded", emulator.tasks[4]?.taskid],
      ["line-3", "succeeded", emulator.tasks[2]?.taskid],
    ]);
    expect((await read("index.html")).match(/<figure>/g)).toHaveLength(3);
    expect((await readdir(out)).filter((name) => name.endsWith(".png"))).toEqual([
      "line-2-1.png",
      "line-3-1.png",
    ]);
  });

  test("gets no second task if the first one has succeeded after all", async () => {
    const { run, emulator } = await createBatch(linesOf(2));
    const guess = { statuses: { failed: Object.values(emulator.statuses).flat() as number[] } };
    expect(await run(guess)).toMatchObject({ failed: 2, generated: 2 });
    const asked: BatchPlan[] = [];
    const confirm = (plan: BatchPlan) => {
      asked.push(plan);
      return true;
    };
    const options = { retryFailed: true, confirm };
    for (const _ of [1, 2])
      expect(await run(options)).toMatchObject({ succeeded: 2, failed: 0, generated: 0 });
    expect(asked).toMatchObject([{ generations: 2, retries: 2 }]);
    expect(await run()).toMatchObject({ succeeded: 2, failed: 0, generated: 0 });
    expect(emulator.charges).toHaveLength(2);
  });

  test("gets no third task if the run is stopped, and its directory copied and run in part or without results", async () => {
    const failing = linesOf(3).map((line) => ({ ...line, prompt: `${line.prompt} #fail` }));
    const { run, emulator, input, directory, read, out } = await createBatch(failing);
    expect(await run({ retryFailed: true })).toMatchObject({ failed: 3, generated: 3 });
    const before = await read("results.jsonl");
    const { signal, fetch } = abortAt(2, emulator);
    const stopped = run({ retryFailed: true, concurrency: 1, signal, fetch });
    await expect(stopped).rejects.toThrow("enough");
    expect(emulator.charges).toHaveLength(3 + 2);
    await writeFile(join(out, "results.jsonl"), before);
    const copy = join(directory, "copy");
    await cp(out, copy, { recursive: true, filter: (path) => !basename(path).startsWith(".") });
    const options = { ...emulator.client, retries: 0, retryFailed: true };
    expect(await runBatch(input, copy, { ...options, only: ["line-1"] })).toMatchObject({
      failed: 1,
      generated: 0,
    });
    for (const generated of [1, 0])
      expect(await runBatch(input, copy, options)).toMatchObject({ failed: 3, generated });
    // Without its store, nobody knows how many tasks a line has had.
    await rm(join(copy, "generations"), { recursive: true });
    expect(await runBatch(input, copy, options)).toMatchObject({ failed: 3, generated: 0 });
    const perLine = Map.groupBy(emulator.tasks, ({ prompt }) => prompt);
    expect([...perLine.values()].map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  test("is alone: no other task is generated twice, and a later run downloads what a stopped one has billed", async () => {
    const { run, emulator } = await createBatch([
      ...linesOf(2),
      { id: "slow", model: "imgmodelz", prompt: "#slow" },
    ]);
    for (const fault of ["taskFails", "resetAfter"] as const)
      emulator.next({ fault, on: "generate" });
    const counts = { failed: 1, unknown: 1, unfinished: 1 };
    expect(await run({ concurrency: 1, waitTimeoutMs: 10_000 })).toMatchObject(counts);
    const { signal, fetch } = abortAt(1, emulator);
    const confirm = ({ generations }: BatchPlan) => generations === 1;
    const stopped = run({ retryFailed: true, confirm, signal, fetch });
    await expect(stopped).rejects.toThrow("enough");
    expect(await run()).toMatchObject({
      succeeded: 2,
      failed: 0,
      unknown: 1,
      unfinished: 0,
      generated: 0,
    });
    expect(emulator.charges).toHaveLength(4);
  });
});

test("a task that is resolved to another one gets the result of the other one", async () => {
  const { run, emulator, out, unfinished, results, input } = await createBatch(linesOf(2));
  const wrong = await createMediaGen(emulator.client).generate("imgmodelz", {
    prompt: "Another picture",
  });
  emulator.next({ fault: "resetAfter", on: "generate" });
  expect(await run({ concurrency: 1 })).toMatchObject({ succeeded: 1, unknown: 1 });
  expect(await planBatch(input, out, emulator.client)).toMatchObject({
    generations: 0,
    unknown: 1,
  });
  const [{ generationId = "" } = {}] = await unfinished();
  const media = createMediaGen({ ...emulator.client, store: fileStore(join(out, "generations")) });
  const right = emulator.tasks.find(({ prompt }) => prompt === "Picture 1")?.taskid ?? "";
  for (const taskid of [wrong.taskid, right]) {
    await media.resolve(generationId, { taskid });
    expect(await run()).toMatchObject({ succeeded: 2, generated: 0 });
    expect((await results()).find(({ id }) => id === "line-1")).toMatchObject({ taskid });
    const [picture = expect.fail()] = await blobs(media.image.task(taskid));
    expect(await readFile(join(out, "line-1-1.png"))).toEqual(
      Buffer.from(await picture.arrayBuffer()),
    );
  }
});

test("an entry that cannot be read blocks its line, and no other", async () => {
  const { run, emulator, out, unfinished } = await createBatch(linesOf(3));
  await run();
  const id = await generationIdOf(new URL(emulator.client.baseUrl).origin, "line-1");
  const entry = join(out, "generations", id.slice(0, 2), id);
  for (const name of await readdir(entry)) await writeFile(join(entry, name), "{");
  await writeFile(join(out, "results.jsonl"), "");
  expect(await run()).toMatchObject({ succeeded: 2, unfinished: 1, generated: 0 });
  expect(await unfinished()).toMatchObject([{ id: "line-1", error: { name: "StoreError" } }]);
  expect(emulator.charges).toHaveLength(3);
});

test("a result that a full disk has cut off between others is reported, and downloaded again once its line is removed", async () => {
  const { run, emulator, out } = await createBatch(linesOf(2));
  await run();
  const path = join(out, "results.jsonl");
  const [first = "", second = ""] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, `${first.slice(0, 20)}${second}\n`);
  await expect(run()).rejects.toThrow(
    /results\.jsonl whose line 1 is not valid\. Remove that line/,
  );
  await writeFile(path, "");
  expect([await run(), emulator.charges.length]).toMatchObject([{ succeeded: 2, generated: 0 }, 2]);
});

test("the contact sheet shows results in the order of the input, escaped, and loads nothing from elsewhere", async () => {
  const prompt = '<script>alert("1")</script> & more';
  const { run, read } = await createBatch([
    { id: "clip", model: "vidmodelv2", prompt: "A clip" },
    { id: "füchse", model: "imgmodelz", prompt },
  ]);
  await run();
  const page = await read("index.html");
  expect([...page.matchAll(/<b>(\d\. \S+) /g)].map(([, line]) => line)).toEqual([
    "1. clip",
    "2. füchse",
  ]);
  expect(page).toContain(
    '<img src="f%C3%BCchse-1.png" alt="2. füchse (imgmodelz)" loading="lazy">',
  );
  expect(page).toContain(
    '<video src="clip-1.mp4" aria-label="1. clip (vidmodelv2)" controls preload="none">',
  );
  expect(page).toContain("prompt: &#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; more");
  expect(page).not.toMatch(/https?:|\/\//);
});
