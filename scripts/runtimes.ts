import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cache, cachedEngines, chromium } from "../test/runtimes/engines.ts";
import { checkNames, conform, entriesOf, type Entry } from "../test/runtimes/conform.ts";
import type { Cell } from "../test/runtimes/conformance.ts";

const wanted = new URL("../test/runtimes/engines/", import.meta.url);

/** Runs the conformance program on every engine, or on those in `names`, and prints the result of each check. */
export default async function run(names: readonly string[]): Promise<void> {
  const engines = [...cachedEngines, chromium].filter(({ name }) => names.length === 0 || names.includes(name));
  if (engines.length === 0)
    throw new TypeError(`runtimes: there are ${[...cachedEngines, chromium].map(({ name }) => name).join(", ")}`);
  await installEngines();
  const columns: Column[] = [];
  for (const engine of engines) {
    for (const entry of entriesOf(engine)) {
      console.error(`${engine.name}, ${entry} entry point`);
      columns.push({ engine: engine.name, entry, cells: await conform(engine, entry) });
    }
  }
  console.log(tableOf(columns));
  if (columns.some(({ cells }) => Object.values(cells).some(({ outcome }) => outcome === "failed")))
    process.exitCode = 1;
}

/** Installs the engines into their cache if it has other versions. The lockfile is copied last, as the mark of a complete cache. */
async function installEngines(): Promise<void> {
  const [locked, installed] = [new URL("package-lock.json", wanted), join(cache, "installed.json")];
  if (existsSync(installed) && (await readFile(locked, "utf8")) === (await readFile(installed, "utf8"))) return;
  await rm(cache, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) await copyFile(new URL(name, wanted), join(cache, name));
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: cache,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  await copyFile(locked, installed);
}

/** The results of an engine with one entry point. */
interface Column {
  readonly engine: string;
  readonly entry: Entry;
  readonly cells: Readonly<Record<string, Cell>>;
}

/** Returns a table of checks by engine, with notes. The first of two results is that of `@mediagen/sdk`. */
function tableOf(columns: readonly Column[]): string {
  const engines = [...new Set(columns.map(({ engine }) => engine))];
  const notes: string[] = [];
  const marks = { passed: "yes", differs: "differs", failed: "NO", "not applicable": "-" };
  const mark = ({ outcome, note }: Cell, { engine, entry }: Column) => {
    if (note === undefined) return marks[outcome];
    const said = outcome === "not applicable" ? note : `${engine}, ${entry} entry point: ${note}`;
    if (!notes.includes(said)) notes.push(said);
    return `${marks[outcome]} [${notes.indexOf(said) + 1}]`;
  };
  const rows = checkNames.map((name) => [
    name,
    ...engines.map((engine) => {
      const own = columns.filter((column) => column.engine === engine);
      return [...new Set(own.map((column) => mark(column.cells[name] ?? { outcome: "failed" }, column)))].join(", ");
    }),
  ]);
  const table = [["check", ...engines], ["---", ...engines.map(() => "---")], ...rows].map(
    (row) => `| ${row.join(" | ")} |`,
  );
  return [
    ...table,
    "",
    "If a cell has two results, they are those of @mediagen/sdk and @mediagen/sdk/node.",
    ...notes.map((note, index) => `[${index + 1}] ${note}`),
  ].join("\n");
}
