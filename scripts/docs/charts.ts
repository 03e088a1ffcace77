import { readFileSync } from "node:fs";
import { escapeHtml } from "./site.ts";

/** A bar of a chart. The longest one has the full width. */
export interface Bar {
  readonly name: string;
  readonly value: number;
}

/** A chart of one figure in the first table of a row: its key, and how it is written. */
interface Drawn {
  readonly row: string;
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly per?: number;
  readonly digits?: number;
}

/** All charts. */
const drawn: readonly Drawn[] = [
  { row: "size", key: "initial", title: "Bytes that load first, gzip", unit: "kB", per: 1_000, digits: 1 },
  { row: "waiting", key: "delay", title: "Mean delay, 1,000 tasks", unit: "s", digits: 2 },
  { row: "lost-responses", key: "duplicates", title: "Duplicates billed, of 300 generations", unit: "" },
];

/** Whether a row of the benchmarks has charts. */
export function hasCharts(row: string): boolean {
  return drawn.some((one) => one.row === row);
}

/** The part of docs/benchmarks.json that charts need. */
type Table = { readonly name: string; readonly rounds: readonly Readonly<Record<string, number>>[] };
type Figures = Readonly<Record<string, { readonly tables: readonly (readonly Table[])[] }>>;

/** Replaces the comments `<!-- charts: ROW -->` in a page's HTML with charts. */
export function drawCharts(html: string, file = new URL("../../docs/benchmarks.json", import.meta.url)): string {
  if (!html.includes("<!-- charts: ")) return html;
  // The cast: `npm run bench` wrote it.
  const figures = JSON.parse(readFileSync(file, "utf8")) as Figures;
  return html.replace(/<!-- charts: ([\w-]+) -->\n?/g, (_, row: string) =>
    drawn
      .filter((one) => one.row === row)
      .map((one) => drawBars(one, barsOf(one, figures)))
      .join(""),
  );
}

function barsOf({ row, key, per = 1 }: Drawn, figures: Figures): readonly Bar[] {
  return (figures[row]?.tables[0] ?? []).flatMap(({ name, rounds }) => {
    const values = rounds.flatMap((round) => round[key] ?? []).sort((a, b) => a - b);
    const middle = values.length >> 1;
    const median = values.length % 2 === 1 ? values[middle] : ((values[middle - 1] ?? 0) + (values[middle] ?? 0)) / 2;
    return values.length === 0 || median === undefined ? [] : [{ name, value: median / per }];
  });
}

const barHeight = 34;

/**
 * Draws horizontal bars as SVG, the best first. Lengths are relative to the width and text has a fixed size, so that a chart
 * fits its page. The style sheet colors it by classes, in both themes. A screen reader gets all names and values as text.
 */
export function drawBars(
  { title, unit, digits = 0 }: Pick<Drawn, "title" | "unit" | "digits">,
  bars: readonly Bar[],
): string {
  if (bars.length === 0) return "";
  const sorted = [...bars].sort((a, b) => a.value - b.value);
  const longest = Math.max(...sorted.map(({ value }) => value)) || 1;
  const written = (value: number) =>
    `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`.trim();
  const label = `${title}: ${sorted.map(({ name, value }) => `${name} ${written(value)}`).join(", ")}`;
  const shapes = sorted.map(({ name, value }, index) => {
    const y = index * barHeight;
    const own = name.startsWith("@mediagen/") ? ' class="own"' : "";
    const width = `${Number(((value / longest) * 100).toFixed(2))}%`;
    return (
      `<g${own}><text y="${y + 14}">${escapeHtml(name)}</text>` +
      `<text x="100%" y="${y + 14}" text-anchor="end">${escapeHtml(written(value))}</text>` +
      `<rect y="${y + 20}" width="${width}" height="8" rx="2"/></g>`
    );
  });
  const svg = `<svg role="img" aria-label="${escapeHtml(label)}" width="100%" height="${sorted.length * barHeight}">${shapes.join("")}</svg>`;
  return `<figure class="chart">${svg}<figcaption>${escapeHtml(title)}. Less is better.</figcaption></figure>\n`;
}
