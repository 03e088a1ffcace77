import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { renderClip } from "../../../packages/emulator/src/media/clip.ts";
import { renderPicture } from "../../../packages/emulator/src/media/png.ts";
import { readPng } from "./read-png.ts";

const text = {
  title: "imgmodelv45",
  body: "A fox runs through snow, jumpy & quick.",
  note: "task 3f2a9c1e, seed 42",
};
const usual = { width: 640, height: 360, seed: "42", text };
const characters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index));
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The pixels of rows of a picture as a text, to compare. */
function pixels(options: typeof usual, from = 0, to = 1): string {
  const { width, height, index } = readPng(renderPicture(options));
  const top = Math.floor(from * height);
  const bottom = Math.floor(to * height);
  const all: number[] = [];
  for (let y = top; y < bottom; y++) for (let x = 0; x < width; x++) all.push(index(x, y));
  return sha256(Uint8Array.from(all));
}

describe("a picture", () => {
  test.each([
    [1, 1],
    [2, 3],
    [119, 121],
    [1365, 1023],
    [4096, 900],
    [900, 4096],
  ])("of %i x %i is a PNG of that size whose checksums hold", (width, height) => {
    const png = readPng(renderPicture({ ...usual, width, height }));
    expect(png).toMatchObject({ width, height, depth: 8, types: ["IHDR", "PLTE", "IDAT", "IEND"] });
    expect(png.palette.length).toBeLessThanOrEqual(3 * 256);
  });

  test("draws each printable character, title, prompt and note differently", () => {
    const small = { ...usual, width: 200, height: 120 };
    const drawn = characters.map((body) => pixels({ ...small, text: { ...text, body } }));
    expect(
      new Set([
        ...drawn,
        pixels({
          ...small,
          text: {
            ...text,
            body: "032bed879b5dd51d6d3fbcd7ade8f27f2c9f51bc4d687a7676595e3d7fd41ab4",
          },
        }),
      ]).size,
    ).toBe(95);
    expect(pixels(usual, 0, 0.15)).not.toBe(
      pixels({ ...usual, text: { ...text, title: "imgmodelv5" } }, 0, 0.15),
    );
    expect(pixels(usual, 0.75)).not.toBe(
      pixels({ ...usual, text: { ...text, note: "task 3f2a9c1e, seed 43" } }, 0.75),
    );
  });

  test("cuts a prompt that is too long, and keeps the note below it", () => {
    const long = (count: number) => ({
      ...usual,
      text: { ...text, body: "word ".repeat(count).trim() },
    });
    expect(pixels(long(1_600))).toBe(pixels(long(1_601)));
    expect(pixels(long(1_600), 0.78)).toBe(pixels(usual, 0.78));
    expect(pixels({ ...usual, text: { ...text, body: "x".repeat(100_000) } }, 0.78)).toBe(
      pixels(usual, 0.78),
    );
  });

  test("has its description in the file, for programs", () => {
    const description = "é狐\n🦊";
    const file = renderPicture({ ...usual, description });
    expect(readPng(file).types).toEqual(["IHDR", "PLTE", "iTXt", "IDAT", "IEND"]);
    expect(Buffer.from(file).toString()).toContain(`Description\0\0\0\0\0${description}`);
  });

  test("has text at least 4.5 times as light as the background, in colours by its seed", () => {
    const colours = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const { palette } = readPng(
        renderPicture({ ...usual, width: 16, height: 16, seed: `${seed}` }),
      );
      const light = (colour: number): number =>
        [0.2126, 0.7152, 0.0722].reduce((sum, weight, channel) => {
          const value = (palette[3 * colour + channel] ?? 0) / 255;
          return (
            sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
          );
        }, 0.05);
      colours.add(palette.join());
      // Each tone is followed by the colours of its ink: 2 is the circle, 10 the small text, 11 the
      // prompt.
      for (let tone = 0; 3 * tone < palette.length; tone += 12) {
        expect(light(tone + 11) / light(tone + 2), `seed ${seed}`).toBeGreaterThan(4.5);
        expect(light(tone + 10) / light(tone), `seed ${seed}`).toBeGreaterThan(4.5);
      }
    }
    expect(colours.size).toBeGreaterThan(5);
  });
});

test("a clip of an odd width or height is rejected: H.264 counts colour by pairs of pixels", () => {
  const clip = { ...usual, fps: 24, seconds: 1, audio: false };
  expect(() => renderClip({ ...clip, width: 641 })).toThrow(RangeError);
  expect(() => renderClip({ ...clip, height: 361 })).toThrow(RangeError);
});

// "The same on every machine". After a change of these bytes, look at pictures and clips:
// page.test.ts plays them in Chromium.
test.each([
  [
    "a picture",
    () => renderPicture({ ...usual, width: 777, height: 1333 }),
    "bf73014a7694111ce49ea2d8193ee77696513564432a9e5e4eb566a945fc4cf8",
  ],
  [
    "a clip",
    () => renderClip({ ...usual, width: 480, height: 854, fps: 30, seconds: 7, audio: false }),
    "dac4bb34f0313e60854f26603efbbd6e8e54b2211f9bc1355cbafc35dbfb964a",
  ],
  [
    "a clip with sound",
    () => renderClip({ ...usual, width: 642, height: 362, fps: 29.97, seconds: 5, audio: true }),
    "bf91acfe04c8b27650d0bc182f1367565b0284b66c020b37c750776035b2ff44",
  ],
])("%s has the bytes it always had", (_, render, digest) => {
  expect(sha256(render())).toBe(digest);
});
