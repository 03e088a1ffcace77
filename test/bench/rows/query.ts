import { Session } from "node:inspector/promises";
import { inChild, type Measurement, takeTurns, type TurnTaker, type TurnTaking, watchCpu } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { inTurn, joined, type Line, type Row, type TableShape, withRatio } from "../table.ts";
import { newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
}

interface Warm extends Given {
  /** Calls before anything is measured. */
  readonly warmUp: number;
}

/** A turn: so many calls, so many at once. */
interface Turn {
  readonly atOnce: number;
  readonly calls: number;
  /** Measures what they allocate in place of the time that they take. */
  readonly allocation?: true;
}

const fetched = "raw fetch";
const references = [fetched, "raw fetch, GET", "undici.request", "node:http", "a bare socket"];
const names = [...references, webSdk, nodeSdk, "replicate", "@fal-ai/client", "@runwayml/sdk", "lumaai", "openai"];
const many = 64;
const cold = 100;
/** CPU a call falls until then: measured in steps of 2,500 calls, for raw fetch, node:http and both of ours. */
const warmUp = 20_000;

const warmTable = (atOnce: string): TableShape => ({
  title: `Warm, ${atOnce}`,
  columns: [
    { key: `${atOnce} perSecond`, label: "calls/s", better: "more" },
    { key: `${atOnce} ratio`, label: "times raw fetch", digits: 2 },
    { key: `${atOnce} cpuMicros`, label: "CPU per call, µs", better: "less" },
  ],
  references,
});

const oneByOne = warmTable("one by one");

export const row: Row = {
  title: "A query",
  what: `Queries through each client, and through what the clients stand on. The cold calls are the first ${cold} of a fresh process, one by one. For the warm calls, each process first makes ${warmUp.toLocaleString("en")}: after them, CPU per call no longer falls for the four clients that we checked. Then the processes take turns in short bursts. *Times raw fetch* is a client's calls/s divided by those of raw fetch in the same round. A query of mediagen is a POST, like the raw fetch that it is compared with; the peers' are GETs. CPU is the client's own. Allocation is what V8's sampling profiler saw on the heap.`,
  limit: "a bare socket that writes one string and reads one. The server, which is node:http, uses the other core.",
  notFirst:
    "the peers query with GET, which needs no body. With raw fetch, too, GET is faster than POST, as the first two lines show.",
  tables: [
    warmTable(`${many} at once`),
    {
      ...oneByOne,
      columns: [{ key: "one by one micros", label: "latency, µs" }, ...oneByOne.columns],
    },
    {
      title: `Cold: the first ${cold} calls of a process, one by one`,
      columns: [
        { key: "loadedMs", label: "import and first call, ms", digits: 1, better: "less" },
        { key: "firstMs", label: "first call, ms", digits: 1, better: "less" },
        { key: "coldMs", label: `all ${cold}, ms`, better: "less" },
        { key: "coldCpuMs", label: "CPU, ms", better: "less" },
      ],
      references,
    },
    {
      title: "Allocation, warm",
      columns: [{ key: "allocatedKb", label: "kB per call", digits: 1, better: "less" }],
      references,
    },
  ],
  async measure(scale) {
    const doubles = await startDoubles();
    const { base } = doubles;
    const cold = await inTurn(names, scale(9), (client) => inChild("query", { client, base } satisfies Given));
    const [atOnce, single, allocation]: [Line[][], Line[][], Line[][]] = [[], [], []];
    for (let processes = scale(2); processes > 0; processes--) {
      const clients = await startAll({ base, warmUp: scale(warmUp) });
      const ask = (rounds: number, turn: Turn) =>
        inTurn(names, scale(rounds), async (client) => (await clients.get(client))?.ask(turn) ?? {});
      atOnce.push(await ask(8, { atOnce: many, calls: scale(1_200) }));
      single.push(await ask(8, { atOnce: 1, calls: scale(500) }));
      allocation.push(await ask(2, { atOnce: many, calls: scale(2_000), allocation: true }));
      for (const client of clients.values()) await client.then(({ stop }) => stop()).catch(() => undefined);
    }
    doubles.stop();
    return [warmLines(`${many} at once`, atOnce), warmLines("one by one", single), cold, joined(allocation)];
  },
};

/** Starts a process for each client, one after the other, so that nothing disturbs its warm-up. */
async function startAll(given: Omit<Warm, "client">): Promise<ReadonlyMap<string, Promise<TurnTaker<Turn>>>> {
  const clients = new Map<string, Promise<TurnTaker<Turn>>>();
  for (const client of names) {
    process.stderr.write(`  warm-up: ${client}\n`);
    const started = takeTurns<Turn>("query", { ...given, client } satisfies Warm);
    clients.set(client, started);
    // Its turns report why it has not started.
    await started.catch(() => undefined);
  }
  return clients;
}

function warmLines(title: string, parts: readonly (readonly Line[])[]): Line[] {
  const lines = joined(parts).map((line) => ({
    ...line,
    rounds: line.rounds.map(({ perSecond = Number.NaN, cpuMicros = Number.NaN }) => ({
      [`${title} micros`]: 1e6 / perSecond,
      [`${title} perSecond`]: perSecond,
      [`${title} cpuMicros`]: cpuMicros,
    })),
  }));
  return withRatio(lines, fetched, `${title} perSecond`, `${title} ratio`);
}

/** The first calls of a process. */
export const measurement: Measurement<Given> = async ({ client: name, base }) => {
  const begin = performance.now();
  const client = await createClient(name, { base });
  const taskid = newTaskid(0, 0);
  const call = () => client.query(taskid);
  const coldCpu = watchCpu();
  const firstMs = await load(call, 1, 1);
  const loadedMs = performance.now() - begin;
  const coldMs = firstMs + (await load(call, 1, cold - 1));
  return { loadedMs, firstMs, coldMs, coldCpuMs: coldCpu() / 1_000 };
};

/** The calls of a process that has made many. */
export const turns: TurnTaking<Warm, Turn> = async ({ client: name, base, warmUp }) => {
  const client = await createClient(name, { base });
  const taskid = newTaskid(0, 0);
  const call = () => client.query(taskid);
  await load(call, many, warmUp);
  await load(call, 1, warmUp / 10);
  return async ({ atOnce, calls, allocation }) => {
    // Connections may have been closed since the last turn.
    await load(call, atOnce, Math.max(atOnce, calls / 10));
    if (allocation) return { allocatedKb: await allocated(call, calls) };
    const cpu = watchCpu();
    const tookMs = await load(call, atOnce, calls);
    return { perSecond: (calls / tookMs) * 1_000, cpuMicros: cpu() / calls };
  };
};

/** Calls so often, so many at once, and resolves to the milliseconds that it took. */
async function load(call: () => Promise<unknown>, atOnce: number, count: number): Promise<number> {
  const begin = performance.now();
  let left = count;
  const one = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return performance.now() - begin;
}

/** What each of some calls allocates on the heap, in kB: also what was collected in the meantime. */
async function allocated(call: () => Promise<unknown>, count: number): Promise<number> {
  const session = new Session();
  session.connect();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval: 4_096, ...all });
  await load(call, many, count);
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  type Node = typeof profile.head;
  const bytes = ({ selfSize, children }: Node): number => children.reduce((sum, child) => sum + bytes(child), selfSize);
  return bytes(profile.head) / count / 1_024;
}
