import {
  createMediaGen,
  type Form,
  type GenerationEntry,
  type GenerationState,
  type ImageRecord,
  type MediaGen,
  type Model,
  type Task,
  type TaskJSON,
  type VideoRecord,
  waitAll,
  waitEach,
  type WaitOutcome,
} from "@mediagen/sdk";
import { createHttpClient, type HttpClient, type paths } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import https from "node:https";
import { formSchema } from "@mediagen/sdk/schema";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { expectTypeOf, test } from "vitest";

declare const media: MediaGen;
declare const blob: Blob;
const { video, image } = media;
const prompt = "A fox";
type AnyTask = Task<"video"> | Task<"image">;

test("each model of a kind can be generated, and no other", () => {
  expectTypeOf<"vidmodelv2" | "vidmodelv2fast" | "vidmodelv15pro">().toExtend<Model<"video">>();
  expectTypeOf<Model>().toEqualTypeOf<Model<"video"> | Model<"image">>();
  // @ts-expect-error -- an image model makes no video
  void video.generate("imgmodelz", { prompt });
  // @ts-expect-error -- there is no such model
  void video.generate("vidmodelx", { prompt });
});

test("fields take the values of the spec", () => {
  void video.generate("vidmodelv2", {
    prompt,
    duration: 5,
    ratio: "adaptive",
    fps: 24,
    websearch: true,
  });
  void video.generate("vidmodelv2", { sourceImage: [blob, blob] });
  void image.generate("imgmodelv45", { prompt, resolution: "2560x1440", sourceImage: blob });
  void image.generate("imgmodelz", { prompt, resolution: "1024*1536", seed: undefined });
  // @ts-expect-error -- not a duration of this model
  void video.generate("vidmodelv15pro", { prompt, duration: 0.5 });
  // @ts-expect-error -- not a resolution of this model
  void video.generate("vidmodelv2", { prompt, resolution: "0p" });
  // @ts-expect-error -- a field of the other kind's models
  void video.generate("vidmodelv15pro", { prompt, batchsize: 2 });
  // @ts-expect-error -- a typo
  void video.generate("vidmodelv2", { promt: prompt });
  // @ts-expect-error -- the prompt is required
  void image.generate("imgmodelv4", { batchsize: 2 });
  // @ts-expect-error -- a size of another form
  void image.generate("imgmodelv45", { prompt, resolution: "2560*1440" });
  // @ts-expect-error -- one file, no list
  void image.generate("imgmodelv4", { prompt, sourceImage: [blob] });
  // The types of the wire are made by another generator.
  type Wire =
    paths["/v1/video/vidmodelv2"]["post"]["requestBody"]["content"]["multipart/form-data"];
  expectTypeOf<Form<"vidmodelv2">["duration"]>().toEqualTypeOf<Wire["duration"]>();
  expectTypeOf<Form<"vidmodelv2">["ratio"]>().toEqualTypeOf<Wire["ratio"]>();
  expectTypeOf<Form<"vidmodelv2">["generate_audio"]>().toEqualTypeOf<
    "0" | "1" | boolean | undefined
  >();
  expectTypeOf<Form<"imgmodelz">["resolution"]>().toEqualTypeOf<
    `${number}*${number}` | undefined
  >();
});

test("each kind returns its own record, and has its own fields of queries and deletions", async () => {
  const task = await video.generate("vidmodelv2", { prompt });
  expectTypeOf(task).toEqualTypeOf<Task<"video">>();
  expectTypeOf(await task.wait()).toEqualTypeOf<VideoRecord>();
  expectTypeOf(await image.query("t-1")).toEqualTypeOf<ImageRecord>();
  expectTypeOf<VideoRecord["url"]>().toEqualTypeOf<string[]>();
  void video.query("t-1", { moreTaskInfo: true });
  void image.delete(["t-1"], { uid: "u-1" });
  // @ts-expect-error -- images have no such field
  void image.query("t-1", { moreTaskInfo: true });
  // @ts-expect-error -- videos have no such field
  void video.delete(["t-1"], { uid: "u-1" });
});

test("a saved task fits the JSON types of workflow engines, and what those return is read back", () => {
  // As the AI SDK, Temporal and type-fest have them: each with an index signature, which an
  // interface does not fit.
  type JSONValue =
    | null
    | string
    | number
    | boolean
    | { [key: string]: JSONValue | undefined }
    | JSONValue[];
  type StrictJson =
    | null
    | string
    | number
    | boolean
    | { readonly [key: string]: StrictJson }
    | readonly StrictJson[];
  expectTypeOf<TaskJSON>().toExtend<JSONValue & StrictJson & Record<string, unknown>>();
  expectTypeOf<TaskJSON[]>().toExtend<JSONValue>();
  expectTypeOf(video.task("t-1").toJSON()).toEqualTypeOf<TaskJSON>();
  expectTypeOf(media.task).parameter(0).toEqualTypeOf<TaskJSON>();
});

test("an outcome of a wait has a record of the task's kind or an error, by `ok`", async () => {
  for await (const outcome of waitEach([video.task("t-1"), image.task("t-2")])) {
    if (outcome.ok) expectTypeOf(outcome.record).toEqualTypeOf<VideoRecord | ImageRecord>();
    else expectTypeOf(outcome.error).toEqualTypeOf<unknown>();
    // @ts-expect-error -- there may be an error instead
    void outcome.record;
  }
  for await (const outcome of waitEach([video.task("t-1")]))
    if (outcome.ok) expectTypeOf(outcome.record).toEqualTypeOf<VideoRecord>();
  // @ts-expect-error -- ids are not tasks
  void waitEach(["t-1"]);
  const images: readonly WaitOutcome<Task<"image">>[] = await waitAll([image.task("t-1")]);
  for (const outcome of images)
    if (outcome.ok) expectTypeOf(outcome.record).toEqualTypeOf<ImageRecord>();
  const mixed = await waitAll([video.task("t-1"), image.task("t-2")]);
  expectTypeOf(mixed).toEqualTypeOf<readonly WaitOutcome<AnyTask>[]>();
});

test("a model known only at run time is generated by the client itself, and a literal is still checked", async () => {
  const model: string = "imgmodelz";
  const form: Record<string, unknown> = { prompt };
  expectTypeOf(await media.generate(model, form)).toEqualTypeOf<AnyTask>();
  void media.generate(
    "imgmodelz",
    { prompt, resolution: "1024*1536" },
    { extraFields: { style: "woodcut" } },
  );
  void media.generate("imgmodelz" as "imgmodelz" | "vidmodelv2", { prompt });
  // @ts-expect-error -- a size of another form
  void media.generate("imgmodelz", { prompt, resolution: "1024x1536" });
  // @ts-expect-error -- a typo
  void media.generate("imgmodelz", { prompt, seeed: 1 });
  // @ts-expect-error -- the prompt is required
  void media.generate("imgmodelz", {});
  // @ts-expect-error -- a form is an object
  void media.generate(model, "A fox");
});

test("the low-level client is typed by the paths of the spec", async () => {
  const http = createHttpClient({ baseUrl: "http://localhost" });
  expectTypeOf(http).toEqualTypeOf<HttpClient>();
  void http.POST("/v1/images/imgmodelz", { body: { prompt } });
  const { data } = await http.POST("/v1/video/infobytaskid", { body: { taskid: "t-1" } });
  type Response =
    paths["/v1/video/infobytaskid"]["post"]["responses"][200]["content"]["application/json"];
  expectTypeOf(data).toEqualTypeOf<Response | undefined>();
  // @ts-expect-error -- there is no such path
  void http.POST("/v1/images/imgmodelx", { body: { prompt } });
  // @ts-expect-error -- the prompt is required
  void http.POST("/v1/images/imgmodelz", { body: {} });
  // @ts-expect-error -- the service takes only POST
  void http.GET("/v1/images/imgmodelz");
  // @ts-expect-error -- it retries nothing
  void createHttpClient({ retries: 2 });
});

test("what resolve returns follows from the resolution, and entries have literal types", () => {
  expectTypeOf(media.resolve("id", { taskid: "t-1" })).resolves.toEqualTypeOf<AnyTask>();
  expectTypeOf(
    media.resolve("id", "notCreated", { attempt: "a0" }),
  ).resolves.toEqualTypeOf<undefined>();
  // @ts-expect-error -- "not created" is about one attempt
  void media.resolve("id", "notCreated");
  type States = "claimed" | "sending" | "created" | "unknown" | "notCreated" | "ended";
  expectTypeOf<GenerationEntry["state"]>().toEqualTypeOf<GenerationState>();
  expectTypeOf<GenerationState>().toEqualTypeOf<States>();
});

test("only a client of Node takes an agent", () => {
  void createNodeMediaGen({ agent: new https.Agent() });
  // @ts-expect-error -- fetch opens the connections
  void createMediaGen({ agent: new https.Agent() });
});

test("a schema of a form is a Standard Schema of the form, without the fields that the server sets", () => {
  type Output<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;
  const all = formSchema("vidmodelv2");
  expectTypeOf(all).toExtend<
    StandardSchemaV1<Form<"vidmodelv2">> & StandardJSONSchemaV1<Form<"vidmodelv2">>
  >();
  const text = formSchema("vidmodelv2", { from: "text" });
  expectTypeOf(text).toExtend<
    StandardSchemaV1<FormData | Readonly<Record<string, unknown>>, Form<"vidmodelv2">>
  >();
  const some = formSchema("vidmodelv2", { from: "text", without: ["duration"] });
  expectTypeOf<Form<"vidmodelv2">>().toExtend<Output<typeof all>>();
  expectTypeOf<Output<typeof all>>().toExtend<Form<"vidmodelv2">>();
  expectTypeOf<Output<typeof some>>().not.toHaveProperty("duration");
  void video.generate("vidmodelv2", { ...({} as Output<typeof some>), duration: 5 });
  // @ts-expect-error -- there is no such field
  formSchema("vidmodelv2", { without: ["durations"] });
  // @ts-expect-error -- there is no such model
  formSchema("vidmodelx");
});
