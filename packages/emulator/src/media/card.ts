/** The card, which is the content of generated pictures and clips. */

import { hash } from "./hash.ts";
import { fillBox, fillPath, mostInk, type Plane } from "./plane.ts";
import { capHeight, drawLine, drawText, widthOf } from "./text.ts";
import { type Tone, tonesOf } from "./tones.ts";

/** The text on a card, in printable ASCII with single spaces. */
interface CardText {
  /** One line, above. */
  readonly title: string;
  /** In the middle, wrapped, as large as possible, cut with an ellipsis. */
  readonly body: string;
  /** Small, below; cut only beyond four lines. */
  readonly note: string;
}

/** What a card shows. */
export interface CardOptions {
  /** The visible part, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Chooses the colours and the shape. */
  readonly seed: string;
  readonly text: CardText;
  /** The text in the file, which programs can read. */
  readonly description?: string | undefined;
}

/** A drawn card. */
export interface Card extends Plane {
  /** The part that is shown, from the upper left corner. */
  readonly visible: { readonly width: number; readonly height: number };
  /** The background from top to bottom, spread evenly. */
  readonly tones: readonly Tone[];
  /** Space at the edges, and the size of small text, in pixels. */
  readonly margin: number;
  readonly small: number;
}

/** Luma that the ink of the shape adds. */
const shapeLuma = 12;
/** Luma that the most ink adds: on each tone and the shape, the prompt is 4.5 times as light. */
const inkLuma = 148;

/** The ink of the shape behind the text. */
const shapeInk = 2;
/** The ink of text that is not the prompt. */
const quietInk = 10;

/**
 * Draws a card on a background with so many steps. It omits what does not fit. The plane has
 * complete multiples of pixels each way.
 */
export function drawCard(
  { width, height, seed, text }: CardOptions,
  toneCount: number,
  multiple: number = 1,
): Card {
  const size = Math.min(Math.sqrt(width * height), 1.7 * Math.min(width, height));
  const margin = Math.round(size * 0.075);
  const small = size * 0.028;
  const columns = Math.ceil(width / multiple) * multiple;
  const rows = Math.ceil(height / multiple) * multiple;
  const plane: Plane = { width: columns, height: rows, ink: new Uint8Array(columns * rows) };
  const card: Card = {
    ...plane,
    visible: { width, height },
    tones: tonesOf(seed, toneCount),
    margin,
    small,
  };
  drawShape(card, hash(`shape of ${seed}`), size);
  const across = { left: margin, width: width - 2 * margin };
  const titleSize = small * 1.5;
  drawText(card, {
    text: text.title,
    box: { ...across, top: margin, height: titleSize },
    sizes: [titleSize, small],
    ink: quietInk,
  });
  const noteHeight = 4 * small * 1.25;
  const nowhere = { width, height: 0, ink: new Uint8Array() };
  const note = { text: text.note, sizes: [small], ink: quietInk };
  const used = drawText(nowhere, { ...note, box: { ...across, top: 0, height: noteHeight } });
  const noteTop = footOf(card).top - small - used;
  drawText(card, { ...note, box: { ...across, top: noteTop, height: noteHeight } });
  const bodyTop = margin + titleSize * capHeight + size * 0.075;
  const sizes: number[] = [];
  for (let next = size * 0.14; next > small; next *= 0.86) sizes.push(next);
  drawText(card, {
    text: text.body,
    box: { ...across, top: bodyTop, height: noteTop - size * 0.05 - bodyTop },
    sizes: [...sizes, small],
  });
  return card;
}

/** Returns the background of a row of pixels, as an index of the card's tones. */
export function toneIndex({ tones, height }: Card, row: number): number {
  return Math.min(tones.length - 1, Math.floor((row * tones.length) / height));
}

/** Returns the luma of some ink on a tone. */
export function lumaOf(tone: Tone, ink: number): number {
  const above = (Math.max(0, ink - shapeInk) * (inkLuma - shapeLuma)) / (mostInk - shapeInk);
  return tone.y + Math.round((Math.min(ink, shapeInk) * shapeLuma) / shapeInk + above);
}

/** Draws a circle behind the text, at a place and in a size that the number chooses. */
function drawShape(card: Card, number: number, size: number): void {
  const pick = (shift: number, from: number, to: number) =>
    from + ((to - from) * ((number >>> shift) & 255)) / 255;
  const left = card.visible.width * pick(0, 0.7, 0.95);
  const top = card.visible.height * pick(8, 0.5, 0.95);
  // Eight curves are a circle but for a thousandth of its radius.
  const half = Math.SQRT1_2;
  const tangent = Math.SQRT2 - 1;
  const corners = [1, half, 0, -half, -1, -half, 0, half];
  let path = "M1 0";
  for (let corner = 0; corner < 8; corner++) {
    const at = (index: number) => [corners[index % 8] ?? 0, corners[(index + 6) % 8] ?? 0] as const;
    const [x, y] = at(corner);
    const [nextX, nextY] = at(corner + 1);
    const controlX = -tangent * y;
    const controlY = tangent * x;
    path += `Q${x + controlX} ${y + controlY} ${nextX} ${nextY}`;
  }
  fillPath(card, path, { left, top, scale: size * pick(16, 0.34, 0.5) }, shapeInk);
}

/** The last line of a card, where its label is at the right, and its progress line at the left. */
export function footOf({ visible, small, margin }: Card): {
  baseline: number;
  top: number;
  bottom: number;
} {
  const baseline = visible.height - margin;
  return { baseline, top: Math.floor(baseline - small), bottom: Math.ceil(baseline + small * 0.4) };
}

/** Draws the label of the last line over a card without one. */
export function drawLabel(card: Card, label: string): void {
  const left = labelLeft(card, label);
  if (left >= card.margin)
    drawLine(card, label, { left, baseline: footOf(card).baseline, size: card.small }, quietInk);
}

function labelLeft({ visible, margin, small }: Card, label: string): number {
  return Math.round(visible.width - margin - widthOf(label) * small);
}

/** Draws the progress line up to a share, from 0 to 1, next to the longest label. */
export function drawProgress(card: Card, longest: string, share: number): void {
  const { baseline } = footOf(card);
  const height = Math.max(2, Math.round(card.small * 0.22));
  const middle = Math.round(baseline - (card.small * capHeight + height) / 2);
  // Within 16 rows, and in steps of 16 pixels, which H.264 writes together.
  const top = middle - Math.max(0, ((middle % 16) + height - 16) % 16);
  const left = card.margin;
  const right = labelLeft(card, longest) - Math.round(card.small);
  const done = Math.min(right, 16 * Math.ceil((left + (right - left) * share) / 16));
  fillBox(card, [left, top, done, top + height]);
  fillBox(card, [done, top, right, top + height], 3);
}
