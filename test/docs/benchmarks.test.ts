import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Page {
  readonly pageOf: (figures: unknown) => Promise<string>;
}

test("docs/benchmarks.md is made of docs/benchmarks.json and the words of the rows", async () => {
  // By URL: the compiler must not follow into a directory whose packages may not be installed. The cast says what is there.
  const { pageOf } = (await import(new URL("../bench/page.ts", import.meta.url).href)) as Page;
  const figures: unknown = JSON.parse(await readFile("docs/benchmarks.json", "utf8"));
  expect(await pageOf(figures), "run `npm run bench -- --page`").toBe(await readFile("docs/benchmarks.md", "utf8"));
});
