import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants, type Mutant } from "../test/mutants.ts";
import { bundle } from "./build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sdk = "packages/sdk";
/** Below the root, so that what a copy does not have itself is found above it. */
const copies = join(root, "out/mutants");
/** How many mutants are tried at once. */
const atOnce = 2;
/** Who takes longer has got into a loop, which the tests have noticed in their way. */
const longestMs = 60_000;

/**
 * Makes each mutant of the SDK in turn in a copy of the built tree and runs the tests that are to fail. Fails where one
 * survives or cannot be made. Takes names of files in packages/sdk/src, to try their mutants alone.
 */
export default async function run(files: readonly string[]): Promise<void> {
  const chosen = mutants.filter(({ file }) => files.length === 0 || files.includes(file));
  if (chosen.length === 0) throw new TypeError(`test:mutants: no mutant is of ${files.join(" or ")}`);
  await rm(copies, { recursive: true, force: true });
  const from = performance.now();
  const trees = await Promise.all(Array.from({ length: atOnce }, (_, index) => makeTree(join(copies, String(index)))));
  try {
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
    const [sound = ""] = trees;
    const { passed, printed } = await runTests(sound, tests, 10 * longestMs);
    if (!passed) throw new Error(`the tests fail without any mutant:\n${printed}`);
    console.log(`${tests.length} test files pass on the SDK as it is; now ${chosen.length} mutants, ${atOnce} at a time`);

    const waiting = [...chosen];
    const survivors: Mutant[] = [];
    let tried = 0;
    const work = async (tree: string) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const start = performance.now();
        const survived = await survives(mutant, tree);
        if (survived) survivors.push(mutant);
        const seconds = ((performance.now() - start) / 1000).toFixed(1);
        console.log(`${String(++tried).padStart(4)}/${chosen.length} ${survived ? "SURVIVED" : "killed"} ${mutant.file}: ${mutant.promise} (${seconds} s)`);
      }
    };
    await Promise.all(trees.map(work));
    for (const { file, line, becomes, promise, tests: blind } of survivors) {
      console.error(`\n${file}: no test of ${blind.join(", ")} notices that this is gone: ${promise}\n  - ${line}\n  + ${becomes}`);
    }
    console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants killed in ${((performance.now() - from) / 1000).toFixed(0)} s`);
    if (survivors.length > 0) process.exitCode = 1;
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** A copy of the built SDK and of the tests, which find it and not the root's. */
async function makeTree(tree: string): Promise<string> {
  await mkdir(join(tree, "node_modules/@mediagen"), { recursive: true });
  await cp(join(root, sdk), join(tree, sdk), { recursive: true });
  for (const name of ["test", "scripts", "openapi", "package.json", "tsconfig.json", "vitest.config.ts"]) await cp(join(root, name), join(tree, name), { recursive: true });
  await symlink(join(tree, sdk), join(tree, "node_modules/@mediagen/sdk"));
  await symlink(join(root, "packages/emulator"), join(tree, "node_modules/@mediagen/emulator"));
  return tree;
}

async function survives({ file, line, becomes, tests }: Mutant, tree: string): Promise<boolean> {
  const path = join(tree, sdk, "src", file);
  const source = await readFile(path, "utf8");
  await writeFile(path, replaceLine(source, line, becomes));
  try {
    await bundle(join(tree, sdk));
    return (await runTests(tree, tests, longestMs)).passed;
  } finally {
    await writeFile(path, source);
  }
}

/** A source with one line, found once, replaced by another. */
export function replaceLine(source: string, line: string, becomes: string): string {
  const lines = source.split("\n");
  const found = lines.flatMap((one, index) => (one.trim() === line ? [index] : []));
  const [at] = found;
  if (at === undefined || found.length > 1) throw new Error(`a mutant's line is found ${found.length} times: ${line}`);
  return lines.with(at, becomes).join("\n");
}

async function runTests(tree: string, tests: readonly string[], longest: number): Promise<{ readonly passed: boolean; readonly printed: string }> {
  const vitest = resolve(root, "node_modules/vitest/vitest.mjs");
  const options = ["--bail=1", "--typecheck.enabled=false", "--reporter=dot", "--testTimeout=15000", "--maxWorkers=1"];
  // A group of its own, so that its workers end with it.
  const child = spawn(process.execPath, [vitest, "run", ...options, ...tests.map((test) => `test/${test}.test.ts`)], { cwd: tree, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (printed += text.toString()));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), longest);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { passed: code === 0, printed };
}
