import { setTimeout as sleep } from "node:timers/promises";
import { inChild, watchCpu, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { randomFrom } from "../random.ts";
import { aimOf, type Column, inTurn, lineOf, type Row } from "../table.ts";
import { endOf, newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly tasks: number;
  readonly round: number;
  readonly maxQueriesInFlight?: number | undefined;
}

const ours = [nodeSdk, webSdk];
const peers = ["replicate", "@fal-ai/client", "@runwayml/sdk"];
const manyInFlight = 64;

const columns: readonly Column[] = [
  { key: "arrived", label: "arrived", better: "more" },
  { key: "queriesPerTask", label: "queries per task", digits: 2, better: "less" },
  { key: "delay", label: "mean delay, s", digits: 2, better: "less" },
  { key: "p50", label: "p50", digits: 2, better: "less" },
  { key: "p99", label: "p99", digits: 2, better: "less" },
  { key: "cpuMs", label: "CPU per task, ms", digits: 2, better: "less" },
  { key: "memoryMb", label: "memory, MB", better: "less" },
  { key: "sockets", label: "sockets", better: "less" },
];

const tried = [
  "One sleep per wait in place of a heap: 20 % more CPU and 40 % more memory at 10,000 waits.",
  "A scheduler without two queues: less CPU, but the delay rose from 0.37 to 0.43 s.",
];

export const row: Row = {
  title: "Waiting",
  what: `Tasks that were generated at once and take 2 to 6 s. Each client waits in its own way. The delay is from the task's end until its wait has resolved. Memory is the peak above what the process had before. openai and lumaai do not wait. With more than 1,000 tasks, mediagen has \`maxQueriesInFlight: ${manyInFlight}\`; otherwise its default, 16. Waits of mediagen are measured in three rounds, those of peers in one, and the last table in one.`,
  limit:
    "one query and no delay, if the end were known. It is not, which costs some 3.6 queries for 0.3 s (see the next row). The server responds at once.",
  notFirst:
    "replicate and @fal-ai/client query every task each 500 ms, on one connection per task. With 1,000 tasks, that is nearly twice as many queries. With 10,000 they are so late that one query finds most tasks finished.",
  tables: [
    { title: "1,000 tasks", columns },
    { title: "10,000 tasks", columns },
    {
      title: "2,000 tasks in a process that may open 1,024 files",
      // What is to be seen is whether all of them arrive.
      columns: columns.map(({ better, ...column }) =>
        column.key === "arrived" ? { ...column, better: "more" } : column,
      ),
    },
  ],
  async measure(scale) {
    const doubles = await startDoubles();
    const waits = (clients: readonly string[], rounds: number, tasks: number, openFiles?: number) =>
      inTurn(clients, scale(rounds), async (client, round) => {
        await doubles.set({});
        const maxQueriesInFlight = tasks > 1_000 ? manyInFlight : undefined;
        const given: Given = { client, base: doubles.base, tasks: scale(tasks), round, maxQueriesInFlight };
        const figures = await inChild("waiting", given, openFiles === undefined ? {} : { openFiles });
        const { queries, sockets } = await doubles.seen();
        return { ...figures, queriesPerTask: queries / given.tasks, sockets };
      });
    const thousand = [...(await waits(ours, 3, 1_000)), ...(await waits(peers, 1, 1_000))];
    const many = [...(await waits(ours, 3, 10_000)), ...(await waits(peers, 1, 10_000))];
    const narrow = await waits([...ours, ...peers], 1, 2_000, 1_024);
    doubles.stop();
    return [thousand, many, narrow];
  },
  aims([thousand, many, narrow]) {
    const [one, ten, two] = [thousand, many, narrow].map((table) => lineOf(table?.lines, nodeSdk));
    if (!one || !ten || !two) return [];
    const learning =
      "The client knows nothing of the model when it begins. The next row shows what the rule reaches when it knows.";
    return [
      aimOf("queries per task, 1,000 tasks", one, "queriesPerTask", { atMost: 3.7, why: learning, tried }),
      aimOf("p50 of the delay, 1,000 tasks", one, "p50", { atMost: 0.3, unit: " s", why: learning, tried }),
      aimOf("CPU per task, 1,000 tasks", one, "cpuMs", {
        atMost: 0.9,
        unit: " ms",
        why: "Some 3,000 queries are too few for V8's compiler to be done with them: in the row on queries, that takes 20,000.",
        tried,
      }),
      aimOf("mean delay, 10,000 tasks", ten, "delay", {
        atMost: 0.7,
        unit: " s",
        why: "The waits need some 8,000 queries per second. One core of this machine sends some 1,300 in a fresh process, so that the queries are late.",
        tried,
      }),
      aimOf("memory, 10,000 tasks", ten, "memoryMb", {
        atMost: 120,
        unit: " MB",
        why: "A wait holds 3 kB. The rest is garbage of queries, which V8 keeps while there is memory.",
        tried,
      }),
      aimOf("sockets, 10,000 tasks", ten, "sockets", {
        atMost: 64,
        why: "At most 64 polls are in flight. One that takes too long is aborted, and its socket may still be closing when the next one opens.",
      }),
      aimOf("arrived of 2,000 tasks, with 1,024 files", two, "arrived", { atLeast: 2_000 }),
    ];
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, tasks, round, maxQueriesInFlight }) => {
  const client = await createClient(name, { base, maxQueriesInFlight });
  // A client that has been used: its code is there, but it has learned nothing of any model's tasks.
  await client.query(newTaskid(0, 0));
  const random = randomFrom(round + 1);
  const now = Date.now();
  const taskids = Array.from({ length: tasks }, () => newTaskid(now, 2_000 + 4_000 * random()));
  const [cpu, memory] = [watchCpu(), watchMemory()];
  const delays: number[] = [];
  const wait = async (taskid: string) => {
    await client.wait?.(taskid);
    delays.push(Date.now() - endOf(taskid));
  };
  const all = Promise.allSettled(taskids.map(wait));
  // Some never answer where they run out of sockets.
  await Promise.race([all, sleep(60_000)]);
  delays.sort((a, b) => a - b);
  const at = (share: number) => (delays[Math.floor(delays.length * share)] ?? Number.NaN) / 1_000;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length / 1_000;
  return {
    arrived: delays.length,
    delay: mean,
    p50: at(0.5),
    p99: at(0.99),
    cpuMs: cpu() / 1_000 / tasks,
    memoryMb: memory(),
  };
};
