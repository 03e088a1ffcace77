import { waitsUnder } from "../../sdk/hanging-polls.ts";
import { aimOf, type Line, lineOf, type Row } from "../table.ts";

const rounds = 3;

/** What goes wrong, as shares of all queries. */
const troubles = {
  none: { faults: 0, hanging: 0 },
  "1 % hang": { faults: 0, hanging: 0.01 },
  "5 % hang": { faults: 0, hanging: 0.05 },
} as const;
const troublesAmongFaults = {
  "30 % fail": { faults: 0.3, hanging: 0 },
  "30 % fail, 5 % hang": { faults: 0.3, hanging: 0.05 },
} as const;

const counts = [1_000, 5_000];

export const row: Row = {
  title: "Queries that hang",
  what: `mediagen's waiting in virtual time, in ${rounds} rounds: tasks that were generated at once and take 2 to 6 s. The service responds to a query after 50 ms, fails with a reset or HTTP 500, or never responds. 16 queries are in flight, and more while some hang. The ratios compare with the same waits when no query hangs.`,
  limit: "the waits of which no query hangs.",
  tables: counts.map((count) => ({
    title: `${count.toLocaleString("en")} waits`,
    columns: [
      { key: "done", label: "all done, s", digits: 1 },
      { key: "doneRatio", label: "ratio", digits: 2 },
      { key: "p50", label: "p50 of the delay, s", digits: 2 },
      { key: "p50Ratio", label: "ratio", digits: 2 },
      { key: "p99", label: "p99", digits: 2 },
      { key: "queries", label: "queries per task", digits: 2 },
      { key: "inFlight", label: "most in flight" },
    ],
  })),
  async measure(scale) {
    const tables: Line[][] = [];
    for (const count of counts) {
      const lines: Line[] = [];
      for (const group of [troubles, troublesAmongFaults])
        lines.push(...(await measureGroup(group, scale(count), scale(rounds))));
      tables.push(lines);
    }
    return tables;
  },
  aims([thousand, many]) {
    return [
      aimOf("p50 of the delay, 1,000 waits, ratio", lineOf(thousand?.lines, "5 % hang"), "p50Ratio", { atMost: 2 }),
      aimOf("all done, 5,000 waits, ratio", lineOf(many?.lines, "30 % fail, 5 % hang"), "doneRatio", { atMost: 2 }),
    ];
  },
};

/** Measures each trouble of a group. The first of them is the one that the ratios are to. */
async function measureGroup(
  group: Readonly<Record<string, Parameters<typeof waitsUnder>[1]>>,
  count: number,
  times: number,
): Promise<Line[]> {
  const lines = new Map<string, Line["rounds"][number][]>(Object.keys(group).map((name) => [name, []]));
  for (let round = 0; round < times; round++) {
    let base: Awaited<ReturnType<typeof waitsUnder>> | undefined;
    for (const [name, trouble] of Object.entries(group)) {
      const outcome = await waitsUnder(count, trouble, 10 * round + 1);
      base ??= outcome;
      lines.get(name)?.push({
        done: outcome.allDone / 1_000,
        doneRatio: outcome.allDone / base.allDone,
        p50: outcome.p50 / 1_000,
        p50Ratio: outcome.p50 / base.p50,
        p99: outcome.p99 / 1_000,
        queries: outcome.queriesPerTask,
        inFlight: outcome.mostInFlight,
      });
    }
  }
  return [...lines].map(([name, measured]) => ({ name, rounds: measured }));
}
