import { Session } from "node:inspector/promises";
import { inChild, watchCpu, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { aimOf, inTurn, lineOf, withRatio, type Row, type TableShape, type Wanted } from "../table.ts";
import { newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  /** Calls before anything warm is measured, and calls of each measurement. */
  readonly warmUp: number;
  readonly calls: number;
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
    { key: `${atOnce} ratio`, label: "raw fetch = 1", digits: 2 },
    { key: `${atOnce} cpuMicros`, label: "CPU per call, µs", better: "less" },
  ],
  references,
});

const oneByOne = warmTable("one by one");

const nodeMiss = {
  why: "On this machine node:http itself does not reach the aim for 64 at once. What ours takes beyond it is evidence of what was sent, a bounded reading of the response, timeouts, and checks of request and response.",
  tried: [
    "Reading the response in another way: no difference in 15 paired rounds.",
    "A Headers object or plain headers: no difference either.",
  ],
};
const plainMiss = {
  why: "It uses the same fetch, whose `signal` alone costs 10 to 12 %. The checks, timeouts and the bounded reading of the response come on top.",
  tried: nodeMiss.tried,
};

export const row: Row = {
  title: "A query",
  what: `Queries through each client, and through what the clients stand on. Each fresh process makes ${cold} calls one by one, which are the cold ones. Then it makes ${warmUp.toLocaleString("en")} calls, after which the compiler is done, and then the warm ones. A query of mediagen is a POST, like the raw fetch that it is compared with; the peers' are GETs. CPU is the client's own. Allocation is what V8's sampling profiler saw on the heap.`,
  limit: "a bare socket that writes one string and reads one. The server, which is node:http, uses the other core.",
  notFirst:
    "the peers query with GET, which needs no body. With raw fetch, that is half as fast again as the POST of this service.",
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
    const lines = await inTurn(names, scale(3), (client) => {
      const given: Given = { client, base: doubles.base, warmUp: scale(warmUp), calls: scale(10_000) };
      return inChild("query", given);
    });
    doubles.stop();
    const compared = [`${many} at once`, "one by one"].reduce(
      (all, atOnce) => withRatio(all, fetched, `${atOnce} perSecond`, `${atOnce} ratio`),
      lines,
    );
    const picked = (keys: readonly string[]) =>
      compared.map((line) => ({
        ...line,
        rounds: line.rounds.map((figures) => Object.fromEntries(keys.map((key) => [key, figures[key] ?? Number.NaN]))),
      }));
    return row.tables.map(({ columns }) => picked(columns.map(({ key }) => key)));
  },
  aims([atOnce, single, , allocation]) {
    const of = (sdk: string, atLeast: number, oneAtLeast: number, atMost: number, miss: Partial<Wanted>) => [
      aimOf("calls/s, 64 at once, raw fetch = 1", lineOf(atOnce?.lines, sdk), "64 at once ratio", {
        atLeast,
        ...miss,
      }),
      aimOf("calls/s, one by one, raw fetch = 1", lineOf(single?.lines, sdk), "one by one ratio", {
        atLeast: oneAtLeast,
        ...miss,
      }),
      aimOf("allocation per call", lineOf(allocation?.lines, sdk), "allocatedKb", { atMost, unit: " kB", ...miss }),
    ];
    return [...of(nodeSdk, 2.6, 2.3, 28, nodeMiss), ...of(webSdk, 1, 0.98, 58, plainMiss)];
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, warmUp, calls }) => {
  const begin = performance.now();
  const client = await createClient(name, { base });
  const taskid = newTaskid(0, 0);
  const call = () => client.query(taskid);
  const coldCpu = watchCpu();
  const firstMs = await load(call, 1, 1);
  const loadedMs = performance.now() - begin;
  const coldMs = firstMs + (await load(call, 1, cold - 1));
  const coldCpuMs = coldCpu() / 1_000;
  await load(call, many, warmUp);
  const figures: Record<string, number> = { loadedMs, firstMs, coldMs, coldCpuMs };
  for (const [title, atOnce, count] of [
    [`${many} at once`, many, calls],
    ["one by one", 1, calls / 2],
  ] as const) {
    await load(call, atOnce, count / 5);
    const cpu = watchCpu();
    const tookMs = await load(call, atOnce, count);
    figures[`${title} perSecond`] = (count / tookMs) * 1_000;
    figures[`${title} cpuMicros`] = cpu() / count;
  }
  figures["one by one micros"] = 1e6 / (figures["one by one perSecond"] ?? Number.NaN);
  return { ...figures, allocatedKb: await allocated(call, Math.ceil(calls / 5)) };
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
