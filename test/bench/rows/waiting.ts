import { setTimeout as sleep } from "node:timers/promises";
import { inChild, watchCpu, watchMemory, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { randomFrom, startDoubles } from "../doubles.ts";
import { aimOf, inTurn, lineOf, type Row, type Table } from "../table.ts";
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

export const row: Row = {
  title: "Waiting",
  what: `Tasks that were generated at once and take 2 to 6 s, each waited for by the client's own waiting. The delay is from the task's end until its wait has answered; memory is the peak above what the process had before. openai and lumaai have no waiting. With more than 1,000 tasks, ours has maxQueriesInFlight: ${manyInFlight}; else what it has by default, 16. Each wait of ours is measured in three rounds, those of peers in one, and of all in one where files are few.`,
  limit:
    "a query and no delay if the end were known; not knowing it, some 3.4 queries for 0.3 s (see the row on intervals). The server answers some 20,000 queries a second.",
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
    const columns = [
      { key: "arrived", label: "arrived" },
      { key: "queriesPerTask", label: "queries a task", digits: 2 },
      { key: "delay", label: "mean delay, s", digits: 2 },
      { key: "p50", label: "p50", digits: 2 },
      { key: "p99", label: "p99", digits: 2 },
      { key: "cpuMs", label: "CPU a task, ms", digits: 2 },
      { key: "memoryMb", label: "memory, MB" },
      { key: "sockets", label: "sockets" },
    ];
    const thousand = [...(await waits(ours, 3, 1_000)), ...(await waits(peers, 1, 1_000))];
    const many = [...(await waits(ours, 3, 10_000)), ...(await waits(peers, 1, 10_000))];
    const narrow = await waits([...ours, ...peers], 1, 2_000, 1_024);
    doubles.stop();
    const tables: Table[] = [
      { title: "1,000 tasks", columns, lines: thousand },
      { title: "10,000 tasks", columns, lines: many },
      { title: "2,000 tasks where a process may open 1,024 files", columns, lines: narrow },
    ];
    const [one, ten, two] = [lineOf(thousand, nodeSdk), lineOf(many, nodeSdk), lineOf(narrow, nodeSdk)];
    return {
      tables,
      aims: [
        aimOf("queries a task, 1,000 tasks", one, "queriesPerTask", { atMost: 4 }),
        aimOf(
          "mean delay, 1,000 tasks",
          one,
          "delay",
          {
            atMost: 0.25,
            note: "nothing is known of the model when it begins; with the distribution known the rule itself comes to 0.29 s at 3.7 queries (see the next row)",
          },
          " s",
        ),
        aimOf(
          "CPU a task, 1,000 tasks",
          one,
          "cpuMs",
          {
            atMost: 0.7,
            note: "3,300 calls are too few for the compiler to be done with them: at 10,000 tasks it is below the aim",
          },
          " ms",
        ),
        aimOf(
          "mean delay, 10,000 tasks",
          ten,
          "delay",
          {
            atMost: 0.3,
            note: "with 5,000 tasks unfinished in the mean it asks for some 8,000 queries a second, and one core sends half of that",
          },
          " s",
        ),
        aimOf(
          "memory, 10,000 tasks",
          ten,
          "memoryMb",
          {
            atMost: 120,
            note: "a wait holds 3 kB; the rest is garbage of queries, which V8 lets stand while there is memory",
          },
          " MB",
        ),
        aimOf("sockets, 10,000 tasks", ten, "sockets", { atMost: 64 }),
        aimOf("arrived of 2,000 tasks, with 1,024 files", two, "arrived", { atLeast: scale(2_000) }),
      ],
    };
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
