import { existsSync, readFileSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { replaceLine } from "../scripts/mutants.ts";
import { mutants } from "./mutants.ts";

// Whether a test fails for each is shown by `npm run test:mutants`, which takes minutes.
test("every guard in the list of mutants still stands, once, and can be taken away", async () => {
  for (const { file, line, becomes, promise, tests } of mutants) {
    const source = readFileSync(`packages/sdk/src/${file}`, "utf8");
    const mutated = replaceLine(source, line, becomes);
    expect(mutated, promise).not.toBe(source);
    await transform(mutated, { loader: "ts" });
    for (const name of tests) expect(existsSync(`test/${name}.test.ts`), name).toBe(true);
  }
});

test("and is there for a promise of its own", () => {
  const changes = mutants.map(({ file, line, becomes }) => `${file} ${line} ${becomes}`);
  expect(new Set(changes).size).toBe(mutants.length);
  expect(mutants.filter(({ promise, tests }) => promise === "" || tests.length === 0)).toEqual([]);
});
