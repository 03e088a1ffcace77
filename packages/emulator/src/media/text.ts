/** Sets text in DejaVu Sans Condensed Bold. */

import { glyphs } from "./glyphs.gen.ts";
import { fillPath, type Plane } from "./plane.ts";

/** From one baseline to the next, as a share of the size. */
const lineHeight = 1.16;
/** Height of a capital letter. */
export const capHeight = 0.73;

/** A box in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A text in a box. */
interface BoxedText {
  readonly text: string;
  readonly box: Box;
  /** The sizes to try, the largest first. */
  readonly sizes: readonly number[];
  readonly ink?: number;
}

/** Returns the width of a line of printable ASCII, as a multiple of its size. */
export function widthOf(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; index++)
    width += glyphs[text.charCodeAt(index) - 0x20]?.[0] ?? 0;
  return width / 1_000;
}

/** Draws a line from its left end on the baseline. */
export function drawLine(
  plane: Plane,
  text: string,
  at: { left: number; baseline: number; size: number },
  ink?: number,
): void {
  let left = at.left;
  for (let index = 0; index < text.length; index++) {
    const [advance = 0, path = ""] = glyphs[text.charCodeAt(index) - 0x20] ?? [];
    if (path !== "") fillPath(plane, path, { left, top: at.baseline, scale: at.size / 1_000 }, ink);
    left += (advance * at.size) / 1_000;
  }
}

/**
 * Draws a text into a box, in the first of the sizes in which it fits without breaking a word, or
 * else in the last one, cut with an ellipsis. Returns the height that it takes.
 */
export function drawText(plane: Plane, { text, box, sizes, ink }: BoxedText): number {
  const [smallest = 0] = sizes.slice(-1);
  const countAt = (size: number) =>
    Math.floor((box.height - size * capHeight) / (size * lineHeight)) + 1;
  const fits = (size: number) => {
    const isBroken = text.split(" ").some((word) => widthOf(word) * size > box.width);
    return !isBroken && wrap(text, box.width / size, countAt(size)).length <= countAt(size);
  };
  const size = sizes.find(fits) ?? smallest;
  const count = Math.max(0, countAt(size));
  const lines = wrap(text, box.width / size, count);
  const shown = lines.slice(0, count);
  if (lines.length > count && count > 0)
    shown[count - 1] = ellipsis(lines[count - 1] ?? "", box.width / size);
  for (const [index, line] of shown.entries()) {
    const baseline = Math.round(box.top + size * (capHeight + index * lineHeight));
    drawLine(plane, line, { left: box.left, baseline, size }, ink);
  }
  return shown.length === 0 ? 0 : size * (capHeight + (shown.length - 1) * lineHeight);
}

/**
 * Wraps a text at a width, into at most one line more than `most`. Breaks only words that are
 * longer than a line.
 */
function wrap(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== "" && lines.length <= most) {
    const start = startOf(rest, width);
    const space =
      rest.length === start.length ? -1 : `${start}${rest.charAt(start.length)}`.lastIndexOf(" ");
    const line = space > 0 ? start.slice(0, space) : start;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** Returns the longest beginning of a text that fits a width: at least one character. */
function startOf(text: string, width: number): string {
  let length = 0;
  let used = 0;
  while (length < text.length && (length === 0 || used + widthOf(text.charAt(length)) <= width))
    used += widthOf(text.charAt(length++));
  return text.slice(0, length);
}

function ellipsis(line: string, width: number): string {
  return `${startOf(line, width - widthOf("...")).trimEnd()}...`;
}
