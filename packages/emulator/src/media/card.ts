/**
 * The card, which is the content of generated pictures and clips.
 *
 * A card is a coarse grid of square dots. Its background is one tone per band of four dot rows. A dot has ink or not,
 * and ink only adds light to the tone below it. Both writers rely on that: in a PNG, tone and ink are a palette entry
 * of four bits. In H.264 a dot is a 4x4 block, a band a row of macroblocks, and ink a multiple of the quantiser's
 * step.
 */

import { characterPitch, characterRows, hasInk } from "./font.ts";
import { type Tone, tonesOf } from "./tones.ts";

/** The text on a card, in printable ASCII with single spaces. */
export interface CardText {
  /** One line, large. */
  title: string;
  /** In the middle, wrapped, as large as possible, cut with an ellipsis. */
  body: string;
  /** Small, below it; cut only beyond four lines. */
  note: string;
}

/** A drawn card. */
export interface Card {
  /** Dots in a row and rows of dots, rounded up to complete bands, so that no macroblock is incomplete. */
  columns: number;
  rows: number;
  /** The visible part. */
  visible: { columns: number; rows: number };
  /** One byte per dot, row by row: 1 where there is ink. */
  ink: Uint8Array<ArrayBuffer>;
  /** The rows that drawFoot redraws. They are complete bands, so a moving line touches few macroblocks. */
  foot: { top: number; rows: number };
  /** The background from top to bottom, spread evenly over the bands. */
  tones: readonly Tone[];
}

/** Dots in a band, and in a macroblock each way. */
export const bandRows = 4;

/**
 * Luma that ink adds: two steps of the coarsest H.264 quantiser (h264.ts). Its contrast with each tone is above 4.5:1.
 */
export const inkLuma = 112;

/** Empty dots on each side. At least one band: the first macroblock of each row and all of the first row stay bare. */
const margin = 8;

/** The dots in each row of the ball. */
const ballDots = [4, 6, 8, 8, 8, 8, 6, 4];

/**
 * Rows from one line of small text to the next: complete bands, so that small text lies in as few macroblocks as it can.
 */
const linePitch = 3 * bandRows;

/**
 * Draws a card of `columns` x `rows` dots in colours chosen by the seed. It omits
 * what does not fit.
 */
export function drawCard(options: { columns: number; rows: number; seed: string; text: CardText }): Card {
  const visible = { columns: options.columns, rows: options.rows };
  const columns = Math.ceil(options.columns / bandRows) * bandRows;
  const rows = Math.ceil(options.rows / bandRows) * bandRows;
  const foot = { top: Math.max(1, Math.floor(visible.rows / bandRows) - 4) * bandRows, rows: 2 * bandRows };
  const card: Card = {
    columns,
    rows,
    visible,
    ink: new Uint8Array(columns * rows),
    foot,
    tones: tonesOf(options.seed),
  };
  const across = { left: margin, columns: visible.columns - 2 * margin };

  const titleRows = drawText(card, options.text.title, { ...across, top: margin, rows: 2 * linePitch, largest: 2 });
  const ruleTop = margin + titleRows + 2;
  drawBox(card, { ...across, top: ruleTop, rows: 1 });
  const bodyTop = Math.ceil((ruleTop + 3) / bandRows) * bandRows;

  const noteLines = wrap(options.text.note, Math.floor(across.columns / characterPitch)).length;
  const noteRows = Math.min(4, noteLines) * linePitch;
  const noteTop = foot.top - bandRows - noteRows;
  drawText(card, options.text.note, { ...across, top: noteTop, rows: noteRows, largest: 1 });
  const area = { ...across, top: bodyTop, rows: noteTop - bodyTop };
  drawText(card, options.text.body, { ...area, largest: 4 });
  return card;
}

/**
 * Redraws the last line of a card: a label at the right and, with `share` (0 to 1), a progress line at its left. The ball
 * is at position `ball` (0 to 1) of the line.
 */
export function drawFoot(card: Card, label: string, share?: number, ball: number = 0): void {
  const { top, rows } = card.foot;
  card.ink.fill(0, top * card.columns, (top + rows) * card.columns);
  const labelLeft = card.visible.columns - margin - label.length * characterPitch;
  drawText(card, label, { left: labelLeft, top, columns: label.length * characterPitch, rows: linePitch, largest: 1 });
  if (share === undefined) return;
  const length = labelLeft - characterPitch - margin;
  drawBox(card, { left: margin, top: top + 3, columns: length, rows: 1 });
  drawBox(card, { left: margin, top: top + 1, columns: Math.round(length * share), rows: 5 });
  const left = margin + Math.round(ball * Math.max(0, length - ballDots.length));
  ballDots.forEach((dots, row) => {
    // A hole in the thick part of the line, so that the ball is visible there too.
    const [indent, columns] = [(ballDots.length - dots) / 2, dots];
    drawBox(card, { left: left + indent, top: top + row, columns, rows: 1 }, (ink) => 1 - ink);
  });
}

/** Returns the index in `card.tones` of the background of a dot row. */
export function toneIndex(card: Card, row: number): number {
  return Math.floor((Math.floor(row / bandRows) * card.tones.length * bandRows) / card.rows);
}

/**
 * Wraps a text at `columns` characters per line. Breaks only words that are longer than a line.
 */
function wrap(text: string, columns: number): string[] {
  if (columns < 1) return [];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= columns || word.length > columns) line = joined;
    else {
      lines.push(line);
      line = word;
    }
    for (; line.length > columns; line = line.slice(columns)) lines.push(line.slice(0, columns));
  }
  return line === "" ? lines : [...lines, line];
}

interface Box {
  left: number;
  top: number;
  columns: number;
  rows: number;
}

/**
 * Draws a text into a box, as large as possible without breaking a word, or else small and cut with an
 * ellipsis. Returns the number of rows used.
 */
function drawText(card: Card, text: string, box: Box & { largest: number }): number {
  const linesAt = (scale: number): string[] => wrap(text, Math.floor(box.columns / (scale * characterPitch)));
  const lineCountAt = (scale: number): number => Math.max(0, Math.floor(box.rows / (scale * linePitch)));
  const breaksAt = (scale: number): boolean =>
    text.split(" ").some((word) => word.length * characterPitch * scale > box.columns);

  let scale = box.largest;
  while (scale > 1 && (breaksAt(scale) || linesAt(scale).length > lineCountAt(scale))) scale--;

  const lines = linesAt(scale);
  const count = lineCountAt(scale);
  if (lines.length > count) {
    lines.length = count;
    const last = lines.pop();
    if (last !== undefined) lines.push(`${last.slice(0, Math.floor(box.columns / characterPitch) - 3)}...`);
  }
  lines.forEach((line, index) => {
    for (let position = 0; position < line.length; position++) {
      const left = box.left + position * characterPitch * scale;
      const top = box.top + index * linePitch * scale;
      drawCharacter(card, line.charAt(position), { left, top, scale });
    }
  });
  return Math.max(0, lines.length * linePitch - (linePitch - characterRows)) * scale;
}

function drawCharacter(card: Card, character: string, at: { left: number; top: number; scale: number }): void {
  for (let y = 0; y < characterRows; y++) {
    for (let x = 0; x < characterPitch; x++) {
      if (!hasInk(character, x, y)) continue;
      drawBox(card, { left: at.left + x * at.scale, top: at.top + y * at.scale, columns: at.scale, rows: at.scale });
    }
  }
}

/** Inks the part of a box within the margin, or changes its ink. */
function drawBox(card: Card, box: Box, change: (ink: number) => number = () => 1): void {
  const right = Math.min(box.left + box.columns, card.visible.columns - bandRows);
  const bottom = Math.min(box.top + box.rows, card.visible.rows - bandRows);
  for (let row = Math.max(box.top, bandRows); row < bottom; row++) {
    for (let column = Math.max(box.left, bandRows); column < right; column++) {
      const dot = row * card.columns + column;
      card.ink[dot] = change(card.ink[dot] ?? 0);
    }
  }
}
