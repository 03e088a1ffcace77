import { readFile, writeFile } from "node:fs/promises";
import { slug } from "github-slugger";
import type { Column, Line, Row, Table } from "./table.ts";
import { hasCharts } from "../../scripts/docs/charts.ts";
import { median } from "./table.ts";

/** The rows in the order of the page; each is a file of its name. */
export const names = [
  "size",
  "import",
  "query",
  "waiting",
  "lost-responses",
  "ai-sdk",
  "form",
  "upload",
  "emulator",
];

/** What was measured of a row, and with what, when and for how long. */
export interface Measured {
  readonly at: string;
  /**
   * The commit that the packages were at, with a + if they had been changed since. Older figures do
   * not name it.
   */
  readonly commit?: string;
  readonly node: string;
  readonly machine: string;
  /** The lines of each table. */
  readonly tables: readonly (readonly Line[])[];
}

type AllMeasured = Readonly<Record<string, Measured>>;

const page = new URL("../../docs/benchmarks.md", import.meta.url);
const figures = new URL("../../docs/benchmarks.json", import.meta.url);

/** Puts what was measured of a row next to the other rows, which may be of another day. */
export async function record(name: string, measured: Measured): Promise<void> {
  const all = { ...(await readFigures()), [name]: measured };
  const rounded = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(5)) : value;
  const inOrder = Object.fromEntries(names.flatMap((one) => (one in all ? [[one, all[one]]] : [])));
  // A round is one line.
  const text = JSON.stringify(inOrder, rounded, 1).replace(/\{[^{}[\]]*\}/g, (round) =>
    round.replace(/\s+/g, " "),
  );
  await writeFile(figures, `${text}\n`);
}

/** What was measured of a row. */
export interface Part {
  readonly name: string;
  readonly row: Row;
  readonly measured: Measured;
  readonly tables: readonly Table[];
}

/** Writes the page of what was measured. */
export async function writePage(): Promise<void> {
  await writeFile(page, await pageOf(await readFigures()));
}

async function readFigures(): Promise<AllMeasured> {
  // The cast: what `record` wrote.
  return JSON.parse(await readFile(figures, "utf8")) as AllMeasured;
}

/** Imports the file of a row. */
export async function loadRow(name: string): Promise<Row> {
  // The cast: what each of them exports.
  return ((await import(`./rows/${name}.ts`)) as { readonly row: Row }).row;
}

/** What a row measured, with its words. */
export function partOf(name: string, row: Row, measured: Measured): Part {
  const tables = row.tables.map((shape, index) => ({
    ...shape,
    lines: measured.tables[index] ?? [],
  }));
  return { name, row, measured, tables };
}

/** The page of the benchmarks, in Markdown. */
export async function pageOf(all: AllMeasured): Promise<string> {
  const parts: Part[] = [];
  for (const name of names) {
    const measured = all[name];
    if (measured) parts.push(partOf(name, await loadRow(name), measured));
  }
  return [
    intro,
    notFirst(parts),
    ...parts.flatMap(shownOf).map(sectionOf),
    await method(parts),
  ].join("\n");
}

/** How, when and with which exact versions the rows were measured. */
async function method(parts: readonly Part[]): Promise<string> {
  // The cast: the project's own file.
  const { dependencies } = JSON.parse(
    await readFile(new URL("package.json", import.meta.url), "utf8"),
  ) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const versions = Object.entries(dependencies).map((one) => one.join(" "));
  const runOf = ({ measured: { at, commit, node, machine } }: Part) =>
    `on ${at}${commit === undefined ? "" : ` at commit ${commit}`} with Node ${node}, ${machine}`;
  const measured = [...new Set(parts.map(runOf))].map((run) => {
    const rows = parts.filter((part) => runOf(part) === run).map(({ row }) => row.title);
    return `Measured ${run}: ${rows.join(", ")}.`;
  });
  return `## How it is measured

mediagen and its peers run in turn, in the same run, against the same local server, which speaks as each peer's own service does. Each
client runs in its own process, with its defaults: nothing is set but the URL and a key. A figure is the median of all rounds. A ratio is computed within each round, and the table shows the median of these ratios.
docs/benchmarks.json has the figures of every round, also of tables that this page leaves out.

Versions: ${versions.join(", ")}; of Prism and Ajv those in the project's package.json.

${measured.join("\n\n")}
`;
}

const intro = `---
title: Benchmarks
description: "Size, speed, waiting and lost responses of mediagen and other SDKs, each row measured in one run, and where mediagen is not first."
also: performance speed size comparison
---

What mediagen and other SDKs cost in bytes, time and duplicates, measured in one run on one machine.
`;

/** Every figure in which another client is clearly better than our own. */
function notFirst(parts: readonly Part[]): string {
  const lines = parts.flatMap((part) =>
    part.tables.flatMap((table) =>
      table.columns.flatMap((column) => {
        const { ours, better } = behindOf(table, column);
        const { title } = part.row;
        const place = shownOf(part).length > 0 ? `[${title}](#${slug(title)})` : title;
        return better === ""
          ? []
          : [`| ${place} | ${table.title}: ${column.label} | ${ours} | ${better} |`];
      }),
    ),
  );
  const reasons = parts.flatMap(({ row: { title, notFirst } }) =>
    notFirst && lines.some((line) => line.includes(title)) ? [`- ${title}: ${notFirst}`] : [],
  );
  return [
    "## Where we are not first",
    "",
    "Each line is a figure of one of our entry points, and everything else that is better by more than 5 %.",
    "",
    "| where | figure | ours | better |",
    "|---|---|---:|---|",
    ...lines,
    "",
    ...["Reasons:", "", ...reasons, ""],
  ].join("\n");
}

function behindOf({ lines }: Table, { key, digits = 0, better }: Column) {
  const sign = better === "less" ? 1 : -1;
  const clients = lines
    .filter(({ rounds }) => better !== undefined && rounds.length > 0)
    .map((line) => ({ name: line.name, is: median(line, key) }))
    .sort((one, other) => sign * (one.is - other.is));
  const { true: own = [], false: others = [] } = Object.groupBy(
    clients,
    ({ name }) => `${name.startsWith("@mediagen/")}`,
  );
  type Client = (typeof clients)[number];
  const isBetter = (one: Client, than: Client) => sign * (one.is - than.is * (1 - 0.05 * sign)) < 0;
  const behind = own.filter((than) => others.some((one) => isBetter(one, than)));
  const ahead = others.filter((one) => behind.some((than) => isBetter(one, than)));
  const list = (all: readonly Client[]) =>
    all
      .map(({ name, is }) => `${name.replace("@mediagen/", "")} ${written(is, digits)}`)
      .join(", ");
  return { ours: list(behind), better: list(ahead) };
}

/** What the page shows of a row, if anything. */
function shownOf(part: Part): Part[] {
  const tables = part.tables.filter(({ isDetail }) => !isDetail);
  return tables.length > 0 || hasCharts(part.name) ? [{ ...part, tables }] : [];
}

/** A row in Markdown. */
export function sectionOf({ name, row, tables }: Part): string {
  return [
    `## ${row.title}`,
    "",
    row.what,
    "",
    ...(hasCharts(name) ? [`<!-- charts: ${name} -->`, ""] : []),
    ...tables.flatMap((table) => [`**${table.title}**`, "", ...tableLines(table), ""]),
  ].join("\n");
}

function tableLines({ columns, lines }: Table): string[] {
  const cell = (line: Line, { key, digits = 0 }: Column) => {
    if (line.rounds.length === 0) return "failed";
    return Number.isNaN(median(line, key)) ? "" : written(median(line, key), digits);
  };
  const failures = lines
    .filter(({ failed }) => failed)
    .map(({ name, failed }) => `\n${name} failed: ${failed}`);
  return [
    `| | ${columns.map(({ label }) => label).join(" | ")} |`,
    `|---|${columns.map(() => "---:|").join("")}`,
    ...lines.map(
      (line) => `| ${line.name} | ${columns.map((column) => cell(line, column)).join(" | ")} |`,
    ),
    ...failures,
  ];
}

function written(value: number, digits: number): string {
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
