import { createMediaGen, InvalidRequestError, memoryStore, type UncheckedForm } from "@mediagen/sdk";
import { createEmulator } from "@mediagen/emulator";
import { expect, test } from "vitest";
import { readSpec } from "../../scripts/spec.ts";
import { yaml } from "../contract/cases.ts";
import { serviceOf } from "../emulator/service-of.ts";
import { clientOf, created, errorOf } from "./fake-service.ts";

/** A service with a video and an image model that the SDK does not know: copies of two that it knows, with a further field. */
async function newerService() {
  const { paths, ...spec } = structuredClone(readSpec(yaml)) as { paths: Record<string, unknown> };
  const copy = (from: string, to: string) =>
    (paths[to] = JSON.parse(
      JSON.stringify(paths[from])
        .replaceAll('"websearch"', '"mood"')
        .replace(/"operationId":"\w+"/, `"operationId":"generate${to.split("/").at(-1)}"`),
    ));
  copy("/v1/video/vidmodelv2", "/v1/video/vidmodelv9");
  copy("/v1/images/imgmodelv4", "/v1/images/imgmodelv9");
  return createEmulator({ service: await serviceOf({ ...spec, paths } as never) });
}

const gif = new Blob(["GIF89a"], { type: "image/gif" });

test("a model newer than the SDK is generated, with a key, files and a task to wait for", async () => {
  const emulator = await newerService();
  const media = createMediaGen({ ...emulator.client, store: memoryStore() });
  const form = { prompt: "A fox", duration: 5, mood: true, sourceImage: [gif, gif], seed: undefined };
  const options = { unchecked: true, idempotencyKey: "order-1" } as const;
  const task = await media.video.generate("vidmodelv9", form, options);
  expect((await media.video.generate("vidmodelv9", form, options)).taskid).toBe(task.taskid);
  expect(task).toMatchObject({ kind: "video", model: "vidmodelv9", resultCount: 1 });
  expect(emulator.tasks).toMatchObject([{ prompt: "A fox", fields: { duration: 5, mood: "1" } }]);
  expect(emulator.tasks[0]?.files).toHaveLength(2);
  expect((await media.task(JSON.parse(JSON.stringify(task))).wait()).url).toHaveLength(1);
  expect(emulator.charges).toHaveLength(1);
});

test("what counts the results of the other models counts those of a new one", async () => {
  const media = createMediaGen((await newerService()).client);
  const task = await media.image.generate("imgmodelv9", { prompt: "A fox", batchsize: 3 }, { unchecked: true });
  expect(task.resultCount).toBe(3);
  expect((await task.wait()).url).toHaveLength(3);
});

test("a field or a value that is newer than the SDK is sent as it is", async () => {
  const sent: (readonly [string, unknown])[] = [];
  const reply = async (request: Request) => {
    sent.push(...(await request.formData()));
    return Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } });
  };
  const { media } = clientOf([reply]);
  const form = { prompt: "A fox", duration: 60, mood: "calm" };
  await media.video.generate("vidmodelv2", form, { unchecked: true, extraFields: { "frames[]": gif } });
  expect(sent.map(([name, value]) => [name, typeof value === "string" ? value : "a file"])).toEqual([
    ["prompt", "A fox"],
    ["duration", "60"],
    ["mood", "calm"],
    ["frames[]", "a file"],
  ]);
});

test("an extra field of a checked form is sent by the same rules", async () => {
  const sent: (readonly [string, unknown])[] = [];
  const { media } = clientOf([async (request) => (sent.push(...(await request.formData())), created("t-1"))]);
  await media.image.generate("imgmodelz", { prompt: "A fox" }, { extraFields: { loud: true, tags: "a\nb" } });
  expect(Object.fromEntries(sent)).toEqual({ prompt: "A fox", loud: "1", tags: "a\r\nb" });
});

test("a form may consist of extra fields alone", async () => {
  const { media, sent } = clientOf();
  await media.video.generate("vidmodelv9", {}, { unchecked: true, extraFields: { text: "A fox" } });
  expect(sent()).toBe(1);
});

test("a count of results that is none loses no paid task", async () => {
  for (const [batchsize, resultCount] of [
    [2.5, 1],
    [1e300, 1],
    [-3, 1],
    ["4", 4],
  ] as const) {
    const { media, sent } = clientOf();
    const task = await media.image.generate("imgmodelv9", { prompt: "A fox", batchsize }, { unchecked: true });
    expect([task.resultCount, sent()]).toEqual([resultCount, 1]);
  }
});

test("lists of files are those that were given, and no field is sent twice", async () => {
  const counts: number[] = [];
  const reply = async (request: Request) => {
    counts.push((await request.formData()).getAll("frames.items").length);
    return Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } });
  };
  const frames = [gif, gif];
  const { media } = clientOf([reply], { beforeGenerate: () => void frames.splice(0) });
  await media.video.generate("vidmodelv9", { frames }, { unchecked: true });
  expect(counts).toEqual([2]);
  const twice = media.video.generate("vidmodelv9", { mood: "a" }, { unchecked: true, extraFields: { mood: "b" } });
  expect(await errorOf(twice)).toMatchObject({ issues: [{ field: "extraFields.mood", code: "notAllowed" }] });
});

test.for<[string, unknown, unknown, string]>([
  ["a model that leaves the path", "../images/imgmodelz", { prompt: "A fox" }, "model"],
  ["no model", "", { prompt: "A fox" }, "model"],
  ["a model that is no text", 7, { prompt: "A fox" }, "model"],
  ["a form that is none", "vidmodelv9", "A fox", "form"],
  ["an object as a value", "vidmodelv9", { camera: { x: 1 } }, "camera"],
  ["a list of texts", "vidmodelv9", { words: ["a"] }, "words[0]"],
  ["no number", "vidmodelv9", { seed: Number.NaN }, "seed"],
  ["an operation that is no model", "infobytaskid", { prompt: "A fox" }, "model"],
  ["an empty file", "vidmodelv9", { mask: new Blob([]) }, "mask"],
  ["a path where the other models take files", "vidmodelv9", { sourceImage: "./first" }, "sourceImage"],
])("but %s is rejected, and nothing is sent", async ([, model, form, field]) => {
  const { media, sent } = clientOf();
  const error = await errorOf(media.video.generate(model as string, form as UncheckedForm, { unchecked: true }));
  expect(error).toBeInstanceOf(InvalidRequestError);
  expect((error as InvalidRequestError).issues.map((issue) => issue.field)).toEqual([field]);
  expect(sent()).toBe(0);
});

test("a model that nobody knows has no kind, so it is not guessed where to send it", async () => {
  const { media, sent } = clientOf();
  for (const options of [{}, { unchecked: true }])
    expect(await errorOf(media.generate("vidmodelv9", { prompt: "A fox" }, options))).toMatchObject({
      issues: [{ field: "model" }],
    });
  expect(sent()).toBe(0);
});
