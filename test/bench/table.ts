import { fileURLToPath } from "node:url";

/** What one measurement came to, by name. */
export type Figures = Readonly<Record<string, number>>;

/** A column: which figure, how it is written, and which way is better, if clients are compared by it. */
export interface Column {
  readonly key: string;
  readonly label: string;
  readonly digits?: number;
  readonly better?: "less" | "more";
}

/** A line: what was measured, its figures round by round, and why it failed, if it did. */
export interface Line {
  readonly name: string;
  readonly rounds: readonly Figures[];
  readonly failed?: string;
}

/** What a table shows. The lines are measured. */
export interface TableShape {
  readonly title: string;
  readonly columns: readonly Column[];
  /** Lines that are no clients: what clients stand on, or a part of ours. They are not compared with ours. */
  readonly references?: readonly string[];
}

export interface Table extends TableShape {
  readonly lines: readonly Line[];
}

/** A row of the benchmarks. Its words can change without another measurement. */
export interface Row {
  readonly title: string;
  /** What is measured, and how. */
  readonly what: string;
  /** What no client can pass. */
  readonly limit: string;
  /** Why others are better in some figures. */
  readonly notFirst?: string;
  readonly tables: readonly TableShape[];
  /** Measures the lines of each table. */
  measure(scale: Scale): Promise<readonly (readonly Line[])[]>;
}

/** Where this machine has the project: nobody else needs to read that. */
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A number as the row gives it, or much smaller if the run only shows that the row works. */
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

/** The lines with one more figure: each round's, divided by that of another line in the same round. */
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

/** Lines that were measured at several times as one list, with the rounds of each name after another. */
export function joined(parts: readonly (readonly Line[])[]): Line[] {
  const names = [...new Set(parts.flatMap((lines) => lines.map(({ name }) => name)))];
  return names.map((name) => {
    const all = parts.flatMap((lines) => lines.filter((line) => line.name === name));
    const failed = all.find((line) => line.failed !== undefined)?.failed;
    return { name, rounds: all.flatMap(({ rounds }) => rounds), ...(failed === undefined ? {} : { failed }) };
  });
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

/** A title within a sentence. */
export function inSentence(title: string): string {
  return `${title[0]?.toLowerCase()}${title.slice(1)}`;
}

/** A line of a table, by its name. */
export function lineOf(lines: readonly Line[] | undefined, name: string): Line {
  const line = lines?.find((one) => one.name === name);
  if (!line) throw new Error(`nothing was measured of ${name}`);
  return line;
}

/** So many rounds have quartiles; of fewer, the range is shown. */
export const leastForQuartiles = 4;

/** The median of a figure over the rounds, and its quartiles, or its range if the rounds are few. */
export function spread(
  { rounds }: Line,
  key: string,
): { readonly median: number; readonly low: number; readonly high: number } {
  const values = rounds.map((figures) => figures[key] ?? Number.NaN).sort((a, b) => a - b);
  const at = (share: number) => {
    const place = (values.length - 1) * share;
    const [below = Number.NaN, above = Number.NaN] = [values[Math.floor(place)], values[Math.ceil(place)]];
    return below + (above - below) * (place % 1);
  };
  const beyond = values.length < leastForQuartiles ? 0 : 0.25;
  return { median: at(0.5), low: at(beyond), high: at(1 - beyond) };
}
