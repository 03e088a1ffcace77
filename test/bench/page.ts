import { readFile, writeFile } from "node:fs/promises";
import type { Column, Line, Row, Table } from "./table.ts";
import { hasCharts } from "../../scripts/docs/charts.ts";
import { inSentence, leastForQuartiles, spread } from "./table.ts";

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
const manifest = new URL("package.json", import.meta.url);
const lockfile = new URL("../../package-lock.json", import.meta.url);
/** What rows compare with, or measure with, that the project itself has. */
const compared = ["@stoplight/prism-cli", "ajv", "esbuild"];

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
  return [intro, await versions(), overview(parts), notFirst(parts), ...parts.map(sectionOf)].join("\n");
}

/** What mediagen is compared with. */
async function versions(): Promise<string> {
  // The casts: the project's own files.
  const { dependencies } = JSON.parse(await readFile(manifest, "utf8")) as Record<string, Record<string, string>>;
  const { packages } = JSON.parse(await readFile(lockfile, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const own = compared.map((name) => [name, packages[`node_modules/${name}`]?.version ?? "not installed"]);
  const all = [...Object.entries(dependencies ?? {}), ...own].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  const lines = all.map(([name, version]) => `| ${name} | ${version} |`);
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
client runs in its own process, as its README says, in the version that the lockfiles of test/bench and of the project pin. A figure is
the median of all rounds. The brackets have the quartiles, or the range if there are fewer than four rounds. A ratio is computed within
each round, and the table shows the median of these ratios. Rows may be of different days and versions of mediagen.

Each row names its machine and the commit of the packages.
`;

function overview(parts: readonly Part[]): string {
  const lines = parts.map(
    ({ name, row, measured }) =>
      `| [${row.title}](#${anchorOf(row.title)}) | \`${name}\` | ${timeOf(measured.seconds)} | ${measured.at} |`,
  );
  return ["## All rows", "", "| row | name | takes | measured |", "|---|---|---:|---|", ...lines, ""].join("\n");
}

/** Every figure in which another client is clearly better than one of ours. */
function notFirst(parts: readonly Part[]): string {
  const behind = parts.map(({ row, tables }) => ({
    row,
    lines: tables.flatMap((table) =>
      table.columns.flatMap((column) => {
        const where = `[${row.title}](#${anchorOf(row.title)}), ${inSentence(table.title)}: ${column.label}`;
        return behindOf(table, column).map((figures) => `| ${[where, ...figures].join(" | ")} |`);
      }),
    ),
  }));
  const reasons = behind.flatMap(({ row: { title, notFirst: why }, lines }) =>
    lines.length > 0 && why !== undefined ? [`- ${title}: ${why}`] : [],
  );
  return [
    "## Where we are not first",
    "",
    "Each line is a figure of one of our entry points, and every other client whose median is better by more than 5 %. If both were measured in three rounds or more, their brackets must not overlap either.",
    "",
    "| figure | of | ours | better |",
    "|---|---|---:|---|",
    ...behind.flatMap(({ lines }) => lines),
    "",
    ...(reasons.length > 0 ? ["Reasons:", "", ...reasons, ""] : []),
  ].join("\n");
}

function behindOf(
  { lines, references = [] }: Table,
  { key, digits = 0, better }: Column,
): (readonly [string, string, string])[] {
  if (better === undefined) return [];
  const sign = better === "less" ? 1 : -1;
  const clients = lines
    .filter(({ name, rounds }) => rounds.length > 0 && !references.includes(name))
    .map((line) => ({ name: line.name, rounds: line.rounds.length, ...spread(line, key) }))
    .sort((a, b) => sign * (a.median - b.median));
  type Client = (typeof clients)[number];
  const isOurs = ({ name }: Client) => name.startsWith("@mediagen/");
  const isClear = (a: Client, b: Client) => Math.min(a.rounds, b.rounds) < 3 || a.high < b.low || b.high < a.low;
  return clients.filter(isOurs).flatMap((own): [string, string, string][] => {
    const limit = own.median * (better === "less" ? 0.95 : 1.05);
    const ahead = clients.filter(
      (client) => !isOurs(client) && sign * (client.median - limit) < 0 && isClear(client, own),
    );
    const shown = ahead.map(({ name, median }) => `${name} ${written(median, digits)}`);
    return ahead.length > 0 ? [[own.name, written(own.median, digits), shown.join(", ")]] : [];
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
