import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { loadRow, type Measured, names, partOf, record, sectionOf, writePage } from "./page.ts";

/**
 * Measures the rows of the names given, or all, and writes them into the page, next to what was measured before. With `--quick` it
 * only shows that they run: it measures little and writes nothing. With `--page` it writes the page from the figures of before.
 */
export default async function bench(args: readonly string[]): Promise<void> {
  const [quick, pageOnly] = [args.includes("--quick"), args.includes("--page")];
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`bench: there is no ${unknown}; there are ${names.join(", ")}`);
  for (const name of names.filter((one) => !pageOnly && (wanted.length === 0 || wanted.includes(one)))) {
    process.stderr.write(`${name}\n`);
    const row = await loadRow(name);
    const measured = await measure(row, quick);
    console.log(sectionOf(partOf(name, row, measured)));
    if (quick) continue;
    await record(name, measured);
    await writePage();
  }
  if (pageOnly) await writePage();
}

async function measure(row: Awaited<ReturnType<typeof loadRow>>, quick: boolean): Promise<Measured> {
  const begin = performance.now();
  const tables = await row.measure(quick ? (count) => Math.max(1, Math.ceil(count / 20)) : (count) => count);
  const [cpu] = cpus();
  return {
    at: new Date().toISOString().slice(0, 10),
    commit: commitOfPackages(),
    node: process.version,
    machine: `${cpus().length} cores, ${cpu?.model}`,
    seconds: (performance.now() - begin) / 1_000,
    tables,
  };
}

function commitOfPackages(): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...args, "--", "packages"], { encoding: "utf8" }).trim();
  return git("log", "-1", "--format=%h") + (git("status", "--porcelain") === "" ? "" : "+");
}
