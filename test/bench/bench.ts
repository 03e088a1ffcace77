import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { markdown, type Result, type Row } from "./table.ts";

/** The rows in the order of the page; each is a file of its name. */
const names = [
  "size",
  "query",
  "upload",
  "waiting",
  "intervals",
  "hanging",
  "lost-answers",
  "form",
  "types",
  "emulator",
  "docs",
];
const page = new URL("../../docs/benchmarks.md", import.meta.url);
const figures = new URL("../../docs/benchmarks.json", import.meta.url);

/** Where, with what and when a row was measured. */
interface Measured extends Result {
  readonly at: string;
  readonly node: string;
  readonly machine: string;
}

const intro = `# Benchmarks

Made by \`npm run bench\`; edits are lost. Our SDK and its peers run in turn in the same run against the same local server, which speaks
as each peer's own service does; each in a process of its own, as its README says, at the version that test/bench/package.json pins.
Figures are medians over the rounds, with the least and the most. Every figure is in benchmarks.json. No test asserts a time.
`;

/**
 * Measures the rows of the names given, or all, and writes them into the page, beside what was measured before. With
 * \`--quick\` it only shows that they run: it measures little and writes nothing.
 */
export default async function bench(args: readonly string[]): Promise<void> {
  const quick = args.includes("--quick");
  const wanted = args.filter((arg) => arg !== "--quick");
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`bench: there is no ${unknown}; there are ${names.join(", ")}`);
  for (const name of names.filter((one) => wanted.length === 0 || wanted.includes(one))) {
    process.stderr.write(`${name}\n`);
    const row = await load(name);
    const result = await row.measure(quick ? (count) => Math.max(1, Math.ceil(count / 20)) : (count) => count);
    console.log(markdown(row, result));
    if (!quick) await write(name, result);
  }
}

/** Puts a row's result beside those of the others, which may be of another day. */
async function write(name: string, result: Result): Promise<void> {
  const before = JSON.parse(await readFile(figures, "utf8").catch(() => "{}")) as Readonly<Record<string, Measured>>;
  const [cpu] = cpus();
  const machine = `${cpus().length} cores, ${cpu?.model}`;
  const measured = inOrder({
    ...before,
    [name]: { at: new Date().toISOString().slice(0, 10), node: process.version, machine, ...result },
  });
  await mkdir(new URL(".", page), { recursive: true });
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(5)) : value);
  await writeFile(figures, `${JSON.stringify(measured, rounded, 1)}\n`);
  await writeFile(page, await pageOf(measured));
}

/** A file for each row; the cast says what it exports. */
async function load(name: string): Promise<Row> {
  return ((await import(`./rows/${name}.ts`)) as { readonly row: Row }).row;
}

function inOrder(measured: Readonly<Record<string, Measured>>): Readonly<Record<string, Measured>> {
  return Object.fromEntries(names.flatMap((name) => (measured[name] ? [[name, measured[name]]] : [])));
}

async function pageOf(measured: Readonly<Record<string, Measured>>): Promise<string> {
  const parts = [intro];
  for (const [name, { at, node, machine, ...result }] of Object.entries(measured)) {
    parts.push(markdown(await load(name), result), `Measured on ${at} with Node ${node}, ${machine}.\n`);
  }
  return parts.join("\n");
}
