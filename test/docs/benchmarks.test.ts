import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("docs/benchmarks.md is made of docs/benchmarks.json and the words of the rows", async () => {
  // By URL: the compiler must not follow into a directory whose packages may not be installed. The
  // cast says what is there.
  const page = (await import(new URL("../bench/page.ts", import.meta.url).href)) as object;
  const { pageOf } = page as { pageOf(figures: unknown): Promise<string> };
  const figures: unknown = JSON.parse(await readFile("docs/benchmarks.json", "utf8"));
  expect(await pageOf(figures), "run `npm run bench -- --page`").toBe(
    await readFile("docs/benchmarks.md", "utf8"),
  );
});
