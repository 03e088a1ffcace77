import { fileURLToPath } from "node:url";
/** What one measurement came to, by name. */
export type Figures = Readonly<Record<string, number>>;

/** A column: which figure, and how it is written. */
export interface Column {
  readonly key: string;
  readonly label: string;
  readonly digits?: number;
}

/** A line: what was measured, its figures round by round, and why it failed where it did. */
export interface Line {
  readonly name: string;
  readonly rounds: readonly Figures[];
  readonly failed?: string;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly lines: readonly Line[];
}

/** What the project wants of one figure of its own, and whether this run showed it. */
export interface Aim {
  readonly what: string;
  readonly figure: number;
  readonly aim: string;
  readonly holds: boolean;
  /** Why it cannot hold, where that is known. */
  readonly note?: string;
}

/** What a row of the benchmarks came to. */
export interface Result {
  readonly tables: readonly Table[];
  readonly aims: readonly Aim[];
}

/** A row of the benchmarks. */
export interface Row {
  readonly title: string;
  /** What is measured, and how. */
  readonly what: string;
  /** What no client can pass. */
  readonly limit: string;
  measure(scale: Scale): Promise<Result>;
}

/** Where this machine has the project: nobody else needs to read that. */
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A number as the row gives it, or much smaller where it is only to be seen that the row runs. */
export type Scale = (count: number) => number;

/** Measures each of several in turn, round by round, so that whatever else the machine does meets them all. */
export async function inTurn(
  names: readonly string[],
  rounds: number,
  measure: (name: string, round: number) => Promise<Figures>,
): Promise<Line[]> {
  const figures = new Map<string, Figures[]>(names.map((name) => [name, []]));
  const failures = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      process.stderr.write(`  round ${round + 1} of ${rounds}: ${name}`);
      const begin = performance.now();
      try {
        figures.get(name)?.push(await measure(name, round));
        process.stderr.write(` (${((performance.now() - begin) / 1_000).toFixed(1)} s)\n`);
      } catch (error) {
        const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
        const reason = first.replaceAll(root, "");
        process.stderr.write(` failed: ${reason}\n`);
        failures.set(name, reason);
      }
    }
  }
  return names.map((name) => {
    const failed = failures.get(name);
    return { name, rounds: figures.get(name) ?? [], ...(failed === undefined ? {} : { failed }) };
  });
}

/** The lines with one more figure: each round's, by that of another line in the same round. */
export function withRatio(lines: readonly Line[], to: string, key: string, ratio: string): Line[] {
  const base = lineOf(lines, to);
  return lines.map((line) => ({
    ...line,
    rounds: line.rounds.map((figures, round) => ({
      ...figures,
      [ratio]: (figures[key] ?? Number.NaN) / (base.rounds[round]?.[key] ?? Number.NaN),
    })),
  }));
}

/** The other lines less one of them, round by round. */
export function without(lines: readonly Line[], name: string): Line[] {
  const base = lineOf(lines, name);
  const less = (figures: Figures, round: number) =>
    Object.fromEntries(
      Object.entries(figures).map(([key, value]) => [key, value - (base.rounds[round]?.[key] ?? Number.NaN)]),
    );
  return lines.filter((line) => line !== base).map((line) => ({ ...line, rounds: line.rounds.map(less) }));
}

export function lineOf(lines: readonly Line[], name: string): Line {
  const line = lines.find((one) => one.name === name);
  if (!line) throw new Error(`nothing was measured of ${name}`);
  return line;
}

export type Wanted = ({ readonly atMost: number } | { readonly atLeast: number }) & Pick<Aim, "note">;

/** Whether a line's median is at most, or at least, what it should be. */
export function aimOf(what: string, line: Line, key: string, wanted: Wanted, unit = ""): Aim {
  const figure = spread(line, key).median;
  const [aim, holds] =
    "atMost" in wanted
      ? [`at most ${wanted.atMost}${unit}`, figure <= wanted.atMost]
      : [`at least ${wanted.atLeast}${unit}`, figure >= wanted.atLeast];
  return {
    what: `${line.name}: ${what}`,
    figure,
    aim,
    holds,
    ...(wanted.note === undefined ? {} : { note: wanted.note }),
  };
}

/** The median of a figure over the rounds, the least and the most. */
export function spread(
  { rounds }: Line,
  key: string,
): { readonly median: number; readonly low: number; readonly high: number } {
  const values = rounds.map((figures) => figures[key] ?? Number.NaN).sort((a, b) => a - b);
  const middle = values.length >> 1;
  const median =
    values.length % 2 === 1
      ? values[middle]
      : ((values[middle - 1] ?? Number.NaN) + (values[middle] ?? Number.NaN)) / 2;
  return { median: median ?? Number.NaN, low: values[0] ?? Number.NaN, high: values.at(-1) ?? Number.NaN };
}

/** A row's part of the page, in Markdown. */
export function markdown({ title, what, limit }: Row, { tables, aims }: Result): string {
  const held = aims.map(({ what: of, figure, aim, holds, note }) => {
    const word = holds ? "holds" : `**missed**${note === undefined ? "" : `: ${note}`}`;
    return `| ${of} | ${written(figure, figure < 10 ? 2 : 0)} | ${aim} | ${word} |`;
  });
  return [
    `## ${title}`,
    "",
    what,
    "",
    `The limit: ${limit}`,
    "",
    ...tables.flatMap((table) => [`### ${table.title}`, "", ...tableLines(table), ""]),
    ...(held.length > 0 ? ["| aim of | this run | aim | |", "|---|---|---|---|", ...held, ""] : []),
  ].join("\n");
}

function tableLines({ columns, lines }: Table): string[] {
  const cell = (line: Line, { key, digits = 0 }: Column) => {
    if (line.rounds.length === 0) return "failed";
    const { median, low, high } = spread(line, key);
    if (Number.isNaN(median)) return "";
    const [middle, least, most] = [median, low, high].map((value) => written(value, digits));
    return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
  };
  const failures = lines.filter(({ failed }) => failed).map(({ name, failed }) => `\n${name} failed: ${failed}`);
  return [
    `| | ${columns.map(({ label }) => label).join(" | ")} |`,
    `|---|${columns.map(() => "---:|").join("")}`,
    ...lines.map((line) => `| ${line.name} | ${columns.map((column) => cell(line, column)).join(" | ")} |`),
    ...failures,
  ];
}

function written(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
