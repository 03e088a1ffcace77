/** What one measurement came to, by name. */
export type Figures = Readonly<Record<string, number>>;

/**
 * A column: which figure, how it is written, and which way is better, if clients are compared by
 * it.
 */
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
  readonly failed?: string | undefined;
}

/** What a table shows. The lines are measured. */
export interface TableShape {
  readonly title: string;
  readonly columns: readonly Column[];
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

/** A number as the row gives it, or much smaller if the run only shows that the row works. */
export type Scale = (count: number) => number;

/**
 * Measures each of several in turn, round by round, so that whatever else the machine does meets
 * them all.
 */
export async function inTurn(
  names: readonly string[],
  rounds: number,
  measure: (name: string, round: number) => Promise<Figures>,
): Promise<Line[]> {
  const lines = names.map(
    (name): { name: string; rounds: Figures[]; failed?: string | undefined } => ({
      name,
      rounds: [],
    }),
  );
  for (let round = 0; round < rounds; round++) {
    for (const line of lines) {
      const { name } = line;
      console.error(`  round ${round + 1} of ${rounds}: ${name}`);
      try {
        line.rounds.push(await measure(name, round));
      } catch (error) {
        [line.failed] = String(error).split("\n");
        console.error(`  failed: ${line.failed}`);
      }
    }
  }
  return lines;
}

/**
 * The lines with one more figure: each round's, divided by that of another line in the same round.
 */
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

/** The median of a figure over the rounds. */
export function median({ rounds }: Line, key: string): number {
  const values = rounds.map((figures) => figures[key] ?? Number.NaN).sort((a, b) => a - b);
  const below = values[(values.length - 1) >> 1] ?? Number.NaN;
  const above = values[values.length >> 1] ?? Number.NaN;
  return (below + above) / 2;
}
