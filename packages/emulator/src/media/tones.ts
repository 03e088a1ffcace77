import { hash } from "./hash.ts";

/** A colour as video carries it: BT.709, luma 16 to 235, chroma around 128. */
export interface Tone {
  y: number;
  cb: number;
  cr: number;
}

/** Background tones of a card: with and without ink they are the 16 colours that a four-bit palette holds. */
const toneCount = 8;

/** Luma of the background at the top and the bottom: dark enough that ink on it stays within video's 235. */
const topLuma = 96;
const bottomLuma = 40;

/**
 * Cb - 128, Cr - 128 of twelve hues of one strength, round the colour circle. Integers, because the cosine differs between engines.
 */
const hues = [
  [26, 0],
  [23, 13],
  [13, 23],
  [0, 26],
  [-13, 23],
  [-23, 13],
  [-26, 0],
  [-23, -13],
  [-13, -23],
  [0, -26],
  [13, -23],
  [23, -13],
] as const;

/** The background: from one hue to another a sixth of the circle away, darker below. */
export function tonesOf(seed: string): Tone[] {
  const first = (hash(seed) >>> 8) % hues.length;
  const [fromCb, fromCr] = hues[first] ?? hues[0];
  const [toCb, toCr] = hues[(first + 2) % hues.length] ?? hues[0];
  return Array.from({ length: toneCount }, (_, index) => {
    const between = (from: number, to: number): number => Math.round(from + ((to - from) * index) / (toneCount - 1));
    return { y: between(topLuma, bottomLuma), cb: 128 + between(fromCb, toCb), cr: 128 + between(fromCr, toCr) };
  });
}
