import { setTimeout as sleep } from "node:timers/promises";
import { inChild, watchCpu, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { endOf, newTaskid, startDoubles } from "../doubles.ts";
import { randomFrom } from "../random.ts";
import { type Column, inTurn, type Line, type Row } from "../table.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly tasks: number;
  readonly round: number;
  readonly maxQueriesInFlight?: number | undefined;
}

const names = [nodeSdk, webSdk, "replicate", "@fal-ai/client", "@runwayml/sdk"];
const counts = [1_000, 10_000];
const manyInFlight = 64;

const columns: readonly Column[] = [
  { key: "arrived", label: "tasks whose end was seen", better: "more" },
  { key: "queriesPerTask", label: "queries per task", digits: 2, better: "less" },
  { key: "delay", label: "mean delay, s", digits: 2, better: "less" },
  { key: "p50", label: "p50", digits: 2, better: "less" },
  { key: "p99", label: "p99", digits: 2, better: "less" },
  { key: "cpuMs", label: "CPU per task, ms", digits: 2, better: "less" },
  { key: "memoryMb", label: "memory, MB", better: "less" },
  { key: "sockets", label: "sockets", better: "less" },
];

export const row: Row = {
  title: "Waiting",
  what: "Tasks that were generated at once and take 2 to 6 s. The delay is from the task's end until its wait has resolved.",
  notFirst:
    "replicate and @fal-ai/client query every task each 500 ms, on one connection per task. That is more than twice as many queries as ours, and ends are noticed sooner. @runwayml/sdk queries less often, and notices ends after seconds.",
  tables: counts.map((count, index) => ({
    title: `${count.toLocaleString("en")} tasks${count > 1_000 ? `, with \`maxQueriesInFlight: ${manyInFlight}\`` : ""}`,
    columns,
    isDetail: index > 0,
  })),
  async measure(scale) {
    const doubles = await startDoubles();
    const tables: Line[][] = [];
    for (const count of counts) {
      const tasks = scale(count);
      const maxQueriesInFlight = count > 1_000 ? manyInFlight : undefined;
      const measureOne = async (client: string, round: number) => {
        await doubles.set({});
        const given: Given = { client, base: doubles.base, tasks, round, maxQueriesInFlight };
        const figures = await inChild("waiting", given);
        const { queries, sockets } = await doubles.seen();
        return { ...figures, queriesPerTask: (queries - 1) / tasks, sockets };
      };
      // The peers query so often that more tasks would measure the server.
      tables.push(
        await inTurn(names.slice(0, count > 1_000 ? 2 : undefined), scale(3), measureOne),
      );
    }
    doubles.stop();
    return tables;
  },
};

export const measurement: Measurement<Given> = async ({
  client: name,
  base,
  tasks,
  round,
  maxQueriesInFlight,
}) => {
  const client = await createClient(name, { base, maxQueriesInFlight });
  // A client that has been used: its code is there, but it has learned nothing of any model's
  // tasks.
  await client.query?.(newTaskid(0, 0));
  const random = randomFrom(round + 1);
  const now = Date.now();
  const taskids = Array.from({ length: tasks }, () => newTaskid(now, 2_000 + 4_000 * random()));
  const cpu = watchCpu();
  const memory = watchMemory();
  const delays: number[] = [];
  const wait = async (taskid: string) => {
    await client.wait?.(taskid);
    delays.push(Date.now() - endOf(taskid));
  };
  const all = Promise.allSettled(taskids.map(wait));
  // Some waits never end where they run out of sockets.
  await Promise.race([all, sleep(60_000)]);
  delays.sort((a, b) => a - b);
  const at = (share: number) => (delays[Math.floor(delays.length * share)] ?? Number.NaN) / 1_000;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length / 1_000;
  const figures = { arrived: delays.length, delay: mean, p50: at(0.5), p99: at(0.99) };
  return { ...figures, cpuMs: cpu() / tasks, memoryMb: memory() };
};
