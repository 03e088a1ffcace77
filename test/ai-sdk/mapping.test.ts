import {
  InvalidArgumentError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import {
  createProviderRegistry,
  experimental_generateVideo as generateVideo,
  generateImage,
} from "ai";
import { describe, expect, test } from "vitest";
import { errorOf } from "../sdk/fake-service.ts";
import { createDesk, type Desk, png } from "./desk.ts";

type ImageCall = Partial<Parameters<typeof generateImage>[0]>;
type VideoCall = Partial<Parameters<typeof generateVideo>[0]>;

const prompt = "A fox in snow";
const url = "https://example.com/first.png";
const withImages = (...images: (Uint8Array | string)[]) => ({ text: prompt, images });

const image =
  (call: ImageCall, model = "imgmodelv4") =>
  ({ mediagen }: Desk) =>
    generateImage({ model: mediagen.imageModel(model), prompt, ...call });
const video =
  (call: VideoCall) =>
  ({ mediagen }: Desk) =>
    generateVideo({ model: mediagen.video("vidmodelv2"), prompt, ...call });

test.for<[string, model: string, ImageCall, fields: object]>([
  ["a size with an x", "imgmodelv45", { size: "2048x2048" }, { resolution: "2048x2048" }],
  ["a size with an asterisk", "imgmodelz", { size: "64x48" }, { resolution: "64*48" }],
  ["an aspect ratio", "imgmodelv4", { aspectRatio: "16:9" }, { resolution: "16:9" }],
  ["a seed", "imgmodelz", { seed: 7, size: "64x64" }, { seed: 7 }],
  ["several images", "imgmodelv4", { n: 3 }, { batchsize: 3 }],
  [
    "options of its own",
    "imgmodelv4",
    { providerOptions: { mediagen: { batchsize: 2 } } },
    { batchsize: 2 },
  ],
  ["the URL of a source image", "imgmodelv4", { prompt: withImages(url) }, { imageUrl: url }],
])("an image call becomes the form of its model: %s", async ([, model, call, fields]) => {
  const desk = createDesk();
  const { images, warnings } = await image(call, model)(desk);
  expect(desk.emulator.tasks.map((task) => task.fields)).toEqual([
    expect.objectContaining({ prompt, ...fields }),
  ]);
  expect(images.map(({ mediaType }) => mediaType)).toEqual(images.map(() => "image/png"));
  expect(warnings).toEqual([]);
});

test.for<[number, model: string, counts: number[]]>([
  [20, "imgmodelv4", [15, 5]],
  [3, "imgmodelz", [1, 1, 1]],
])("%i images of %s are as many tasks as they need", async ([n, model, counts]) => {
  const desk = createDesk();
  expect((await image({ n }, model)(desk)).images).toHaveLength(n);
  expect(desk.emulator.tasks.map(({ plan }) => plan.count).sort((a, b) => b - a)).toEqual(counts);
});

const sound = { duration: 5, fps: 12, generateAudio: true };
const frames = (["last_frame", "first_frame"] as const).map((frameType) => ({
  image: png,
  frameType,
}));
test.for<[string, VideoCall, fields: object, files?: number]>([
  ["a duration, a frame rate and sound", sound, { duration: 5, fps: "12", generate_audio: "1" }],
  [
    "a resolution, and its shape",
    { resolution: "1280x720" },
    { resolution: "720p", ratio: "16:9" },
  ],
  [
    "a resolution whose shape is rounded",
    { resolution: "480x854" },
    { resolution: "480p", ratio: "9:16" },
  ],
  ["a source image", { prompt: { text: prompt, image: png }, seed: 7 }, { seed: 7 }, 1],
  ["a first and a last frame", { frameImages: frames }, {}, 2],
])("a video call becomes the form of its model: %s", async ([, call, fields, files = 0]) => {
  const desk = createDesk();
  const { video: result, warnings } = await video(call)(desk);
  expect([result.mediaType, warnings]).toEqual(["video/mp4", []]);
  const [task] = desk.emulator.tasks;
  expect(task?.fields).toMatchObject({ prompt, ...fields });
  expect(task?.files.map(({ type }) => type)).toEqual(
    Array.from({ length: files }, () => "image/png"),
  );
});

test("a setting that the model has no field for is a warning with the result", async () => {
  const { warnings } = await image({ seed: 7 })(createDesk());
  const details = expect.stringContaining("imgmodelv4 has no field for it");
  expect(warnings).toEqual([{ type: "unsupported", feature: "seed", details }]);
});

const unsupported = UnsupportedFunctionalityError;
const invalid = InvalidArgumentError;
const mask = { ...withImages(png), mask: png };
const ofOptions = (mediagen: Readonly<Record<string, number>>, n = 1) =>
  image({ n, providerOptions: { mediagen } });
type Row = [
  string,
  (desk: Desk) => Promise<unknown>,
  { isInstance(error: unknown): boolean },
  RegExp,
];
test.for<Row>([
  ["a mask", image({ prompt: mask }), unsupported, /^mask: .* Nothing was sent/],
  [
    "an image for a model without",
    image({ prompt: withImages(png) }, "imgmodelz"),
    unsupported,
    /no source image/,
  ],
  [
    "two images for a model that takes one",
    image({ prompt: withImages(png, png) }),
    invalid,
    /not a list of 2/,
  ],
  ["the URLs of two", image({ prompt: withImages(url, url) }), unsupported, /pass the bytes/],
  [
    "the URL of a frame, if no field takes it",
    video({ prompt: { image: url } }),
    unsupported,
    /pass the bytes/,
  ],
  [
    "a last frame alone",
    video({ frameImages: frames.slice(0, 1) }),
    unsupported,
    /needs a first one/,
  ],
  ["references", video({ inputReferences: [png] }), unsupported, /inputReferences/],
  [
    "a resolution that is not valid",
    video({ resolution: "1920x1080" }),
    invalid,
    /resolution must be .*"1920x1080"/,
  ],
  ["a shape that is not valid", video({ resolution: "960x480" }), invalid, /resolution|ratio/],
  [
    "a size of a model that takes shapes",
    image({ size: "1024x1024" }),
    invalid,
    /must be one of "9:16"/,
  ],
  ["a misspelled option", ofOptions({ batchsiz: 2 }), invalid, /Did you mean batchsize/],
  ["a count that is given twice", ofOptions({ batchsize: 2 }, 2), invalid, /both set/],
  [
    "a header that cannot be sent",
    image({ headers: { "content-type": "text/plain" } }),
    invalid,
    /content-type/,
  ],
])("is rejected before anything is sent: %s", async ([, call, type, says]) => {
  const desk = createDesk();
  const error = await errorOf(call(desk));
  expect(error).toMatchObject({ message: expect.stringMatching(says) });
  expect(type.isInstance(error)).toBe(true);
  expect(desk.emulator.calls).toEqual([]);
});

describe("the models of a provider", () => {
  test("are known to a registry by their names", async () => {
    const { mediagen, tasks } = createDesk();
    const registry = createProviderRegistry({ mediagen });
    await generateImage({
      model: registry.imageModel("mediagen:imgmodelz"),
      prompt,
      size: "64x64",
    });
    expect(registry.videoModel("mediagen:vidmodelv2").provider).toBe("mediagen.video");
    expect(tasks).toHaveLength(1);
  });

  test("are those of the SDK: other names, and models of text, are errors", () => {
    for (const { mediagen } of [createDesk(), createDesk({ unchecked: true })])
      for (const name of ["imageModel", "videoModel", "languageModel", "embeddingModel"] as const)
        expect(
          () => mediagen[name](name === "videoModel" ? "imgmodelz" : "vidmodelv2"),
          name,
        ).toThrow(NoSuchModelError);
    expect(() => createDesk().mediagen.imageModel("imgmodelv9")).toThrow("No such imageModel");
  });

  test("may be newer than the SDK with unchecked: settings become the fields of other models of their kind", async () => {
    const sent: [url: string, unknown][] = [];
    const fetch = async (url: string | URL, init?: object) => {
      const request = new Request(url, init);
      if (request.url.endsWith("/v1/images/imgmodelv9"))
        sent.push([request.url, Object.fromEntries(await request.formData())]);
      return Response.json({ code: 9999, msg: "no" });
    };
    const desk = createDesk({ unchecked: true, client: { fetch } });
    const options = {
      providerOptions: { mediagen: { mood: "calm" } },
      n: 2,
      aspectRatio: "16:9",
    } as const;
    expect(await errorOf(image(options, "imgmodelv9")(desk))).toMatchObject({
      data: { code: 9999 },
    });
    const fields = { prompt, mood: "calm", batchsize: "2", resolution: "16:9" };
    expect(sent).toEqual([[expect.stringMatching(/^http/), fields]]);
  });
});
