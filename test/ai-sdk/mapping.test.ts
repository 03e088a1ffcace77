import { InvalidArgumentError, NoSuchModelError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { createProviderRegistry, experimental_generateVideo as generateVideo, generateImage } from "ai";
import { describe, expect, test } from "vitest";
import { createDesk, errorOf, png } from "./desk.ts";

type ImageCall = Omit<Parameters<typeof generateImage>[0], "model" | "prompt">;
type VideoCall = Omit<Parameters<typeof generateVideo>[0], "model">;

const prompt = "A fox in snow";
const url = "https://example.com/first.png";

describe("an image call becomes the form of its model", () => {
  test.for<[string, model: string, ImageCall, fields: object]>([
    ["a size with an x", "imgmodelv45", { size: "2048x2048" }, { resolution: "2048x2048" }],
    ["a size with an asterisk", "imgmodelz", { size: "64x48" }, { resolution: "64*48" }],
    ["an aspect ratio", "imgmodelv4", { aspectRatio: "16:9" }, { resolution: "16:9" }],
    ["a seed", "imgmodelz", { seed: 7, size: "64x64" }, { seed: 7 }],
    ["several images", "imgmodelv4", { n: 3 }, { batchsize: 3 }],
    ["options of its own", "imgmodelv4", { providerOptions: { mediagen: { batchsize: 2 } } }, { batchsize: 2 }],
  ])("%s", async ([, model, call, fields]) => {
    const { emulator, mediagen } = createDesk();
    const { images, warnings } = await generateImage({ model: mediagen.imageModel(model), prompt, ...call });
    expect(emulator.tasks.map((task) => task.fields)).toEqual([expect.objectContaining({ prompt, ...fields })]);
    expect(images.map(({ mediaType }) => mediaType)).toEqual(images.map(() => "image/png"));
    expect(warnings).toEqual([]);
  });

  test.for<[number, model: string, counts: number[]]>([
    [20, "imgmodelv4", [15, 5]],
    [3, "imgmodelz", [1, 1, 1]],
  ])("%i images of %s are as many tasks as they need", async ([n, model, counts]) => {
    const { emulator, mediagen } = createDesk();
    const { images } = await generateImage({ model: mediagen.imageModel(model), prompt, n });
    expect(emulator.tasks.map(({ plan }) => plan.count).sort((a, b) => b - a)).toEqual(counts);
    expect(images).toHaveLength(n);
  });

  test("source images are files, or the URL of one where the form has a field for it", async () => {
    const { emulator, mediagen } = createDesk();
    const model = mediagen.image("imgmodelv4");
    await generateImage({ model, prompt: { text: prompt, images: [png] } });
    await generateImage({ model, prompt: { text: prompt, images: [url] } });
    const [file, address] = emulator.tasks;
    expect(file?.files).toEqual([expect.objectContaining({ part: "sourceImage.items", size: png.length })]);
    expect(address).toMatchObject({ files: [], fields: { imageUrl: url } });
  });

  test("a setting that the model has no field for is a warning with the result", async () => {
    const call = { prompt, seed: 7 };
    const { mediagen } = createDesk();
    const { warnings } = await generateImage({ model: mediagen.image("imgmodelv4"), ...call });
    expect(warnings).toEqual([
      { type: "unsupported", feature: "seed", details: expect.stringContaining("imgmodelv4 has no field for it") },
    ]);
  });
});

describe("a video call becomes the form of its model", () => {
  const source = { text: prompt, image: png };
  test.for<[string, VideoCall, fields: object]>([
    [
      "a duration, a frame rate and sound",
      { prompt, duration: 5, fps: 12, generateAudio: true },
      { duration: 5, fps: "12", generate_audio: "1" },
    ],
    ["a resolution, and its shape", { prompt, resolution: "1280x720" }, { resolution: "720p", ratio: "16:9" }],
    ["a resolution whose shape is rounded", { prompt, resolution: "480x854" }, { resolution: "480p", ratio: "9:16" }],
    ["a source image", { prompt: source, seed: 7 }, { seed: 7, files: ["image/png"] }],
    [
      "a first and a last frame",
      {
        prompt,
        frameImages: [
          { image: png, frameType: "last_frame" },
          { image: png, frameType: "first_frame" },
        ],
      },
      { files: ["image/png", "image/png"] },
    ],
  ])("%s", async ([, call, { files = [], ...fields }]: [string, VideoCall, { files?: string[] }]) => {
    const { emulator, mediagen } = createDesk();
    const { video, warnings } = await generateVideo({ model: mediagen.video("vidmodelv2"), ...call });
    expect(video.mediaType).toBe("video/mp4");
    const [task] = emulator.tasks;
    expect(task?.fields).toMatchObject({ prompt, ...fields });
    expect(task?.files.map(({ type }) => type)).toEqual(files);
    expect(warnings).toEqual([]);
  });
});

describe("is rejected before anything is sent:", () => {
  const image =
    (call: ImageCall, model = "imgmodelv4", given: string | object = prompt) =>
    ({ mediagen }: ReturnType<typeof createDesk>) =>
      // The cast: the tests below pass prompts of all forms.
      generateImage({ model: mediagen.imageModel(model), prompt: given as string, ...call });
  const video =
    (call: Partial<VideoCall>) =>
    ({ mediagen }: ReturnType<typeof createDesk>) =>
      generateVideo({ model: mediagen.video("vidmodelv2"), prompt, ...call });

  const [unsupported, invalid] = [UnsupportedFunctionalityError, InvalidArgumentError];
  type Call = (desk: ReturnType<typeof createDesk>) => Promise<unknown>;
  test.for<[string, Call, { isInstance(error: unknown): boolean }, RegExp]>([
    [
      "a mask",
      image({}, "imgmodelv4", { text: prompt, images: [png], mask: png }),
      unsupported,
      /^mask: .* Nothing was sent/,
    ],
    [
      "source images of a model that takes none",
      image({}, "imgmodelz", { text: prompt, images: [png] }),
      unsupported,
      /takes no source image/,
    ],
    [
      "two source images of a model that takes one",
      image({}, "imgmodelv4", { text: prompt, images: [png, png] }),
      invalid,
      /not a list of 2/,
    ],
    ["the URLs of two", image({}, "imgmodelv4", { text: prompt, images: [url, url] }), unsupported, /pass the bytes/],
    [
      "the URL of a frame, if the form has no field for it",
      video({ prompt: { image: url } }),
      unsupported,
      /pass the bytes/,
    ],
    [
      "a last frame alone",
      video({ frameImages: [{ image: png, frameType: "last_frame" }] }),
      unsupported,
      /needs a first one/,
    ],
    ["references", video({ inputReferences: [png] }), unsupported, /inputReferences/],
    ["a resolution that is not valid", video({ resolution: "1920x1080" }), invalid, /resolution must be .*"1920x1080"/],
    ["a shape that is not valid", video({ resolution: "960x480" }), invalid, /resolution|ratio/],
    ["a size of a model that takes shapes", image({ size: "1024x1024" }), invalid, /must be one of "9:16"/],
    [
      "a misspelled option",
      image({ providerOptions: { mediagen: { batchsiz: 2 } } }),
      invalid,
      /Did you mean batchsize/,
    ],
    [
      "a count that is given twice",
      image({ n: 2, providerOptions: { mediagen: { batchsize: 2 } } }),
      invalid,
      /both set/,
    ],
    ["a header that cannot be sent", image({ headers: { "content-type": "text/plain" } }), invalid, /content-type/],
  ])("%s", async ([, call, type, says]) => {
    const desk = createDesk();
    const error = await errorOf(call(desk));
    expect(error).toMatchObject({ message: expect.stringMatching(says) });
    expect(type.isInstance(error)).toBe(true);
    expect(desk.emulator.calls).toEqual([]);
  });
});

describe("the models of a provider", () => {
  test("are known to a registry by their names", async () => {
    const { mediagen, tasks } = createDesk();
    const registry = createProviderRegistry({ mediagen });
    await generateImage({ model: registry.imageModel("mediagen:imgmodelz"), prompt, size: "64x64" });
    expect(registry.videoModel("mediagen:vidmodelv2").provider).toBe("mediagen.video");
    expect(tasks).toHaveLength(1);
  });

  test("are those of the SDK: other names, and models of text, are errors", () => {
    const { mediagen } = createDesk();
    for (const name of ["imageModel", "videoModel", "languageModel", "embeddingModel"] as const) {
      const call = () => mediagen[name](name === "videoModel" ? "imgmodelz" : "vidmodelv2");
      expect(call, name).toThrow(NoSuchModelError);
      expect(call, name).toThrow(`No such ${name}`);
    }
  });
});
