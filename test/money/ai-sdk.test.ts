import { UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { experimental_generateVideo as generateVideo, experimental_startVideo as startVideo } from "ai";
import { describe, expect, test } from "vitest";
import { createDesk, errorOf, png } from "../ai-sdk/desk.ts";

type Frames = NonNullable<Parameters<typeof generateVideo>[0]["frameImages"]>;

const prompt = "A fox in snow";

describe("an image that would be dropped is rejected before sending:", () => {
  const first = { image: png, frameType: "first_frame" } as const;
  const last = { image: png, frameType: "last_frame" } as const;
  test.for<[string, frameImages: readonly object[]]>([
    ["a second first frame", [first, first]],
    ["a second last frame", [first, last, last]],
    ["a frame of an unknown type", [first, { image: png, frameType: "middle_frame" }]],
    ["a frame without a type", [{ image: png }]],
  ])("%s", async ([, frameImages]) => {
    const { emulator, mediagen } = createDesk();
    const call = { model: mediagen.video("vidmodelv2"), prompt, frameImages: frameImages as Frames };
    for (const error of [await errorOf(generateVideo(call)), await errorOf(startVideo(call))])
      expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true);
    expect(emulator.calls).toEqual([]);
  });

  // The AI SDK itself replaces an image of the prompt by the first frame, and passes that one as both.
  test("an image next to another first frame", async () => {
    const { emulator, mediagen } = createDesk();
    const file = (data: Uint8Array) => ({ type: "file", mediaType: "image/png", data }) as const;
    const call = (image: Uint8Array) =>
      mediagen.video("vidmodelv2").doStart?.({
        prompt,
        n: 1,
        image: file(image),
        frameImages: [{ image: file(png), frameType: "first_frame" }],
        inputReferences: undefined,
        aspectRatio: undefined,
        resolution: undefined,
        duration: undefined,
        fps: undefined,
        seed: undefined,
        generateAudio: undefined,
        providerOptions: {},
      }) ?? Promise.resolve();
    expect(UnsupportedFunctionalityError.isInstance(await errorOf(call(png.slice())))).toBe(true);
    expect(emulator.calls).toEqual([]);
    await call(png);
    expect(emulator.tasks.map(({ files }) => files.length)).toEqual([1]);
  });
});
