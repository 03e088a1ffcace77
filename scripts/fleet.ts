import { writeFile } from "node:fs/promises";
import { measureFleets } from "../test/fleet/figures.ts";

const file = "docs/fleet.md";

/** Measures fleets of workers on real queues, and writes what they did into the table that the guide shows. */
export default async function run([orders = "2000"]: readonly string[]): Promise<void> {
  const table = await measureFleets({ orders: Number(orders), print: (line) => console.error(line) });
  await writeFile(file, table);
  console.log(`${table}\n${file} is written`);
}
