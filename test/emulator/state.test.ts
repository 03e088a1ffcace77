import { createEmulator, type EmulatorOptions } from "@mediagen/emulator";
import {
  createMediaGen,
  InsufficientCreditsError,
  TaskFailedError,
  type Task,
} from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { describe, expect, test } from "vitest";
import { bodyOf, exampleOf } from "../../scripts/spec.ts";
import { generate, kinds, models } from "../contract/cases.ts";

/** An emulator and a client on it. */
function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  const { baseUrl, apiKey, fetch } = emulator.client;
  return {
    emulator,
    media: createMediaGen(emulator.client),
    http: createHttpClient({ baseUrl, apiKey, fetch }),
  };
}

const statuses = { pending: 11, running: 12, succeeded: 13, failed: 14 };
const form = { prompt: "A fox runs through snow" };

describe.for(models)("a task of $model", ({ model, operation }) => {
  test("is pending, runs and succeeds as the clock goes on, and only then has results", async () => {
    const { emulator, media } = start({ clock: "manual", behaviour: { statuses } });
    const task = await generate(media, model, exampleOf(operation));
    const { startsAfterMs, endsAfterMs, plan } =
      emulator.tasks[0] ?? expect.fail("there is no task");
    const seen: unknown[] = [];
    for (const move of [0, startsAfterMs - 1, 1, endsAfterMs - startsAfterMs - 1, 1, 1_000_000]) {
      emulator.clock.advance(move);
      const { status, record } = await task.check();
      seen.push([emulator.tasks[0]?.state, status, record?.url.length]);
    }
    const pending = ["pending", 11, 0];
    const running = ["running", 12, 0];
    const succeeded = ["succeeded", 13, plan.count];
    expect(seen).toEqual([pending, pending, running, running, succeeded, succeeded]);
    const [counting = ""] =
      Object.entries(bodyOf(operation).properties ?? {}).find(
        ([, schema]) => schema["x-result-count"],
      ) ?? [];
    expect(plan.count).toBe(exampleOf(operation)[counting] ?? 1);
  });

  test("fails with #fail in its prompt, and has no results", async () => {
    const { emulator, media } = start();
    const task = await generate(media, model, { ...exampleOf(operation), prompt: "A fox #fail" });
    const error: unknown = await task.wait().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect((error as TaskFailedError).record.url).toEqual([]);
    expect(emulator.tasks[0]?.state).toBe("failed");
  });
});

test("scrambled statuses differ by seed, and the client has the final ones", async () => {
  const drawn = [1, 2, 3].map((seed) => start({ seed, behaviour: { statuses: "scrambled" } }));
  for (const { media } of drawn) {
    await (await media.video.generate("vidmodelv2", form)).wait();
    const bad = await media.image.generate("imgmodelv4", { prompt: "#fail" });
    await expect(bad.wait()).rejects.toBeInstanceOf(TaskFailedError);
  }
  const final = drawn.flatMap(({ emulator: { statuses } }) => [
    ...statuses.succeeded,
    ...statuses.failed,
  ]);
  expect(new Set(final).size).toBe(6);
});

test("results arrive one by one with that setting, and a wait ends with all of them", async () => {
  const { emulator, media } = start({
    clock: "manual",
    behaviour: { resultsArrive: "one by one" },
  });
  const task = await media.image.generate("imgmodelv4", { ...form, batchsize: 3 });
  const { startsAfterMs, endsAfterMs } = emulator.tasks[0] ?? expect.fail("there is no task");
  const counts: number[] = [];
  for (let step = 0; step <= 4; step++) {
    emulator.clock.advance(step === 0 ? startsAfterMs : (endsAfterMs - startsAfterMs) / 4);
    counts.push((await task.check()).record?.url.length ?? NaN);
  }
  expect(counts).toEqual([0, 0, 1, 2, 3]);
  expect((await task.wait()).url).toHaveLength(3);
});

test("credits that are not enough: code 9000, no task, no charge", async () => {
  const { emulator, media } = start({ credits: 9 });
  await media.image.generate("imgmodelv4", form);
  const error: unknown = await media.image
    .generate("imgmodelv4", form)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InsufficientCreditsError);
  expect(error).toMatchObject({ code: 9000, msg: "5 credits are needed, 4 are left" });
  expect(emulator).toMatchObject({ credits: 4, charges: [{ credits: 5 }], tasks: { length: 1 } });
  emulator.credits = 5;
  await media.image.generate("imgmodelv4", form);
  expect(emulator.credits).toBe(0);
});

describe.for(
  kinds.map(({ kind, generate: generations }) => ({
    kind,
    model: [...generations.keys()][0] ?? "",
  })),
)("$kind tasks", ({ kind, model }) => {
  const other = kind === "video" ? "image" : "video";
  const some = async (media: ReturnType<typeof start>["media"], count: number) => {
    const tasks: Task[] = [];
    for (let index = 0; index < count; index++) tasks.push(await generate(media, model, form));
    return tasks.map(({ taskid }) => taskid) as [string, ...string[]];
  };

  test("are deleted several at a time, or none if one is unknown", async () => {
    const { emulator, media } = start();
    const [first, second, third = ""] = await some(media, 3);
    await media[kind].delete([first, third]);
    const unknown = (id: string, more = "") => ({
      code: 9999,
      msg: `there is no ${kind} task ${id}${more}`,
    });
    await expect(media[kind].query(first)).rejects.toMatchObject(unknown(first));
    const deletion = media[kind].delete([second ?? "", "t-0"]);
    await expect(deletion).rejects.toMatchObject(unknown("t-0", "; nothing was deleted"));
    expect(emulator.tasks.map(({ taskid }) => taskid)).toEqual([second]);
    expect(emulator.charges).toHaveLength(3);
  });

  test("that are unknown are ignored with that setting", async () => {
    const { emulator, media } = start({ behaviour: { unknownIds: "ignore" } });
    const [first] = await some(media, 1);
    expect(await media[kind].query("t-0")).toEqual({ taskid: "t-0", url: [] });
    await media[kind].delete([first, "t-0"]);
    await media[kind].delete([first]);
    expect(emulator.tasks).toEqual([]);
  });

  test("are not those of the other kind", async () => {
    const { emulator, media } = start();
    const [first] = await some(media, 1);
    await expect(media[other].query(first)).rejects.toMatchObject({
      msg: `there is no ${other} task ${first}`,
    });
    await expect(media[other].delete([first])).rejects.toMatchObject({ code: 9999 });
    expect(emulator.tasks).toHaveLength(1);
  });
});

test.for([undefined, "emulator-key2"])(
  "the API key %s is rejected with HTTP 401 in the envelope",
  async (apiKey) => {
    const { emulator } = start();
    const media = createMediaGen({ ...emulator.client, apiKey });
    const error = { status: 401, code: 9999, msg: "the API key is missing or wrong" };
    await expect(media.video.generate("vidmodelv2", form)).rejects.toMatchObject(error);
    await expect(media.video.query("t-0")).rejects.toMatchObject({ status: 401 });
    expect(emulator).toMatchObject({ tasks: [], charges: [] });
    expect(emulator.calls[1]?.violations).toEqual(["Authorization must be the API key"]);
    const chosen = start({ apiKey: "chosen" });
    await chosen.media.video.generate("vidmodelv2", form);
  },
);

describe("a snapshot", () => {
  test("is plain JSON, and an emulator that restores it continues like the first one", async () => {
    const one = start({ seed: 7, clock: "manual" });
    const task = await one.media.image.generate("imgmodelv4", {
      ...form,
      batchsize: 2,
      resolution: "1:1",
    });
    one.emulator.clock.advance("3s");
    const saved = JSON.parse(JSON.stringify(one.emulator.snapshot())) as ReturnType<
      typeof one.emulator.snapshot
    >;
    expect(saved).toEqual(one.emulator.snapshot());
    const other = start({ seed: 1, clock: "manual" });
    other.emulator.restore(saved);
    for (const { emulator, media } of [one, other]) {
      await media.video.generate("vidmodelv2", { ...form, seed: -12 });
      emulator.clock.advance("1m");
    }
    expect(other.emulator.snapshot()).toEqual({ ...one.emulator.snapshot(), seed: 1 });
    expect(one.emulator.tasks.map(({ seed }) => seed)).toEqual([expect.any(Number), -12]);
    expect(await other.media.task(task.toJSON()).wait()).toEqual(await task.wait());
  });

  test("does not change later", async () => {
    const { emulator, media } = start();
    const before = emulator.snapshot();
    const { charges, tasks, calls } = emulator;
    await media.video.generate("vidmodelv2", form);
    expect([before.tasks, before.charges, charges, tasks, calls]).toEqual([[], [], [], [], []]);
  });
});

test("reset restores the state with which the emulator was created", async () => {
  const { emulator, media } = start({ seed: 3 });
  const fresh = emulator.snapshot();
  const first = await media.video.generate("vidmodelv2", form);
  await first.wait();
  emulator.credits = 1;
  emulator.next({ fault: "serverError" });
  emulator.reset();
  expect(emulator.snapshot()).toEqual(fresh);
  expect(emulator.calls).toEqual([]);
  expect((await media.video.generate("vidmodelv2", form)).taskid).toBe(first.taskid);
});

describe("a seed", () => {
  const play = async (seed: number) => {
    const { emulator, media } = start({ seed, behaviour: { statuses: "scrambled" } });
    const task = await media.image.generate("imgmodelv5", { ...form, resolution: "40x30" });
    const record = await task.wait();
    const bytes = await (await emulator.fetch(record.url[0] ?? "")).bytes();
    return { snapshot: { ...emulator.snapshot(), seed: 0 }, record, bytes };
  };

  test("determines ids, records, statuses and pictures", async () => {
    const [one, again, other] = await Promise.all([play(5), play(5), play(6)]);
    expect(again).toEqual(one);
    expect(other.record.taskid).not.toBe(one.record.taskid);
    expect(other.snapshot.tasks[0]?.seed).not.toBe(one.snapshot.tasks[0]?.seed);
    expect(other.bytes).not.toEqual(one.bytes);
  });
});
