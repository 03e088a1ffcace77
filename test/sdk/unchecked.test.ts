import { createMediaGen, memoryStore } from "@mediagen/sdk";
import { createEmulator } from "@mediagen/emulator";
import { expect, test } from "vitest";
import { readSpec } from "../../scripts/spec.ts";
import { yaml } from "../contract/cases.ts";
import { serviceOf } from "../emulator/service-of.ts";
import { clientOf, created } from "./fake-service.ts";

/**
 * A service with a video and an image model that the SDK does not know: copies of two that it
 * knows, with a further field.
 */
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
const unchecked = { unchecked: true } as const;

/** A client, and the fields of the forms that it sends. */
function recording(options = {}) {
  const fields: [string, unknown][] = [];
  const reply = async (request: Request) => {
    for (const [name, value] of await request.formData())
      fields.push([name, typeof value === "string" ? value : "a file"]);
    return created("t-1");
  };
  return { ...clientOf([reply], options), fields };
}

test("a model newer than the SDK is generated, with a key, files and tasks to wait for", async () => {
  const emulator = await newerService();
  const media = createMediaGen({ ...emulator.client, store: memoryStore() });
  const form = {
    prompt: "A fox",
    duration: 5,
    mood: true,
    sourceImage: [gif, gif],
    seed: undefined,
  };
  const options = { ...unchecked, idempotencyKey: "order-1" };
  const task = await media.video.generate("vidmodelv9", form, options);
  expect((await media.video.generate("vidmodelv9", form, options)).taskid).toBe(task.taskid);
  expect(task).toMatchObject({ kind: "video", model: "vidmodelv9", resultCount: 1 });
  expect(emulator.tasks).toMatchObject([{ prompt: "A fox", fields: { duration: 5, mood: "1" } }]);
  expect(emulator.tasks[0]?.files).toHaveLength(2);
  expect((await media.task(JSON.parse(JSON.stringify(task))).wait()).url).toHaveLength(1);
  // What counts the results of the other models counts those of a new one.
  const images = await media.image.generate(
    "imgmodelv9",
    { prompt: "A fox", batchsize: 3 },
    unchecked,
  );
  expect([images.resultCount, (await images.wait()).url.length]).toEqual([3, 3]);
  expect(emulator.charges).toHaveLength(2);
});

test("a field or a value that is newer than the SDK is sent as it is", async () => {
  const { media, fields } = recording();
  const form = { prompt: "A fox", duration: 60, mood: "calm" };
  await media.video.generate("vidmodelv2", form, {
    ...unchecked,
    extraFields: { "frames[]": gif },
  });
  expect(fields).toEqual([...Object.entries({ ...form, duration: "60" }), ["frames[]", "a file"]]);
  // Also without a form.
  await media.video.generate("vidmodelv9", {}, { ...unchecked, extraFields: { text: "A fox" } });
  expect(fields.at(-1)).toEqual(["text", "A fox"]);
});

test("an extra field of a checked form is sent by the same rules", async () => {
  const { media, fields } = recording();
  await media.image.generate(
    "imgmodelz",
    { prompt: "A fox" },
    { extraFields: { loud: true, tags: "a\nb" } },
  );
  expect(Object.fromEntries(fields)).toEqual({ prompt: "A fox", loud: "1", tags: "a\r\nb" });
});

test("lists of files are those that were passed", async () => {
  const frames = [gif, gif];
  const { media, fields } = recording({ beforeGenerate: () => void frames.splice(0) });
  await media.video.generate("vidmodelv9", { frames }, unchecked);
  expect(fields).toEqual(Array(2).fill(["frames.items", "a file"]));
});

test.for([
  [2.5, 1],
  [1e300, 1],
  [-3, 1],
  ["4", 4],
] as const)("a count of results loses no paid task: %o", async ([batchsize, resultCount]) => {
  const task = await clientOf().media.image.generate(
    "imgmodelv9",
    { prompt: "A fox", batchsize },
    unchecked,
  );
  expect(task.resultCount).toBe(resultCount);
});
