/** Draws shapes with smooth edges. */

/** A picture without its colours: for each pixel, row by row, how much ink is on it. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** From 0 to `mostInk`. */
  readonly ink: Uint8Array<ArrayBuffer>;
}

/** The most ink of a pixel. Steps between are edges of letters, and shapes behind them. */
export const mostInk = 11;

/** A place in a plane, and its scale there. */
interface Placement {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

/**
 * Fills a path of SVG with some ink, where there is less. The path is closed, and has the commands
 * M, L and Q. Nothing is drawn outside of the plane.
 */
export function fillPath(plane: Plane, path: string, at: Placement, ink: number = mostInk): void {
  const lines = linesOf(path, at);
  const xs = lines.map(([x]) => x);
  const ys = lines.map(([, y]) => y);
  const left = Math.floor(Math.min(...xs));
  const right = Math.ceil(Math.max(...xs)) + 1;
  const end = Math.min(right, plane.width);
  const bottom = Math.min(Math.ceil(Math.max(...ys)), plane.height);
  const changes = new Float32Array(right - left + 1);
  for (let row = Math.max(0, Math.floor(Math.min(...ys))); row < bottom; row++) {
    changes.fill(0);
    for (const line of lines) addLine(changes, line, row, left);
    let covered = 0;
    let level = 0;
    for (let x = left; x < end; x++) {
      const change = changes[x - left] ?? 0;
      if (change !== 0) level = Math.round(Math.min(1, Math.abs((covered += change))) * ink);
      if (level === 0 || x < 0) continue;
      const pixel = row * plane.width + x;
      if (level > (plane.ink[pixel] ?? 0)) plane.ink[pixel] = level;
    }
  }
}

/** Fills a rectangle of complete pixels, whatever its ink was. */
export function fillBox(
  plane: Plane,
  [left, top, right, bottom]: readonly number[],
  ink: number = mostInk,
): void {
  for (let row = Math.max(0, top ?? 0); row < Math.min(plane.height, bottom ?? 0); row++) {
    const start = row * plane.width;
    plane.ink.fill(
      ink,
      start + Math.max(0, left ?? 0),
      start + Math.max(0, Math.min(plane.width, right ?? 0)),
    );
  }
}

type Command = readonly [name: string, numbers: readonly number[]];

/**
 * The commands of each path: a character of the font or the shape. To read one again would take
 * longer than to draw it.
 */
const known = new Map<string, readonly Command[]>();

function commandsOf(path: string): readonly Command[] {
  const commands =
    known.get(path) ??
    [...path.matchAll(/([MLQ])([^MLQ]*)/g)].map(([, name = "", numbers = ""]): Command => [
      name,
      (numbers.match(/-?[\d.]+/g) ?? []).map(Number),
    ]);
  known.set(path, commands);
  return commands;
}

type Line = readonly [x0: number, y0: number, x1: number, y1: number];

function linesOf(path: string, { left, top, scale }: Placement): Line[] {
  const lines: Line[] = [];
  let x = 0;
  let y = 0;
  let startX = 0;
  let startY = 0;
  const to = (nextX: number, nextY: number) => {
    lines.push([left + x * scale, top + y * scale, left + nextX * scale, top + nextY * scale]);
    x = nextX;
    y = nextY;
  };
  for (const [command, [a = 0, b = 0, c = 0, d = 0]] of commandsOf(path)) {
    if (command === "M") {
      to(startX, startY);
      x = a;
      y = b;
      startX = a;
      startY = b;
    } else if (command === "L") to(a, b);
    else {
      const fromX = x;
      const fromY = y;
      // As many lines as look like the curve at its size.
      const count = 2 + Math.ceil(Math.sqrt((Math.abs(c - x) + Math.abs(d - y)) * scale) / 2);
      for (let line = 1; line <= count; line++) {
        const t = line / count;
        const own = (1 - t) ** 2;
        const by = 2 * t * (1 - t);
        const end = t * t;
        to(own * fromX + by * a + end * c, own * fromY + by * b + end * d);
      }
    }
  }
  to(startX, startY);
  return lines;
}

/**
 * Adds the part of a line in a row to the changes of coverage from each pixel to the next one at
 * its right. Their sums from the left are the area of the shape in each pixel, because a line in
 * the other direction subtracts the same.
 */
function addLine(changes: Float32Array, [x0, y0, x1, y1]: Line, row: number, left: number): void {
  const from = Math.max(row, Math.min(y0, y1));
  const to = Math.min(row + 1, Math.max(y0, y1));
  if (from >= to) return;
  const slope = (x1 - x0) / (y1 - y0);
  const one = x0 + (from - y0) * slope - left;
  const other = x0 + (to - y0) * slope - left;
  const start = Math.min(one, other);
  const end = Math.max(one, other);
  const height = y0 < y1 ? to - from : from - to;
  for (let column = Math.floor(start); column <= end; column++) {
    const enter = Math.max(start, column);
    const leave = Math.min(end, column + 1);
    const part = start === end ? height : (height * (leave - enter)) / (end - start);
    // What is at the right of the line in this pixel.
    const inside = part * (column + 1 - (enter + leave) / 2);
    changes[column] = (changes[column] ?? 0) + inside;
    changes[column + 1] = (changes[column + 1] ?? 0) + part - inside;
  }
}
