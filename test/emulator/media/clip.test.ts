import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { renderClip } from "../../../packages/emulator/src/media/clip.ts";

const text = {
  title: "vidmodelv2",
  body: "A fox runs through snow, jumpy & quick.",
  note: "task 3f2a9c1e-77aa-4b1e-9d5e-0c6f8e1b2a34, seed 42",
};
const usual = { width: 1280, height: 720, fps: 24, seconds: 5, audio: true, seed: "42", text };

describe("a clip", () => {
  test("of an odd width or height is rejected: H.264 counts colour by pairs of pixels", () => {
    expect(() => renderClip({ ...usual, width: 641 })).toThrow(RangeError);
    expect(() => renderClip({ ...usual, height: 361 })).toThrow(RangeError);
  });

  test("takes less than 100 kB for 5 seconds of 720p, also with a prompt of 8192 characters", () => {
    const body = "A fox runs through snow over the hills and far away. ".repeat(155).slice(0, 8192);
    expect(renderClip({ ...usual, text: { ...text, body } }).length).toBeLessThan(100_000);
    expect(renderClip({ ...usual, width: 720, height: 1280, text: { ...text, body } }).length).toBeLessThan(100_000);
    expect(renderClip(usual).length).toBeLessThan(60_000);
  });

  // "The same on every machine". After a change of these bytes, look at the clips: media.test.ts plays them in Chromium.
  test.each([
    [{}, "f7991522638d97ba939950742bad667baba09a2577734685a0b510b3685b03d2"],
    [
      { width: 480, height: 854, fps: 30, seconds: 10, audio: false },
      "4abdcb53e3970d098ae65cbb8dbcabf2c3c11b74df9e40ebb571e3ce82ae2173",
    ],
    [{ width: 642, height: 362, fps: 29.97 }, "0590607a09c94964e45989a3f613e8db43b98e646721ff377365211045c3a318"],
  ])("with %o has the bytes it always had", (options, digest) => {
    expect(
      createHash("sha256")
        .update(renderClip({ ...usual, ...options }))
        .digest("hex"),
    ).toBe(digest);
  });
});
