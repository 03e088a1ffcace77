import { hash } from "./hash.ts";
import { type Size, sizeOf } from "./picture-size.ts";
import { type Luma, readPng } from "./read-png.ts";

/** A small picture in two colours, as a card can show it. */
export interface Thumbnail {
  /** Dots in a row. */
  readonly columns: number;
  /** Rows of dots. */
  readonly rows: number;
  /** The dots row by row, four in a hexadecimal digit, 1 where there is ink. */
  readonly dots: string;
}

/** The longer side of a thumbnail, in dots. */
export const longest = 40;
/** Maximum size of a decoded picture, in pixels. Decoding takes 50 ms per 4 million. */
const most = 4096 * 4096;

/**
 * Returns a thumbnail of an image file: a small copy of a PNG. Other formats get a pattern of the same shape that is a hash of the
 * bytes, because decoders for them would be larger than the emulator.
 */
export function thumbnailOf(bytes: Uint8Array): Thumbnail & Partial<Size> {
  const size = sizeOf(bytes);
  const { width, height } = size ?? { width: 1, height: 1 };
  const scale = longest / Math.max(width, height);
  const [columns, rows] = [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
  const luma = size && width * height <= most ? decode(bytes, size) : undefined;
  const dots = luma ? shrink(luma, columns, rows) : pattern(bytes, columns, rows);
  const digits = dots.replace(/.{1,4}/g, (four) => Number.parseInt(four.padEnd(4, "0"), 2).toString(16));
  return { ...size, columns, rows, dots: digits };
}

/** Returns whether a thumbnail has ink at a dot. */
export function hasDot({ columns, dots }: Thumbnail, column: number, row: number): boolean {
  const index = row * columns + column;
  return ((Number.parseInt(dots[index >> 2] ?? "0", 16) >> (3 - (index & 3))) & 1) === 1;
}

function decode(bytes: Uint8Array, size: Size): Luma | undefined {
  try {
    return bytes[0] === 0x89 ? readPng(bytes, size) : undefined;
  } catch {
    // A damaged file has no picture.
    return undefined;
  }
}

/** Shrinks a picture to dots, with the error of each passed on to its neighbours (Floyd and Steinberg). */
function shrink(luma: Luma, columns: number, rows: number): string {
  const shades = Array.from({ length: columns * rows }, (_, index) =>
    meanAt(luma, index % columns, Math.floor(index / columns), columns, rows),
  );
  const darkest = Math.min(...shades);
  const range = Math.max(...shades) - darkest;
  // A picture without contrast keeps its brightness. All others are stretched to full contrast.
  const values = shades.map((shade) => (range < 8 ? shade / 255 : (shade - darkest) / range));
  let dots = "";
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    const ink = value >= 0.5 ? 1 : 0;
    dots += ink;
    const column = index % columns;
    const pass = (step: number, part: number, fits: boolean) => {
      if (fits && index + step < values.length)
        values[index + step] = (values[index + step] ?? 0) + (value - ink) * part;
    };
    pass(1, 7 / 16, column + 1 < columns);
    pass(columns - 1, 3 / 16, column > 0);
    pass(columns, 5 / 16, true);
    pass(columns + 1, 1 / 16, column + 1 < columns);
  }
  return dots;
}

/** Returns the mean brightness of the part of a picture that a dot stands for, from up to 16 of its pixels. */
function meanAt({ width, height, at }: Luma, column: number, row: number, columns: number, rows: number): number {
  let sum = 0;
  for (let sample = 0; sample < 16; sample++) {
    const x = Math.floor(((column + ((sample & 3) + 0.5) / 4) / columns) * width);
    const y = Math.floor(((row + ((sample >> 2) + 0.5) / 4) / rows) * height);
    sum += at(x, y);
  }
  return sum / 16;
}

/** Returns a symmetric pattern of large squares. */
function pattern(bytes: Uint8Array, columns: number, rows: number): string {
  const step = Math.max(1, Math.floor(bytes.length / 4_096));
  let text = String(bytes.length);
  for (let at = 0; at < bytes.length; at += step) text += String.fromCharCode(bytes[at] ?? 0);
  const seed = hash(text);
  const inkOf = (column: number, row: number) => {
    const square =
      Math.floor((Math.min(column, columns - 1 - column) * 8) / columns) + 4 * Math.floor((row * 8) / rows);
    return hash(`${square}/${seed}`) >>> 31;
  };
  return Array.from({ length: columns * rows }, (_, index) => inkOf(index % columns, Math.floor(index / columns))).join(
    "",
  );
}
