import { readFile, writeFile } from "node:fs/promises";
import type { Column, Line, Row, Table } from "./table.ts";
import { hasCharts } from "../../scripts/docs/charts.ts";
import { leastForQuartiles, spread } from "./table.ts";

/** The rows in the order of the page; each is a file of its name. */
export const names = ["size", "import", "query", "waiting", "lost-responses", "ai-sdk", "form", "upload", "emulator"];

/** What was measured of a row, and with what, when and for how long. */
export interface Measured {
  readonly at: string;
  /** The commit that the packages were at, with a + if they had been changed since. Older figures do not name it. */
  readonly commit?: string;
  readonly node: string;
  readonly machine: string;
  /** How long the row took. */
  readonly seconds: number;
  /** The lines of each table. */
  readonly tables: readonly (readonly Line[])[];
}

type AllMeasured = Readonly<Record<string, Measured>>;

const page = new URL("../../docs/benchmarks.md", import.meta.url);
const figures = new URL("../../docs/benchmarks.json", import.meta.url);

/** Puts what was measured of a row next to the other rows, which may be of another day. */
export async function record(name: string, measured: Measured): Promise<void> {
  const all = { ...(await readFigures()), [name]: measured };
  const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(5)) : value);
  const inOrder = Object.fromEntries(names.flatMap((one) => (one in all ? [[one, all[one]]] : [])));
  // A round is one line.
  const text = JSON.stringify(inOrder, rounded, 1).replace(/\{[^{}[\]]*\}/g, (round) => round.replace(/\s+/g, " "));
  await writeFile(figures, `${text}\n`);
}

/** Writes the page of what was measured. */
export async function writePage(): Promise<void> {
  await writeFile(page, await pageOf(await readFigures()));
}

/** What was measured of a row. */
export interface Part {
  readonly name: string;
  readonly row: Row;
  readonly measured: Measured;
  readonly tables: readonly Table[];
}

async function readFigures(): Promise<AllMeasured> {
  // The cast: what `record` wrote.
  return JSON.parse(await readFile(figures, "utf8").catch(() => "{}")) as AllMeasured;
}

/** A file for each row. */
export async function loadRow(name: string): Promise<Row> {
  // The cast: what each of them exports.
  return ((await import(`./rows/${name}.ts`)) as { readonly row: Row }).row;
}

/** What a row measured, with its words. */
export function partOf(name: string, row: Row, measured: Measured): Part {
  const tables = row.tables.map((shape, index) => ({ ...shape, lines: measured.tables[index] ?? [] }));
  return { name, row, measured, tables };
}

/** The page of the benchmarks, in Markdown. */
export async function pageOf(all: AllMeasured): Promise<string> {
  const parts: Part[] = [];
  for (const name of names) {
    const measured = all[name];
    if (measured) parts.push(partOf(name, await loadRow(name), measured));
  }
  return [intro, await versions(), notFirst(parts), ...parts.map(sectionOf)].join("\n");
}

/** What mediagen is compared with: versions are exact. */
async function versions(): Promise<string> {
  const read = async (directory: string) => {
    const text = await readFile(new URL(`${directory}package.json`, import.meta.url), "utf8");
    // The cast: the project's own files.
    return JSON.parse(text) as Readonly<Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>>;
  };
  const [bench, project] = [await read(""), await read("../../")];
  const all = { ...project.dependencies, ...project.devDependencies };
  const own = ["@stoplight/prism-cli", "ajv", "esbuild"].map((name) => [name, all[name]] as const);
  const sorted = [...Object.entries(bench.dependencies), ...own].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([name, version]) => `| ${name} | ${version} |`);
  return ["| package | version |", "|---|---:|", ...lines, ""].join("\n");
}

const intro = `---
title: Benchmarks
description: "Size, speed, waiting and lost responses of mediagen and other SDKs, each row measured in one run, and where mediagen is not first."
also: performance speed size comparison
---

\`npm run bench\` measures all of this and writes this page. \`npm run bench -- size\` measures one row; the others keep their figures and
their date. Every figure is in benchmarks.json. No test asserts a time.

mediagen and its peers run in turn, in the same run, against the same local server, which speaks as each peer's own service does. Each
client runs in its own process, as its README says, in the version that the files package.json of test/bench and of the project pin. A figure is
the median of all rounds. The brackets have the quartiles, or the range if there are fewer than four rounds. A ratio is computed within
each round, and the table shows the median of these ratios. Rows may be of different days and versions of mediagen.

Each row names its machine and the commit of the packages.
`;

/** Every figure in which another client is clearly better than one of ours. */
function notFirst(parts: readonly Part[]): string {
  const lines = parts.flatMap(({ row, tables }) =>
    tables.flatMap((table) =>
      table.columns.flatMap((column) =>
        behindOf(table, column).map(
          (figures) =>
            `| ${[`[${row.title}](#${anchorOf(row.title)})`, table.title, column.label, ...figures].join(" | ")} |`,
        ),
      ),
    ),
  );
  const reasons = parts.flatMap(({ row }) => (row.notFirst === undefined ? [] : [`- ${row.title}: ${row.notFirst}`]));
  return [
    "## Where we are not first",
    "",
    "Each line is a figure of one of our entry points, and every other client whose median is better by more than 5 %. If both were measured in three rounds or more, their brackets must not overlap either.",
    "",
    "| row | table | figure | of | ours | better |",
    "|---|---|---|---|---:|---|",
    ...lines,
    "",
    ...["Reasons:", "", ...reasons, ""],
  ].join("\n");
}

function behindOf({ lines, references = [] }: Table, { key, digits = 0, better }: Column): string[][] {
  if (better === undefined) return [];
  const sign = better === "less" ? 1 : -1;
  const clients = lines
    .filter(({ name, rounds }) => rounds.length > 0 && !references.includes(name))
    .map((line) => ({ name: line.name, few: line.rounds.length < 3, ...spread(line, key) }))
    .sort((one, other) => sign * (one.median - other.median));
  const [ours, others] = [true, false].map((own) =>
    clients.filter(({ name }) => name.startsWith("@mediagen/") === own),
  );
  return (ours ?? []).flatMap((own) => {
    const limit = own.median * (1 - 0.05 * sign);
    const isAhead = ({ median, low, high, few }: typeof own) =>
      sign * (median - limit) < 0 && (few || own.few || high < own.low || own.high < low);
    const ahead = (others ?? []).filter(isAhead).map(({ name, median }) => `${name} ${written(median, digits)}`);
    return ahead.length > 0 ? [[own.name, written(own.median, digits), ahead.join(", ")]] : [];
  });
}

/** A row's part of the page. */
export function sectionOf({ name, row, measured, tables }: Part): string {
  const { at, commit, node, machine, seconds } = measured;
  const version = commit === undefined ? "" : ` at commit ${commit}`;
  return [
    `## ${row.title}`,
    "",
    row.what,
    "",
    `**The limit:** ${row.limit}`,
    "",
    ...(hasCharts(name) ? [`<!-- charts: ${name} -->`, ""] : []),
    ...tables.flatMap((table) => [`### ${table.title}`, "", ...tableLines(table), ""]),
    `Measured on ${at}${version} with Node ${node}, ${machine}, in ${timeOf(seconds)}.`,
    "",
  ].join("\n");
}

function tableLines({ columns, lines }: Table): string[] {
  const cell = (line: Line, { key, digits = 0 }: Column) => {
    if (line.rounds.length === 0) return "failed";
    const { median, low, high } = spread(line, key);
    if (Number.isNaN(median)) return "";
    const [middle, lower, upper] = [median, low, high].map((value) => written(value, digits));
    return lower === upper ? `${middle}` : `${middle} (${lower} to ${upper})`;
  };
  const few = lines.map(({ rounds }) => rounds.length).filter((count) => count > 1 && count < leastForQuartiles);
  const note = few.length > 0 ? [`\nIn brackets: the range of ${Math.max(...few)} rounds.`] : [];
  const failures = lines.filter(({ failed }) => failed).map(({ name, failed }) => `\n${name} failed: ${failed}`);
  return [
    `| | ${columns.map(({ label }) => label).join(" | ")} |`,
    `|---|${columns.map(() => "---:|").join("")}`,
    ...lines.map((line) => `| ${line.name} | ${columns.map((column) => cell(line, column)).join(" | ")} |`),
    ...note,
    ...failures,
  ];
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z\d\s-]/g, "")
    .replaceAll(" ", "-");
}

function timeOf(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function written(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
