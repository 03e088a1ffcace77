import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { renderClip } from "../../../packages/emulator/src/media/clip.ts";
import { createDecoder, decode, type Picture, readSize } from "./read-h264.ts";
import { readBoxes, readTracks, trackOf, type ReadTrack } from "./read-mp4.ts";
import { type Grid, readLines, shows } from "./read-text.ts";

const text = {
  title: "vidmodelv2",
  body: "A fox runs through snow, jumpy & quick.",
  note: "task 3f2a9c1e-77aa-4b1e-9d5e-0c6f8e1b2a34, seed 42",
};
const usual = { width: 1280, height: 720, fps: 24, seconds: 5, audio: true, seed: "42", text };

/** avc1 has 78 bytes before avcC, whose SPS begins at its byte 8 after the box header. */
const spsOf = ({ sampleEntry }: ReadTrack): Buffer => {
  const avcC = sampleEntry.subarray(8 + 78 + 8);
  return avcC.subarray(8, 8 + avcC.readUInt16BE(6));
};

/** Ink is what is far lighter than the first block of its row. */
const gridOf = ({ columns, rows, luma }: Picture): Grid => ({
  columns,
  rows,
  hasInk: (column, row) => column < columns && row < rows && luma[row * columns + column]! - luma[row * columns]! > 60,
});

describe("a clip", () => {
  test("is a tree of boxes that add up, index before media", () => {
    const file = renderClip(usual);
    expect(readBoxes(file).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
    const media = readBoxes(file)[2]!;
    const [video, sound] = readTracks(file);
    expect([sound!.from, sound!.to, video!.from, video!.to]).toEqual([
      media.start,
      video!.from,
      sound!.to,
      file.length,
    ]);
  });

  test.each([
    [1280, 720, 24, 5],
    [854, 480, 30, 10],
    [480, 854, 60, 15],
    [642, 362, 1, 5],
    [34, 18, 24, 1],
    [1680, 720, 29.97, 5],
    [2, 2, 0.5, 6],
  ])("of %i x %i at %f frames a second for %f seconds says so in its tables", (width, height, fps, seconds) => {
    const video = trackOf(renderClip({ ...usual, width, height, fps, seconds }), "vide")!;
    expect(readSize(spsOf(video))).toEqual({ width, height });
    expect([video.sampleEntry.readUInt16BE(32), video.sampleEntry.readUInt16BE(34)]).toEqual([width, height]);
    expect(video.samples).toHaveLength(Math.round(fps * seconds));
    expect(video.sampleSeconds).toBe(video.duration);
    expect(video.duration).toBeCloseTo(Math.round(fps * seconds) / fps, 6);
    for (const sample of video.samples) expect(sample.readUInt32BE(0)).toBe(sample.length - 4);
  });

  test.each([24, 30, 60, 1, 29.97])(
    "can be sought to each second at %f frames a second: its key frames are IDR pictures, and only they",
    (fps) => {
      const { samples, keySamples } = trackOf(renderClip({ ...usual, width: 320, height: 180, fps }), "vide")!;
      expect(samples.flatMap((sample, index) => ((sample[4]! & 31) === 5 ? [index + 1] : []))).toEqual(keySamples);
      const gaps = keySamples!.map((sample, index) => (keySamples![index + 1] ?? samples.length + 1) - sample);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(Math.max(1, fps));
    },
  );

  test.each([
    [1280, 720, 24],
    [4096, 2304, 60],
    [4096, 4096, 2],
    [16, 16, 300],
  ])("of %i x %i at %i frames a second has nothing that looks like a start code", (width, height, fps) => {
    const video = trackOf(renderClip({ ...usual, width, height, fps, seconds: 2 }), "vide")!;
    for (const nalUnit of [spsOf(video), ...video.samples.map((sample) => sample.subarray(4))]) {
      const start = nalUnit.findIndex(
        (byte, index) => byte <= 3 && index > 1 && nalUnit[index - 1] === 0 && nalUnit[index - 2] === 0,
      );
      expect(start).toBe(-1);
    }
  });

  test("carries a tone of the same length if asked, else no sound", () => {
    const sound = trackOf(renderClip(usual), "soun")!;
    expect(sound.duration).toBe(5);
    expect(sound.sampleSeconds).toBe(5);
    expect(new Set(sound.samples.map((sample) => sample.toString("hex")))).toHaveLength(2);
    expect(trackOf(renderClip({ ...usual, audio: false }), "soun")).toBeUndefined();
  });

  test.each([
    [1280, 720],
    [642, 482],
    [480, 854],
    [1120, 480],
    [480, 480],
  ])("of %i x %i says model, prompt, task and seed in every frame", (width, height) => {
    const pictures = decode(renderClip({ ...usual, width, height, seconds: 1 }), { width, height });
    for (const picture of [pictures[0]!, pictures[11]!, pictures[23]!]) {
      const lines = readLines(gridOf(picture));
      expect(lines).toContain(text.title);
      expect(lines.join(" ")).toContain(text.body);
      expect(lines.join("").replaceAll(" ", "")).toContain(text.note.replaceAll(" ", ""));
    }
  });

  test("of an odd width or height is refused: H.264 counts colour by pairs of pixels", () => {
    expect(() => renderClip({ ...usual, width: 641 })).toThrow(RangeError);
    expect(() => renderClip({ ...usual, height: 361 })).toThrow(RangeError);
  });

  test("shows time: a clock by the second, a line by the frame, alike after seeking and in passing", () => {
    const size = { width: 640, height: 360 };
    const file = renderClip({ ...usual, ...size });
    const pictures = decode(file, size);
    for (const second of [0, 1, 2, 3, 4]) {
      expect(shows(gridOf(pictures[second * 24]!), `0:0${second} / 0:05`)).toBe(true);
      expect(shows(gridOf(pictures[second * 24 + 23]!), `0:0${second} / 0:05`)).toBe(true);
      const [sought] = [trackOf(file, "vide")!.samples[second * 24]!].map((sample) =>
        createDecoder(160, 92)(sample.subarray(4)),
      );
      expect(sought).toEqual(pictures[second * 24]);
    }
    const inkOf = (picture: Picture): number =>
      picture.luma.reduce((sum, luma, dot) => sum + (luma - picture.luma[dot - (dot % 160)]! > 60 ? 1 : 0), 0);
    expect(inkOf(pictures[23]!)).toBeGreaterThan(inkOf(pictures[0]!) + 40);
  });

  test("takes less than 100 kB for 5 seconds of 720p, also with a prompt of 8192 characters", () => {
    const body = "A fox runs through snow over the hills and far away. ".repeat(155).slice(0, 8192);
    expect(renderClip({ ...usual, text: { ...text, body } }).length).toBeLessThan(100_000);
    expect(renderClip({ ...usual, width: 720, height: 1280, text: { ...text, body } }).length).toBeLessThan(100_000);
    expect(renderClip(usual).length).toBeLessThan(60_000);
  });

  // These bytes are the promise "the same on every machine": a change of them is a change for whoever compares files.
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
