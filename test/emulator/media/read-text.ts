/** Reads text from a grid of dots by the shapes of the font alone: it knows nothing of where a card puts what. */
import { hasInk } from "../../../packages/emulator/src/media/font.ts";

export interface Grid {
  columns: number;
  rows: number;
  hasInk(column: number, row: number): boolean;
}

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
const cell = Array.from({ length: 48 }, (_, index) => ({ x: index % 6, y: Math.floor(index / 6) }));
const characterOf = new Map(
  printable.map((character) => [cell.map(({ x, y }) => (hasInk(character, x, y) ? 1 : 0)).join(""), character]),
);
if (characterOf.size !== 95) throw new Error("Two characters of the font look the same.");

/** All lines that can be read from a grid, from top to bottom, whatever their size. */
export function readLines(grid: Grid): string[] {
  const lines: string[] = [];
  for (let top = 0; top < grid.rows; top++) {
    for (const scale of [4, 3, 2, 1]) {
      const line = readLine(grid, 8, top, scale);
      if (line === undefined || line.trim() === "") continue;
      lines.push(line.trimEnd());
      top += 8 * scale - 1;
      break;
    }
  }
  return lines;
}

/** Whether a text stands anywhere in a grid, in its smallest size. */
export function shows(grid: Grid, text: string): boolean {
  const looksLike = (left: number, top: number): boolean =>
    [...text].every((character, position) =>
      cell.every(({ x, y }) => hasInk(character, x, y) === grid.hasInk(left + position * 6 + x, top + y)),
    );
  for (let top = 0; top + 8 <= grid.rows; top++) {
    for (let left = 0; left + 6 * text.length <= grid.columns; left++) if (looksLike(left, top)) return true;
  }
  return false;
}

function readLine(grid: Grid, left: number, top: number, scale: number): string | undefined {
  let line = "";
  for (let start = left; start + 6 * scale <= grid.columns - 4; start += 6 * scale) {
    let key = "";
    for (const { x, y } of cell) {
      const first = grid.hasInk(start + x * scale, top + y * scale);
      for (let dot = 0; dot < scale * scale; dot++) {
        const [column, row] = [start + x * scale + (dot % scale), top + y * scale + Math.floor(dot / scale)];
        if (grid.hasInk(column, row) !== first) return undefined;
      }
      key += first ? 1 : 0;
    }
    const character = characterOf.get(key);
    if (character === undefined) return undefined;
    line += character;
  }
  return line;
}
