import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

const tools = "test/mutants/node_modules/";
/** The sources to mutate, by directory: the code that decides what is sent, how often, and what its outcome means. */
const sources = new Map([
  ...["call", "store", "form", "wait"].map((name) => [name, `packages/sdk/src/${name}/*.ts`] as const),
  ["batch", "packages/batch/src/{ids,known-lines,plan,results-file,runner,stop-rules}.ts"],
]);

/**
 * Mutates all directories, or those in `names`, with StrykerJS. Prints the mutants that no test kills, and a score for each directory.
 * Keeps the results in out/mutants.json for mutants whose file and tests have not changed. Delete that file to test all of them again.
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
  const stryker = [`${tools}@stryker-mutator/core/bin/stryker.js`, "run", "test/mutants/stryker.config.js"];
  for (const name of chosen)
    execFileSync(process.execPath, stryker, {
      stdio: "inherit",
      env: { ...process.env, MUTATED: name, SOURCES: sources.get(name) },
    });
  // The cast: Stryker wrote it.
  const { files } = JSON.parse(readFileSync("out/mutants.json", "utf8")) as Report;
  console.table(Object.fromEntries(chosen.map((name) => [name, scoreOf(name, files)])));
}

/** The part of Stryker's report that is read here. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number } };
}

/** Counts the mutants of a directory, and prints those that no test kills. */
function scoreOf(name: string, files: Report["files"]): Readonly<Record<string, number | string>> {
  const counts = { Killed: 0, Survived: 0, NoCoverage: 0, Timeout: 0 };
  for (const [file, { mutants }] of Object.entries(files).filter(([file]) => file.includes(`/${name}/`)))
    for (const { status, mutatorName, replacement = "", location } of mutants) {
      if (status in counts) counts[status as keyof typeof counts]++;
      if (status === "Survived" || status === "NoCoverage")
        console.log(`${file}:${location.start.line} ${status}: ${mutatorName} ${replacement.replaceAll(/\s+/g, " ")}`);
    }
  const { Killed: killed, Survived: survived, NoCoverage, Timeout: timeout } = counts;
  const all = killed + survived + NoCoverage + timeout;
  return {
    killed,
    survived,
    "no coverage": NoCoverage,
    timeout,
    score: `${Math.round((100 * (killed + timeout)) / all)} %`,
  };
}
