import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { installIn } from "../install-in.ts";
import type { Measured } from "./page.ts";
import type { Row } from "./table.ts";

// The other SDKs, which the rows use.
installIn(import.meta.dirname);
execFileSync(process.execPath, [
  fileURLToPath(import.meta.resolve("typescript/bin/tsc")),
  "-p",
  import.meta.dirname,
]);
const { loadRow, names, partOf, record, sectionOf, writePage } = await import("./page.ts");
const args = process.argv.slice(2);
const quick = args.includes("--quick");
const pageOnly = args.includes("--page");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined)
  throw new TypeError(`bench: there is no ${unknown}; there are ${names.join(", ")}`);

// Measures the rows of the names given, or all, and writes them into the page, next to what was
// measured before. With --quick it only shows that they run: it measures little and writes nothing.
// With --page it writes the page from the figures of before.
for (const name of names.filter(
  (one) => !pageOnly && (wanted.length === 0 || wanted.includes(one)),
)) {
  process.stderr.write(`${name}\n`);
  const row = await loadRow(name);
  const measured = await measure(row);
  console.log(sectionOf(partOf(name, row, measured)));
  if (!quick) await record(name, measured);
}
if (!quick) await writePage();

async function measure(row: Row): Promise<Measured> {
  const tables = await row.measure((count) => (quick ? Math.max(1, Math.ceil(count / 20)) : count));
  const [cpu] = cpus();
  return {
    at: new Date().toISOString().slice(0, 10),
    commit: git("log", "-1", "--format=%h") + (git("status", "--porcelain") === "" ? "" : "+"),
    node: process.version,
    machine: `${cpus().length} cores, ${cpu?.model}`,
    tables,
  };
}

function git(...given: readonly string[]): string {
  return execFileSync("git", [...given, "--", "packages"], { encoding: "utf8" }).trim();
}
