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
  /** Whether the page leaves it out. */
  readonly isDetail?: boolean;
}

export interface Table extends TableShape {
  readonly lines: readonly Line[];
}

/** A row of the benchmarks. Its words can change without another measurement. */
export interface Row {
  readonly title: string;
  /** What is measured, and how. */
  readonly what: string;
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
  const lines = names.map((name): { name: string; rounds: Figures[]; failed?: string } => ({ name, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const line of lines) {
      const { name } = line;
      process.stderr.write(`  round ${round + 1} of ${rounds}: ${name}`);
      const begin = performance.now();
      try {
        line.rounds.push(await measure(name, round));
        process.stderr.write(` (${((performance.now() - begin) / 1_000).toFixed(1)} s)\n`);
      } catch (error) {
        const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
        line.failed = first.replaceAll(root, "");
        process.stderr.write(` failed: ${line.failed}\n`);
      }
    }
  }
  return lines;
}

/** The lines with one more figure: each round's, divided by that of another line in the same round. */
export function withRatio(lines: readonly Line[], to: string, key: string, ratio: string): Line[] {
  const base = lines.find(({ name }) => name === to);
  return lines.map((line) => ({
    ...line,
    rounds: line.rounds.map((figures, round) => ({
      ...figures,
      [ratio]: (figures[key] ?? Number.NaN) / (base?.rounds[round]?.[key] ?? Number.NaN),
    })),
  }));
}

/** So many rounds have quartiles; of fewer, the range is shown. */
const leastForQuartiles = 4;

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
