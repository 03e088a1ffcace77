import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants, type Mutant } from "../test/mutants.ts";
import { bundle } from "./build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = ["sdk", "batch", "ai-sdk-provider", "mcp"] as const;
/** Below the root, so that imports that a copy does not have resolve to the root. */
const copies = join(root, "out/mutants");
/** Number of mutants that are tested in parallel. */
const atOnce = 2;
/** Timeout of a test run. A mutant that exceeds it has an endless loop, and counts as killed. */
const longestMs = 60_000;

/**
 * Creates each mutant in a copy of the built packages, and runs the tests that must fail. Fails if a mutant survives or cannot be
 * created. Pass packages, or files and directories below a package's src, to test only their mutants.
 */
export default async function run(places: readonly string[]): Promise<void> {
  const chosen = mutants.filter((mutant) => {
    const { file } = mutate(readSources(sourcesOf(root, mutant)), mutant);
    const isAt = (place: string) => place === (mutant.in ?? "sdk") || file === place || file.startsWith(`${place}/`);
    return places.length === 0 || places.some(isAt);
  });
  if (chosen.length === 0) throw new TypeError(`test:mutants: no mutant is in ${places.join(" or ")}`);
  await rm(copies, { recursive: true, force: true });
  const from = performance.now();
  const trees = await Promise.all(Array.from({ length: atOnce }, (_, index) => makeTree(join(copies, String(index)))));
  try {
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    const [sound = ""] = trees;
    const { passed, printed } = await runTests(sound, tests, 10 * longestMs);
    if (!passed) throw new Error(`the tests fail without any mutant:\n${printed}`);
    console.log(
      `${tests.length} test files pass without any mutant; now ${chosen.length} mutants, ${atOnce} at a time`,
    );

    const waiting = [...chosen];
    const survivors: Mutant[] = [];
    let tried = 0;
    const work = async (tree: string) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const start = performance.now();
        const survived = await survives(mutant, tree);
        if (survived) survivors.push(mutant);
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        console.log(
          `${String(++tried).padStart(4)}/${chosen.length} ${survived ? "SURVIVED" : "killed"} ${mutant.promise} (${seconds} s)`,
        );
      }
    };
    await Promise.all(trees.map(work));
    for (const { guard, becomes, promise, tests: blind } of survivors) {
      console.error(
        `\nNo test of ${blind.join(", ")} fails without this guard: ${promise}\n  - ${guard}\n  + ${becomes}`,
      );
    }
    console.log(
      `\n${chosen.length - survivors.length} of ${chosen.length} mutants killed in ${((performance.now() - from) / 1000).toFixed(0)} s`,
    );
    if (survivors.length > 0) process.exitCode = 1;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Copies the built packages and the tests, which import the copy instead of the root's packages. */
async function makeTree(tree: string): Promise<string> {
  await mkdir(join(tree, "node_modules/@mediagen"), { recursive: true });
  for (const name of packages)
    await cp(join(root, "packages", name), join(tree, "packages", name), { recursive: true });
  for (const name of ["test", "scripts", "openapi", "package.json", "tsconfig.json", "vitest.config.ts"])
    await cp(join(root, name), join(tree, name), { recursive: true });
  for (const name of packages) await symlink(join(tree, "packages", name), join(tree, "node_modules/@mediagen", name));
  await symlink(join(root, "packages/emulator"), join(tree, "node_modules/@mediagen/emulator"));
  return tree;
}

async function survives(mutant: Mutant, tree: string): Promise<boolean> {
  const directory = sourcesOf(tree, mutant);
  const sources = readSources(directory);
  const { file, source } = mutate(sources, mutant);
  const path = join(directory, file);
  await writeFile(path, source);
  try {
    await bundle(join(directory, ".."));
    return (await runTests(tree, mutant.tests, longestMs)).passed;
  } finally {
    await writeFile(path, sources.get(file) ?? "");
  }
}

/** Returns the source directory of the package with a mutant's guard. */
function sourcesOf(tree: string, mutant: Mutant): string {
  return join(tree, "packages", mutant.in ?? "sdk", "src");
}

/** Reads the handwritten sources of a package, by their paths below its src. */
export function readSources(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.gen)\.ts$/.test(name),
  );
  return new Map(names.map((name) => [name.replaceAll(sep, "/"), readFileSync(join(directory, name), "utf8")]));
}

/** Returns the file of a mutant's guard, and its source with the guard replaced. */
export function mutate(
  sources: ReadonlyMap<string, string>,
  { file, guard, becomes }: Mutant,
): { readonly file: string; readonly source: string } {
  const pattern = new RegExp(spacedAnyhow(guard), "g");
  const found = [...sources].flatMap(([name, source]) =>
    file === undefined || file === name
      ? [...source.matchAll(pattern)].map(({ 0: { length }, index }) => ({ name, source, index, length }))
      : [],
  );
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`a mutant's guard is found ${found.length} times: ${guard}`);
  const { name, source, index, length } = only;
  return { file: name, source: source.slice(0, index) + becomes + source.slice(index + length) };
}

/** Returns a pattern of code that ignores formatting: line breaks, spaces and trailing commas. */
function spacedAnyhow(code: string): string {
  const characters = [...code.replace(/\s+/g, "")].map((character) => character.replace(/[^\w]/, "\\$&"));
  return characters.map((character) => (/^\\[)\]}]$/.test(character) ? `,?\\s*${character}` : character)).join("\\s*");
}

async function runTests(
  tree: string,
  tests: readonly string[],
  longest: number,
): Promise<{ readonly passed: boolean; readonly printed: string }> {
  const vitest = resolve(root, "node_modules/vitest/vitest.mjs");
  const options = ["--bail=1", "--typecheck.enabled=false", "--reporter=dot", "--testTimeout=15000", "--maxWorkers=1"];
  // Its own process group, so that its workers are killed with it.
  const child = spawn(process.execPath, [vitest, "run", ...options, ...tests.map((test) => `test/${test}.test.ts`)], {
    cwd: tree,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (printed += text.toString()));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), longest);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { passed: code === 0, printed };
}
