import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useSite } from "../open-site.ts";

const site = useSite();

/** A page of each type, and how many kB of gzip it may load. Redoc is two thirds of a megabyte. */
const types: readonly (readonly [path: string, most: number])[] = [
  ["", 100],
  ["guides/", 30],
  ["guides/first-video/", 30],
  ["guides/testing/", 30],
  ["guides/configuration/", 30],
  ["api/", 750],
  ["api/generateVidmodelv2/", 30],
  ["sdk/", 30],
  ["sdk/createMediaGen/", 30],
  ["sdk/OutcomeUnknownError/", 30],
  ["playground/", 120],
  ["benchmarks/", 40],
  ["changelog/", 30],
];

/** Loads a page without a cache on a telephone of a quarter of this machine's speed. */
async function load(path: string): Promise<{ readonly milliseconds: number; readonly bytes: number }> {
  const page = await site.tab({ viewport: { width: 390, height: 844 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  let bytes = 0;
  page.on("response", async (response) => {
    const body = await response.body().catch(() => Buffer.alloc(0));
    bytes += /\.(png|mp4)$/.test(response.url()) ? body.length : gzipSync(body).length;
  });
  await page.goto(site.url + path, { waitUntil: "networkidle" });
  const milliseconds = await largestPaint(page);
  await page.context().close();
  return { milliseconds, bytes };
}

/** Returns when the largest thing in the window was painted. */
function largestPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
          type: "largest-contentful-paint",
          buffered: true,
        }),
      ),
  );
}

test("each type of page loads few bytes, and out/site-speed.json says how soon it is painted at a quarter of the speed", async () => {
  const figures: Record<string, { readonly "LCP, ms": number; readonly "gzip, kB": number }> = {};
  await load(""); // The first page also starts the browser's processes.
  for (const [path, most] of types) {
    const loads = [await load(path), await load(path), await load(path)];
    const [, middle] = loads.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
    const kB = Math.max(...loads.map(({ bytes }) => bytes)) / 1_000;
    figures[path] = { "LCP, ms": Math.round(middle ?? 0), "gzip, kB": Number(kB.toFixed(1)) };
    expect(middle, path).toBeGreaterThan(0);
    expect(kB, path).toBeLessThan(most);
  }
  await writeFile("out/site-speed.json", `${JSON.stringify(figures, null, 2)}\n`);
  console.table(figures);
});
