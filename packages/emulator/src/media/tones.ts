import { hash } from "./hash.ts";

/** A colour as video carries it: BT.709, luma 16 to 235, chroma around 128. */
export interface Tone {
  readonly y: number;
  readonly cb: number;
  readonly cr: number;
}

/** Colours of the documentation's site, in its light theme: white text is easy to read on them. */
const [indigo, violet, magenta, red, amber, green, blue] = [
  { y: 76, cb: 191, cr: 127 }, // #4338ca
  { y: 79, cb: 177, cr: 135 }, // #5b37b0
  { y: 68, cb: 134, cr: 181 }, // #a3254f, darker
  { y: 63, cb: 112, cr: 186 }, // #b3261e, darker
  { y: 80, cb: 92, cr: 163 }, // #8a4b00, darker
  { y: 86, cb: 114, cr: 96 }, // #116a35
  { y: 81, cb: 174, cr: 95 }, // #0a58a8
] as const satisfies readonly Tone[];

/** Pairs that mix well: the colour at the top, and one that it leans to at the bottom. */
const pairs = [
  [indigo, violet],
  [indigo, blue],
  [violet, indigo],
  [violet, magenta],
  [magenta, violet],
  [red, magenta],
  [amber, red],
  [green, blue],
  [blue, indigo],
] as const;

/** Returns the background from top to bottom: from one colour towards another, darker below. */
export function tonesOf(seed: string, count: number): Tone[] {
  const [from, to] = pairs[(hash(seed) >>> 8) % pairs.length] ?? pairs[0];
  return Array.from({ length: count }, (_, index) => {
    const between = (start: number, end: number) =>
      Math.round(start + ((end - start) * index) / (count - 1));
    const cb = (from.cb + to.cb) / 2;
    const cr = (from.cr + to.cr) / 2;
    return { y: between(from.y, to.y * 0.65), cb: between(from.cb, cb), cr: between(from.cr, cr) };
  });
}
