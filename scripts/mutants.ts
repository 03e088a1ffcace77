import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";

const tools = "test/mutants/node_modules/";
/** The sources to mutate, by directory: the code that decides what is sent, how often, and what its outcome means. */
const sources = new Map([
  ...["call", "store", "form", "wait"].map((name) => [name, `packages/sdk/src/${name}/*.ts`] as const),
  ["batch", "packages/batch/src/{ids,known-lines,plan,results-file,runner,stop-rules}.ts"],
]);

/**
 * Mutates all directories, or those in `names`, with StrykerJS, which prints the mutants that no test kills, and a score for each file
 * and directory. It keeps the results in out/mutants.json for mutants whose file and tests have not changed.
 */
export default function run(names: readonly string[]): void {
  const chosen = names.length > 0 ? names : [...sources.keys()];
  if (chosen.some((name) => !sources.has(name)))
    throw new TypeError(`test:mutants: there are ${[...sources.keys()].join(", ")}`);
  const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt("test/mutants/package-lock.json") > changedAt(`${tools}.package-lock.json`))
    execFileSync("npm", ["ci", "--ignore-scripts"], {
      cwd: "test/mutants",
      stdio: "inherit",
      shell: process.platform === "win32",
    });
  for (const name of chosen)
    execFileSync(
      process.execPath,
      [`${tools}@stryker-mutator/core/bin/stryker.js`, "run", "test/mutants/stryker.config.js"],
      { stdio: "inherit", env: { ...process.env, MUTATED: name, SOURCES: sources.get(name) } },
    );
}
