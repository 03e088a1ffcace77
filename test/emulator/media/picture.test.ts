import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { renderPicture } from "../../../packages/emulator/src/media/png.ts";
import { readPng, type Png } from "./read-png.ts";
import { type Grid, readLines, shows } from "./read-text.ts";

const text = {
  title: "imgmodelv45",
  body: "A fox runs through snow, jumpy & quick.",
  note: "task 3f2a9c1e-77aa-4b1e-9d5e-0c6f8e1b2a34, seed 42",
};
const everyCharacter = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join("");
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The dots of a picture: odd palette indexes are ink. */
const gridOf = (png: Png, dot: number): Grid => ({
  columns: Math.floor(png.width / dot),
  rows: Math.floor(png.height / dot),
  hasInk: (column, row) =>
    column * dot < png.width && row * dot < png.height && png.index(column * dot, row * dot) % 2 === 1,
});

describe("a picture", () => {
  test.each([
    [1, 1],
    [2, 3],
    [7, 5],
    [119, 121],
    [1024, 1024],
    [1365, 1023],
    [2048, 2048],
    [4096, 900],
    [900, 4096],
    [4096, 4096],
  ])("of %i x %i is a PNG of that size whose checksums hold", (width, height) => {
    const png = readPng(renderPicture({ width, height, seed: "42", text }));
    expect(png).toMatchObject({ width, height, depth: 4, types: ["IHDR", "PLTE", "IDAT", "IEND"] });
    expect(png.palette).toHaveLength(3 * 16);
  });

  test("says model, prompt, task and seed in letters that can be read", () => {
    const png = readPng(renderPicture({ width: 1920, height: 1080, seed: "42", text }));
    const grid = gridOf(png, 6);
    const lines = readLines(grid);
    expect(lines).toContain(text.title);
    expect(lines.join(" ")).toContain(text.body);
    expect(lines).toContain(text.note);
    expect(shows(grid, "1920 x 1080")).toBe(true);
  });

  test("says its description in the file, for programs", () => {
    const description = "é狐\n🦊";
    const file = renderPicture({ width: 96, height: 96, seed: "42", text, description });
    expect(readPng(file).types).toEqual(["IHDR", "PLTE", "iTXt", "IDAT", "IEND"]);
    expect(Buffer.from(file).toString()).toContain(`Description\0\0\0\0\0${description}`);
  });

  test("draws each printable ASCII character", () => {
    const png = readPng(
      renderPicture({ width: 960, height: 960, seed: "42", text: { ...text, body: everyCharacter } }),
    );
    expect(readLines(gridOf(png, 4)).join("")).toContain(everyCharacter);
  });

  test("cuts a prompt that is too long with an ellipsis and keeps task and seed", () => {
    const png = readPng(
      renderPicture({ width: 960, height: 540, seed: "42", text: { ...text, body: "word ".repeat(1600) } }),
    );
    const lines = readLines(gridOf(png, 3));
    expect(lines.filter((line) => line.endsWith("..."))).toHaveLength(1);
    expect(lines).toContain(text.note);
  });

  test("has every colour of text at least 4.5 times as light as the one under it", () => {
    for (let seed = 0; seed < 40; seed++) {
      const { palette } = readPng(renderPicture({ width: 16, height: 16, seed: `${seed}`, text }));
      const light = (colour: number): number =>
        [0.2126, 0.7152, 0.0722].reduce((sum, weight, channel) => {
          const value = palette[3 * colour + channel]! / 255;
          return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        }, 0.05);
      for (let tone = 0; tone < 16; tone += 2) expect(light(tone + 1) / light(tone)).toBeGreaterThan(4.5);
    }
  });

  test("has other colours with another seed, and the same bytes with the same", () => {
    const palettes = Array.from({ length: 40 }, (_, seed) =>
      sha256(readPng(renderPicture({ width: 9, height: 9, seed: `${seed}`, text })).palette),
    );
    expect(new Set(palettes).size).toBeGreaterThanOrEqual(10);
    const options = { width: 300, height: 200, seed: "7", text };
    expect(renderPicture(options)).toEqual(renderPicture(options));
  });

  test("takes at most 30 kB at 2048 x 2048", () => {
    const long = { ...text, body: "A fox runs through snow. ".repeat(320) };
    expect(renderPicture({ width: 2048, height: 2048, seed: "42", text: long }).length).toBeLessThan(30_000);
  });

  // These bytes are the promise "the same on every machine": a change of them is a change for whoever compares files.
  test.each([
    [1, 1, "6e1189c6eaea9c6b7f2065a6ae824ae7dda8475220e6cb345472fd445abd9ca6"],
    [777, 1333, "1980967d8057894e6b42930ae5d32f18dfc0bcda9958e6c18b272816072328e8"],
    [2048, 2048, "e5d1f9e95e0efd73e66ef64ce6ce68946f7e02cb81666690326ea832c21df535"],
  ])("of %i x %i has the bytes it always had", (width, height, digest) => {
    expect(sha256(renderPicture({ width, height, seed: "42", text: { ...text, body: everyCharacter } }))).toBe(digest);
  });
});
