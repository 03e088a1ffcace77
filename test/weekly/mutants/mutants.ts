import { execFileSync } from "node:child_process";
import { installIn } from "../../install-in.ts";

/**
 * The sources to mutate, by directory: the code that decides what is sent, how often, and what its
 * outcome means.
 */
const sources = new Map([
  ...["money", "call", "store", "form", "wait"].map(
    (name) => [name, `packages/sdk/src/${name}/*.ts`] as const,
  ),
  ["batch", "packages/batch/src/{ids,known-lines,plan,results-file,runner,stop-rules}.ts"],
]);
const names = process.argv.slice(2);
if (names.some((name) => !sources.has(name)))
  throw new TypeError(`test:mutants: there are ${[...sources.keys()].join(", ")}`);

// Mutates all directories, or those that are named, with StrykerJS, which prints the mutants that
// no test kills, and a score for each file and directory. It keeps the results in out/mutants.json
// for mutants whose file and tests have not changed.
installIn(import.meta.dirname);
const stryker = "test/weekly/mutants/node_modules/@stryker-mutator/core/bin/stryker.js";
for (const name of names.length > 0 ? names : sources.keys())
  execFileSync(process.execPath, [stryker, "run", "test/weekly/mutants/stryker.config.js"], {
    stdio: "inherit",
    env: { ...process.env, MUTATED: name, SOURCES: sources.get(name) },
  });
