import { setTimeout as sleep } from "node:timers/promises";
import { inChild, watchCpu, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { randomFrom } from "../random.ts";
import { aimOf, type Column, inTurn, lineOf, type Row, spread, type Table, type Wanted } from "../table.ts";
import { endOf, newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly tasks: number;
  readonly round: number;
  readonly maxQueriesInFlight?: number | undefined;
  /** Queries that the process makes before anything is measured. */
  readonly queriesBefore: number;
}

const ours = [nodeSdk, webSdk];
const slowest = "@runwayml/sdk";
const peers = ["replicate", "@fal-ai/client", slowest];
const warm = `${nodeSdk}, warm`;
const youngFlag = "--max-semi-space-size=4";
const young = `${nodeSdk}, ${youngFlag}`;
const manyInFlight = 64;
const queriesOfWarm = 20_000;
const rounds = 3;

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
  what: `Tasks that were generated at once and take 2 to 6 s. Each client waits in its own way. The delay is from the task's end until its wait has resolved. Memory is the peak above what the process had before. openai and lumaai do not wait. With more than 1,000 tasks, mediagen has \`maxQueriesInFlight: ${manyInFlight}\`; otherwise its default, 16. The *warm* line is the same wait in a process that has made ${queriesOfWarm.toLocaleString("en")} queries before. All clients wait in turn, in ${rounds} rounds. The last table has one round, and so has ${slowest} with 10,000 tasks.`,
  limit:
    "one query and no delay, if the end were known. It is not, which costs some 3.6 queries for 0.3 s (see the next row). The server responds at once.",
  notFirst:
    "replicate and @fal-ai/client query every task each 500 ms, on one connection per task. With 1,000 tasks, that is more than twice as many queries as ours, and the last ends are noticed sooner.",
  tables: [
    { title: "1,000 tasks", columns, references: [warm] },
    { title: "10,000 tasks", columns, references: [warm, young] },
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
    const waits = (names: readonly string[], times: number, tasks: number, openFiles?: number) =>
      inTurn(names, scale(times), async (name, round) => {
        await doubles.set({});
        const given: Given = {
          client: [warm, young].includes(name) ? nodeSdk : name,
          base: doubles.base,
          tasks: scale(tasks),
          round,
          maxQueriesInFlight: tasks > 1_000 ? manyInFlight : undefined,
          queriesBefore: name === warm ? scale(queriesOfWarm) : 1,
        };
        const figures = await inChild("waiting", given, {
          ...(openFiles === undefined ? {} : { openFiles }),
          ...(name === young ? { flags: [youngFlag] } : {}),
        });
        const { queries, sockets } = await doubles.seen();
        return { ...figures, queriesPerTask: (queries - given.queriesBefore) / given.tasks, sockets };
      });
    const thousand = await waits([nodeSdk, warm, webSdk, ...peers], rounds, 1_000);
    const others = peers.filter((name) => name !== slowest);
    const many = [
      ...(await waits([nodeSdk, warm, young, webSdk, ...others], rounds, 10_000)),
      ...(await waits([slowest], 1, 10_000)),
    ];
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
      aimOf("queries per task, 1,000 tasks", one, "queriesPerTask", { atMost: 3.7, why: learning }),
      aimOf("p50 of the delay, 1,000 tasks", one, "p50", { atMost: 0.3, unit: " s", why: learning }),
      aimOf("CPU per task, 1,000 tasks", one, "cpuMs", { atMost: 0.9, unit: " ms", ...whyCpu(thousand) }),
      aimOf("mean delay, 10,000 tasks", ten, "delay", { atMost: 0.7, unit: " s", ...whyLate(many) }),
      aimOf("memory, 10,000 tasks", ten, "memoryMb", { atMost: 120, unit: " MB", ...whyMemory(many) }),
      aimOf("sockets, 10,000 tasks", ten, "sockets", {
        atMost: 64,
        why: "64 polls count as in flight. Polls that take several times as long as usual do not count, and keep their sockets.",
      }),
      aimOf("tasks whose end was seen, of 2,000, with 1,024 files", two, "arrived", { atLeast: 2_000 }),
    ];
  },
};

/** A line's median, if the line was measured. */
function medianOf(table: Table | undefined, name: string, key: string): number | undefined {
  const line = table?.lines.find((one) => one.name === name);
  return line && spread(line, key).median;
}

function whyCpu(table: Table | undefined): Partial<Wanted> {
  // Per query, because a warm process is on time more often, and so it queries more often.
  const perQuery = (name: string) => {
    const [cpuMs, queries] = [medianOf(table, name, "cpuMs"), medianOf(table, name, "queriesPerTask")];
    return cpuMs === undefined || queries === undefined ? undefined : cpuMs / queries;
  };
  const [cold, warmed] = [perQuery(nodeSdk), perQuery(warm)];
  const tried = [
    "One sleep per wait in place of a heap: 20 % more CPU at 10,000 waits.",
    "A scheduler without two queues: less CPU, but the delay rose from 0.37 to 0.43 s.",
  ];
  if (cold === undefined || warmed === undefined)
    return { why: "Some 3,000 queries are too few for V8's compiler to be done with them.", tried };
  const share = Math.round((1 - warmed / cold) * 100);
  const compiler = share > 0 ? `V8's compiler takes some ${share} %` : "V8's compiler is not the reason";
  const own = 0.9 / 3.7;
  const rest = warmed > own ? ` The aim leaves ${own.toFixed(2)} ms for each of 3.7 queries.` : "";
  return {
    why: `A query takes ${cold.toFixed(2)} ms of CPU, and ${warmed.toFixed(2)} ms in a process that has made 20,000 before. So ${compiler}.${rest}`,
    tried,
  };
}

function whyLate(table: Table | undefined): Partial<Wanted> {
  const rateOf = (name: string) => {
    const [queries, cpuMs] = [medianOf(table, name, "queriesPerTask"), medianOf(table, name, "cpuMs")];
    return queries === undefined || cpuMs === undefined
      ? undefined
      : (Math.round((queries / cpuMs) * 10) * 100).toLocaleString("en");
  };
  const ofWarm = rateOf(warm);
  const rates = `By its CPU per task, this process sends ${rateOf(nodeSdk)} of them per second${ofWarm === undefined ? "" : `, and ${ofWarm} when it is warm`}.`;
  return { why: `The waits need some 8,000 queries per second. ${rates} So most queries are late.` };
}

function whyMemory(table: Table | undefined): Partial<Wanted> {
  const megabytes = medianOf(table, young, "memoryMb");
  const held =
    "While all wait, a wait holds 2.7 kB of heap after a collection. The rest is garbage of queries, which V8 keeps while there is memory.";
  const less = `With Node's ${youngFlag}, the same waits take ${megabytes?.toFixed(0)} MB. That flag is for the program to set.`;
  return {
    why: megabytes === undefined ? held : `${held} ${less}`,
    tried: ["One sleep per wait in place of a heap: 40 % more memory at 10,000 waits."],
  };
}

export const measurement: Measurement<Given> = async ({
  client: name,
  base,
  tasks,
  round,
  maxQueriesInFlight,
  queriesBefore,
}) => {
  const client = await createClient(name, { base, maxQueriesInFlight });
  // A client that has been used: its code is there, but it has learned nothing of any model's tasks.
  let left = queriesBefore;
  const query = async () => {
    while (left-- > 0) await client.query(newTaskid(0, 0));
  };
  await Promise.all(Array.from({ length: maxQueriesInFlight ?? 16 }, query));
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
