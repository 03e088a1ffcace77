import type {
  Form,
  ImageTask,
  InvalidRequestError,
  JournalEntry,
  MediaGen,
  Model,
  Task,
  TaskJSON,
  VideoTask,
} from "@mediagen/sdk";
import { describe, expectTypeOf, test } from "vitest";
import type { paths } from "../../packages/sdk/src/spec/paths.gen.ts";

declare const media: MediaGen;
declare const blob: Blob;

describe("a model's form is known to the compiler", () => {
  test("each model of a kind can be generated, and no other", () => {
    expectTypeOf<"vidmodelv2" | "vidmodelv2fast" | "vidmodelv15pro">().toExtend<Model<"video">>();
    expectTypeOf<Model>().toEqualTypeOf<Model<"video"> | Model<"image">>();
    // @ts-expect-error -- an image model makes no video
    void media.video.generate("imgmodelz", { prompt: "A fox" });
    // @ts-expect-error -- there is no such model
    void media.video.generate("vidmodelx", { prompt: "A fox" });
  });

  test("fields take the values of the spec", () => {
    void media.video.generate("vidmodelv2", {
      prompt: "A fox",
      duration: 5,
      ratio: "adaptive",
      fps: 24,
      websearch: true,
      sourceImage: [blob, blob],
    });
    void media.image.generate("imgmodelv45", { prompt: "A fox", resolution: "2560x1440", sourceImage: blob });
    void media.image.generate("imgmodelz", { prompt: "A fox", resolution: "1024*1536", seed: undefined });
    // @ts-expect-error -- not a duration of this model
    void media.video.generate("vidmodelv15pro", { prompt: "A fox", duration: 0.5 });
    // @ts-expect-error -- not a resolution of this model
    void media.video.generate("vidmodelv2", { prompt: "A fox", resolution: "0p" });
    // @ts-expect-error -- a field of the other kind's models
    void media.video.generate("vidmodelv15pro", { prompt: "A fox", batchsize: 2 });
    // @ts-expect-error -- a typo
    void media.video.generate("vidmodelv2", { promt: "A fox" });
    // @ts-expect-error -- the prompt is required
    void media.image.generate("imgmodelv4", { batchsize: 2 });
    // @ts-expect-error -- a size of another form
    void media.image.generate("imgmodelv45", { prompt: "A fox", resolution: "2560*1440" });
    // @ts-expect-error -- one file, no list
    void media.image.generate("imgmodelv4", { prompt: "A fox", sourceImage: [blob] });
    // The types of the wire are made by another generator.
    type Wire = paths["/v1/video/vidmodelv2"]["post"]["requestBody"]["content"]["multipart/form-data"];
    expectTypeOf<Form<"vidmodelv2">["duration"]>().toEqualTypeOf<Wire["duration"]>();
    expectTypeOf<Form<"vidmodelv2">["ratio"]>().toEqualTypeOf<Wire["ratio"]>();
    expectTypeOf<Form<"vidmodelv2">["generate_audio"]>().toEqualTypeOf<"0" | "1" | boolean | undefined>();
    expectTypeOf<Form<"imgmodelz">["resolution"]>().toEqualTypeOf<`${number}*${number}` | undefined>();
  });

  test("each kind answers its own record", async () => {
    const video = await media.video.generate("vidmodelv2", { prompt: "A fox" });
    expectTypeOf(video).toEqualTypeOf<Task<"video">>();
    expectTypeOf(await video.wait()).toEqualTypeOf<VideoTask>();
    expectTypeOf(await media.image.query("t-1")).toEqualTypeOf<ImageTask>();
    expectTypeOf<VideoTask["url"]>().toEqualTypeOf<string[]>();
    expectTypeOf(video.toJSON()).toEqualTypeOf<TaskJSON>();
  });

  test("what settles is a record or an error, of tasks of both kinds", async () => {
    for await (const done of media.settle([media.video.task("t-1"), media.image.task("t-2")])) {
      if (!done.record) expectTypeOf(done.error).toEqualTypeOf<unknown>();
      else expectTypeOf(done.record).toEqualTypeOf<VideoTask | ImageTask>();
    }
    for await (const { record } of media.settle([media.video.task("t-1")]))
      expectTypeOf(record).toEqualTypeOf<VideoTask | undefined>();
    // @ts-expect-error -- ids are no tasks
    void media.settle(["t-1"]);
  });

  test("the further fields of queries and deletions belong to their kind", () => {
    void media.video.query("t-1", { moreTaskInfo: true });
    void media.image.delete(["t-1"], { uid: "u-1" });
    // @ts-expect-error -- images have no such field
    void media.image.query("t-1", { moreTaskInfo: true });
    // @ts-expect-error -- videos have no such field
    void media.video.delete(["t-1"], { uid: "u-1" });
  });

  test("the raw client is typed by the paths of the spec", () => {
    void media.http.POST("/v1/images/imgmodelz", { body: { prompt: "A fox" } });
    // @ts-expect-error -- there is no such path
    void media.http.POST("/v1/images/imgmodelx", { body: { prompt: "A fox" } });
    // @ts-expect-error -- the prompt is required
    void media.http.POST("/v1/images/imgmodelz", { body: {} });
  });

  test("what a journal answers follows from what it is told", () => {
    expectTypeOf(media.resolve("id", { taskid: "t-1" })).resolves.toEqualTypeOf<Task<"video"> | Task<"image">>();
    expectTypeOf(media.resolve("id", "not created")).resolves.toEqualTypeOf<undefined>();
    expectTypeOf<JournalEntry["type"]>().toEqualTypeOf<
      "intent" | "lease" | "created" | "notCreated" | "unknown" | "end"
    >();
  });

  test("errors tell their kind by name", () => {
    expectTypeOf<InvalidRequestError["name"]>().toEqualTypeOf<"InvalidRequestError">();
  });
});
