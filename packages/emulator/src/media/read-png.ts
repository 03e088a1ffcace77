import { unzlibSync } from "fflate";
import { join } from "./bytes.ts";
import type { Size } from "./picture-size.ts";

/** The brightness of a picture's pixels, from 0 to 255. */
export interface Luma extends Size {
  at(x: number, y: number): number;
}

/** Samples of a pixel, by colour type (W3C PNG, 6.1). */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Returns the brightness of a PNG's pixels, or undefined if it is interlaced or damaged. */
export function readPng(bytes: Uint8Array, { width, height }: Size): Luma | undefined {
  const [depth = 8, colourType = 0, , , interlaced] = bytes.subarray(24, 29);
  const channels = channelsOf[colourType];
  if (interlaced !== 0 || channels === undefined) return undefined;
  const { palette, data } = chunksOf(bytes);
  const stride = Math.ceil((width * channels * depth) / 8);
  const step = Math.max(1, (channels * depth) >> 3);
  const lines = unzlibSync(data, { out: new Uint8Array((stride + 1) * height) });
  for (let row = 0; row < height; row++) unfilter(lines, row, stride, step);
  const isColour = colourType === 2 || colourType === 6;
  return {
    width,
    height,
    at(x, y) {
      const line = y * (stride + 1) + 1;
      // Of two bytes, only the high one is needed.
      const sample = (index: number) =>
        depth >= 8
          ? (lines[line + (x * channels + index) * (depth >> 3)] ?? 0)
          : ((lines[line + ((x * depth) >> 3)] ?? 0) >> (8 - depth - ((x * depth) & 7))) & (2 ** depth - 1);
      if (isColour) return brightness(sample(0), sample(1), sample(2));
      const value = sample(0);
      if (colourType !== 3) return depth < 8 ? (value * 255) / (2 ** depth - 1) : value;
      return brightness(palette[3 * value] ?? 0, palette[3 * value + 1] ?? 0, palette[3 * value + 2] ?? 0);
    },
  };
}

function chunksOf(bytes: Uint8Array): { palette: Uint8Array; data: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let palette = new Uint8Array();
  const data: Uint8Array[] = [];
  for (let at = 8; at + 8 <= bytes.length;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.slice(at + 8, at + 8 + length);
    if (name === "PLTE") palette = content;
    if (name === "IDAT") data.push(content);
    at += 12 + length;
  }
  return { palette, data: join(...data) };
}

/** Reverses the filter of a line in place (9.2). */
function unfilter(lines: Uint8Array, row: number, stride: number, step: number): void {
  const start = row * (stride + 1);
  const filter = lines[start] ?? 0;
  for (let index = 1; index <= stride; index++) {
    const left = index > step ? (lines[start + index - step] ?? 0) : 0;
    const up = row > 0 ? (lines[start + index - stride - 1] ?? 0) : 0;
    const corner = row > 0 && index > step ? (lines[start + index - stride - 1 - step] ?? 0) : 0;
    const added = [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter] ?? 0;
    lines[start + index] = (lines[start + index] ?? 0) + added;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function brightness(red: number, green: number, blue: number): number {
  return (2 * red + 5 * green + blue) / 8;
}
