import { existsSync } from "node:fs";
import { transform } from "esbuild";
import { expect, test } from "vitest";
import { mutate, readSources } from "../scripts/mutants.ts";
import { mutants } from "./mutants.ts";

// Whether a test fails for each is shown by `npm run test:mutants`, which takes minutes.
test("every guard in the list of mutants still stands, once, and can be taken away", async () => {
  const sourcesOf = {
    sdk: readSources("packages/sdk/src"),
    batch: readSources("packages/batch/src"),
    mcp: readSources("packages/mcp/src"),
    "ai-sdk-provider": readSources("packages/ai-sdk-provider/src"),
  };
  for (const mutant of mutants) {
    const sources = sourcesOf[mutant.in ?? "sdk"];
    const { file, source } = mutate(sources, mutant);
    expect(source, mutant.promise).not.toBe(sources.get(file));
    await transform(source, { loader: "ts" });
    for (const name of mutant.tests) expect(existsSync(`test/${name}.test.ts`), name).toBe(true);
  }
});

test("and is there for a promise of its own", () => {
  const changes = mutants.map(({ file, guard, becomes }) => `${file} ${guard} ${becomes}`);
  expect(new Set(changes).size).toBe(mutants.length);
  expect(mutants.filter(({ promise, tests }) => promise === "" || tests.length === 0)).toEqual([]);
});
