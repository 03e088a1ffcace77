import { Session } from "node:inspector/promises";
import { inChild, load, type Measurement, watchCpu } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { newTaskid, startDoubles } from "../doubles.ts";
import { inTurn, type Row, withRatio } from "../table.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly calls: number;
}

const fetched = "raw fetch";
const names = [
  fetched,
  "node:http",
  webSdk,
  nodeSdk,
  "replicate",
  "@fal-ai/client",
  "@runwayml/sdk",
  "openai",
];
const many = 64;

export const row: Row = {
  title: "A query",
  what: `Queries through each client, and through what the clients are built on. *Times raw fetch* is a client's calls/s divided by those of raw fetch in the same round. A query of mediagen is a POST, like the raw fetch that it is compared with; the peers' are GETs.`,
  notFirst:
    "raw fetch and node:http retry nothing and hide no key. The peers query with GET, which needs no body.",
  tables: [
    {
      title: `Warm, ${many} at once`,
      isDetail: true,
      columns: [
        { key: "perSecond", label: "calls/s", better: "more" },
        { key: "ratio", label: "times raw fetch", digits: 2 },
        { key: "cpuMicros", label: "CPU per call, µs", better: "less" },
        { key: "allocatedKb", label: "allocated per call, kB", digits: 1, better: "less" },
      ],
    },
    {
      title: "One by one: the first call of a process, and later",
      isDetail: true,
      columns: [
        { key: "loadedMs", label: "import and first call, ms", digits: 1, better: "less" },
        { key: "warmMicros", label: "later, µs a call", better: "less" },
      ],
    },
  ],
  async measure(scale) {
    const doubles = await startDoubles();
    const given = { base: doubles.base, calls: scale(1_500) };
    const lines = await inTurn(names, scale(9), (client) =>
      inChild("query", { client, ...given } satisfies Given),
    );
    doubles.stop();
    return [withRatio(lines, fetched, "perSecond", "ratio"), lines];
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, calls }) => {
  const begin = performance.now();
  const client = await createClient(name, { base });
  const taskid = newTaskid(0, 0);
  const call = async () => client.query?.(taskid);
  await call();
  const loadedMs = performance.now() - begin;
  await load(call, many, 10 * calls);
  const cpu = watchCpu();
  const perSecond = (calls / (await load(call, many, calls))) * 1_000;
  const cpuMicros = (cpu() / calls) * 1_000;
  const warmMicros = ((await load(call, 1, calls)) / calls) * 1_000;
  const allocatedKb = await allocated(call, calls);
  return { loadedMs, perSecond, cpuMicros, warmMicros, allocatedKb };
};

/**
 * What each of some calls allocates on the heap, in kB: also what was collected in the meantime.
 */
async function allocated(call: () => Promise<unknown>, count: number): Promise<number> {
  const session = new Session();
  session.connect();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval: 4_096, ...all });
  await load(call, many, count);
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  type Node = typeof profile.head;
  const bytes = ({ selfSize, children }: Node): number =>
    children.reduce((sum, child) => sum + bytes(child), selfSize);
  return bytes(profile.head) / count / 1_000;
}
