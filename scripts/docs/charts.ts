import { readFileSync } from "node:fs";
import { median, type Line } from "../../test/bench/table.ts";
import { escapeHtml } from "./site.ts";

/** The charts by row: a figure in the row's first table, and how it is written. */
const charts = new Map([
  [
    "size",
    { key: "initial", title: "Bytes that load first, gzip", unit: " kB", per: 1_000, digits: 1 },
  ],
  ["waiting", { key: "delay", title: "Mean delay, 1,000 tasks", unit: " s", per: 1, digits: 2 }],
  [
    "lost-responses",
    { key: "duplicates", title: "Duplicates billed, 300 generations", unit: "", per: 1, digits: 0 },
  ],
]);

/** Returns whether a row of the benchmarks has a chart. */
export function hasCharts(row: string): boolean {
  return charts.has(row);
}

/**
 * Replaces the comments `<!-- charts: ROW -->` in a page's HTML with horizontal bars as SVG, the
 * best first. Lengths are relative to the width and text has a fixed size, so that a chart fits its
 * page. The style sheet colors it by classes, in both themes.
 */
export function drawCharts(html: string): string {
  return html.replace(/<!-- charts: ([\w-]+) -->\n?/g, (mark, row: string) => {
    const chart = charts.get(row);
    if (!chart) throw new Error(`there is no chart for ${mark}`);
    const { key, title, unit, per, digits } = chart;
    const bars = linesOf(row)
      .map((line) => ({ name: line.name, value: median(line, key) / per }))
      .filter(({ value }) => !Number.isNaN(value))
      .sort((a, b) => a.value - b.value)
      .map(({ name, value }) => ({ name, value, written: `${value.toFixed(digits)}${unit}` }));
    const longest = bars.at(-1)?.value || 1;
    const shapes = bars.map(({ name, value, written }, index) => {
      const y = index * 34;
      const own = name.startsWith("@mediagen/") ? ' class="own"' : "";
      return `<g${own}><text y="${y + 14}">${name}</text><text x="100%" y="${y + 14}" text-anchor="end">${written}</text><rect y="${y + 20}" width="${(value / longest) * 100}%" height="8" rx="2"/></g>`;
    });
    const label = escapeHtml(
      `${title}: ${bars.map(({ name, written }) => `${name} ${written}`).join(", ")}`,
    );
    const svg = `<svg role="img" aria-label="${label}" width="100%" height="${bars.length * 34}">${shapes.join("")}</svg>`;
    return `<figure class="chart">${svg}<figcaption>${title}. Less is better.</figcaption></figure>\n`;
  });
}

function linesOf(row: string): readonly Line[] {
  const text = readFileSync(new URL("../../docs/benchmarks.json", import.meta.url), "utf8");
  // The cast: `npm run bench` wrote it.
  return (JSON.parse(text) as Readonly<Record<string, { tables: Line[][] }>>)[row]?.tables[0] ?? [];
}
