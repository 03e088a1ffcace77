import { cpus } from "node:os";
import type { GenerationRecord, TaskJSON } from "@mediagen/sdk/node";
import { startBullmq, startPgBoss, type Cost, type Engine } from "./engines.ts";
import { createOrders, runFleet } from "./fleet.ts";

/** How many orders each figure is of. */
export interface FigureOptions {
  readonly orders: number;
  readonly print: (line: string) => void;
}

/** A quiet fleet without faults that may send as fast as it can. */
const quiet = { perSecond: 2_000, faultyShare: 0, kill: false };
const rough = { perSecond: 100, faultyShare: 0.1, kill: true };

/** Measures fleets on both engines, and answers what they did as Markdown tables. */
export async function measureFleets({ orders, print }: FigureOptions): Promise<string> {
  const columns = [
    await measure(startBullmq, "BullMQ", orders, print),
    await measure(startPgBoss, "pg-boss", orders, print),
  ];
  const [first = []] = columns;
  const rows = first.map(
    ([what], index) => `| ${what} | ${columns.map((column) => column[index]?.[1] ?? "").join(" | ")} |`,
  );
  const machine = `${cpus().length} cores for everything (workers, queue, emulated service), Node ${process.versions.node}, ${orders} orders for each figure.`;
  return [`| | BullMQ on Redis | pg-boss on PostgreSQL |`, "|---|---|---|", ...rows, "", machine, ""].join("\n");
}

async function measure(
  start: () => Promise<Engine>,
  name: string,
  orders: number,
  print: (line: string) => void,
): Promise<readonly (readonly [string, string])[]> {
  const told = (line: string) => print(`${name}: ${line}`);
  const rows: [string, string][] = [];
  for (const workers of [1, 2, 4]) {
    await using engine = await start();
    const before = await engine.cost();
    const report = await runFleet(engine, { ...quiet, orders, workers, print: told });
    const after = await engine.cost();
    rows.push([
      `Orders in a second, ${workers === 1 ? "1 worker" : `${workers} workers`}`,
      (orders / report.seconds).toFixed(0),
    ]);
    if (workers < 4) continue;
    const each = (figure: keyof Cost) => (after[figure] - before[figure]) / orders;
    rows.push(["Queries for an order", report.queriesPerOrder.toFixed(1)]);
    rows.push([
      "Requests to the queue's server for an order: commands, those of scripts too; transactions",
      each("requests").toFixed(1),
    ]);
    rows.push(["Bytes written to its log for an order", size(each("logBytes"))]);
  }
  {
    await using engine = await start();
    const tasks = createOrders(orders).map(({ id }) => ({ id, task: taskOf(id) }));
    const grows = async (what: string, fill: () => Promise<void>) => {
      const { bytes } = await engine.cost();
      await fill();
      rows.push([`Bytes held for ${what}`, size(((await engine.cost()).bytes - bytes) / orders)]);
    };
    await grows("an order that waits", () => engine.submit(createOrders(orders)));
    await grows("a check that is due later", () => engine.park(tasks));
    await grows("a record with its task", async () => {
      for (const { id, task } of tasks) await engine.store.write(recordOf(id, task));
    });
  }
  await using engine = await start();
  const { unknown, unknownPaid, kills, seconds } = await runFleet(engine, {
    ...rough,
    orders,
    workers: 4,
    print: told,
  });
  rows.push([
    "Unknown, with a tenth of all calls faulty and a worker killed every second",
    `${((100 * unknown) / orders).toFixed(1)} % (${kills} kills in ${seconds.toFixed(0)} s)`,
  ]);
  rows.push(["Of these, paid", `${((100 * unknownPaid) / Math.max(1, unknown)).toFixed(0)} %`]);
  return rows;
}

function taskOf(id: string): TaskJSON {
  const taskid = `image-${id}`;
  return {
    version: 2,
    kind: "image",
    model: "imgmodelz",
    taskid,
    origin: "https://media.example.com",
    resultCount: 1,
    createdAt: Date.now(),
  };
}

function recordOf(order: string, task: TaskJSON): GenerationRecord {
  const { kind, origin, resultCount } = task;
  const facts = { kind, origin, resultCount, model: "imgmodelz", digest: "0".repeat(64), idempotencyKey: order };
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  const attempt = crypto.randomUUID();
  return { version: 1, id: crypto.randomUUID(), revision: 1, attempt, state: "created", ...facts, ...times, task };
}

function size(bytes: number): string {
  return bytes < 1_000 ? `${bytes.toFixed(0)} B` : `${(bytes / 1_000).toFixed(1)} kB`;
}
