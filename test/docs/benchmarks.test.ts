import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { drawBars, drawCharts } from "../../scripts/docs/charts.ts";

interface Page {
  readonly pageOf: (figures: unknown) => Promise<string>;
}

test("docs/benchmarks.md is made of docs/benchmarks.json and the words of the rows", async () => {
  // By URL: the compiler must not follow into a directory whose packages may not be installed. The cast says what is there.
  const { pageOf } = (await import(new URL("../bench/page.ts", import.meta.url).href)) as Page;
  const figures: unknown = JSON.parse(await readFile("docs/benchmarks.json", "utf8"));
  expect(await pageOf(figures), "run `npm run bench -- --page`").toBe(await readFile("docs/benchmarks.md", "utf8"));
});

test("the page of the benchmarks shows three charts", async () => {
  const charts = drawCharts(await readFile("docs/benchmarks.md", "utf8"));
  expect(charts).not.toContain("<!-- charts");
  expect(await readFile("docs/benchmarks.md", "utf8"), "a row without charts has no place for them").not.toContain(
    "<!-- charts: form",
  );
  expect([...charts.matchAll(/<figcaption>([^<]+)/g)].map(([, title]) => title)).toEqual([
    "Bytes that load first, gzip. Less is better.",
    "Mean delay, 1,000 tasks. Less is better.",
    "Duplicates billed, of 300 generations. Less is better.",
  ]);
});

test("a chart draws each bar as long as its value, and says names and values to screen readers", () => {
  const bars = [
    { name: "other <client>", value: 20 },
    { name: "@mediagen/sdk", value: 5 },
  ];
  const chart = drawBars({ title: "Size", unit: "kB" }, bars);
  expect(chart).toContain('role="img" aria-label="Size: @mediagen/sdk 5 kB, other &lt;client&gt; 20 kB"');
  expect([...chart.matchAll(/<rect [^>]*width="([^"]+)"/g)].map(([, width]) => width)).toEqual(["25%", "100%"]);
  expect(chart, "a strict policy allows no style attributes").not.toContain("style=");
});
