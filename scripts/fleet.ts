import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type EngineName, engines, type Figures, measure, type Section } from "../test/fleet/figures.ts";
import { pageOf } from "../test/fleet/page.ts";

const [kept, page] = ["docs/fleet.json", "docs/fleet.md"];
const sections: readonly Section[] = ["rates", "unknown", "storage"];
// The cast: `Object.keys` returns strings.
const names = Object.keys(engines) as readonly EngineName[];

/**
 * Measures workers on real queues, and writes the figures into the tables of the guide, next to earlier ones. Without options,
 * it measures everything. `--engine` and `--section` select a part, `--orders` sets the number of orders.
 * With `--try` nothing is written. With `--page`, it only writes the tables, from earlier figures.
 */
export default async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engine: { type: "string" },
      section: { type: "string" },
      orders: { type: "string" },
      try: { type: "boolean", default: false },
      page: { type: "boolean", default: false },
    },
  });
  const from = performance.now();
  const figures = await readKept();
  if (values.page) return writeFile(page, pageOf(figures));
  for (const section of choose("section", sections, values.section)) {
    for (const name of choose("engine", names, values.engine)) {
      const print = (line: string) =>
        console.error(`${((performance.now() - from) / 1_000).toFixed(0).padStart(4)} s  ${name} ${section}: ${line}`);
      const orders = values.orders === undefined ? undefined : Number(values.orders);
      const measured = await measure[section]({ name, orders, print });
      Object.assign(figures[section], { [name]: measured });
      console.log(pageOf({ rates: {}, storage: {}, unknown: {}, [section]: { [name]: measured } }));
      if (values.try) continue;
      await writeFile(kept, `${JSON.stringify(figures, undefined, 1)}\n`);
      await writeFile(page, pageOf(figures));
    }
  }
}

async function readKept(): Promise<Figures> {
  const empty: Figures = { rates: {}, storage: {}, unknown: {} };
  const text = await readFile(kept, "utf8").catch(() => "{}");
  // The cast: this program has written it.
  return { ...empty, ...(JSON.parse(text) as Partial<Figures>) };
}

function choose<Name extends string>(
  option: string,
  all: readonly Name[],
  wanted: string | undefined,
): readonly Name[] {
  const chosen = all.filter((name) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw new TypeError(`fleet: there is no ${option} ${wanted}; there are ${all.join(", ")}`);
  return chosen;
}
