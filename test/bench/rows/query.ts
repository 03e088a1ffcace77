import { Session } from "node:inspector/promises";
import { inChild, watchCpu, type Measurement } from "../child.ts";
import { createClient, nodeSdk, webSdk } from "../clients.ts";
import { startDoubles } from "../doubles.ts";
import { aimOf, inTurn, withRatio, type Row, type Table } from "../table.ts";
import { newTaskid } from "../taskid.ts";

interface Given {
  readonly client: string;
  readonly base: string;
  readonly atOnce: number;
  readonly forMs: number;
}

const fetched = "raw fetch";
const names = [
  fetched,
  "raw fetch, GET",
  "undici.request",
  "node:http",
  "a bare socket",
  webSdk,
  nodeSdk,
  "replicate",
  "@fal-ai/client",
  "@runwayml/sdk",
  "lumaai",
  "openai",
];

const wanted = [
  {
    sdk: webSdk,
    atLeast: 0.97,
    note: "it stands on the same fetch; to it come openapi-fetch, limits on time, a bounded reading of the answer, and the checks of both",
  },
  {
    sdk: nodeSdk,
    atLeast: 2.2,
    note: "of what it takes beyond node:http, half is the telling of sent from not sent and the bounded reading, half openapi-fetch, limits on time, and the checks of question and answer; no part stands out in a profile",
  },
] as const;

export const row: Row = {
  title: "A query",
  what: "One query after the other, and 64 at once, through each client and what they stand on. A query of ours is a POST, as is the raw fetch that it is held to; the peers' are GETs. CPU is the client's own; allocated is what V8's sampling profiler saw on the heap.",
  limit: "a bare socket that writes one string and reads one; the server, which is node:http, takes the other core.",
  async measure(scale) {
    const doubles = await startDoubles();
    const tables: Table[] = [];
    const aims = [];
    for (const atOnce of [1, 64]) {
      const lines = await inTurn(names, scale(3), (client) =>
        inChild("query", { client, base: doubles.base, atOnce, forMs: scale(1_500) } satisfies Given),
      );
      const compared = withRatio(lines, fetched, "callsPerSecond", "ratio");
      const title = atOnce === 1 ? "One after the other" : `${atOnce} at once`;
      tables.push({
        title,
        columns: [
          { key: "callsPerSecond", label: "calls/s" },
          { key: "ratio", label: "of raw fetch", digits: 2 },
          { key: "cpuMicros", label: "CPU a call, µs" },
          { key: "allocatedKb", label: "allocated a call, kB", digits: 1 },
        ],
        lines: compared,
      });
      for (const { sdk, atLeast, note } of wanted) {
        const line = compared.find(({ name }) => name === sdk);
        if (line) aims.push(aimOf(`calls/s of raw fetch, ${title.toLowerCase()}`, line, "ratio", { atLeast, note }));
      }
    }
    doubles.stop();
    return { tables, aims };
  },
};

export const measurement: Measurement<Given> = async ({ client: name, base, atOnce, forMs }) => {
  const client = await createClient(name, { base });
  const taskid = newTaskid(0, 0);
  await load(() => client.query(taskid), atOnce, forMs / 2); // until it is compiled
  const cpu = watchCpu();
  const begin = performance.now();
  const calls = await load(() => client.query(taskid), atOnce, forMs);
  const tookMs = performance.now() - begin;
  const cpuMicros = cpu() / calls;
  const allocatedKb = await allocated(() => load(() => client.query(taskid), atOnce, forMs / 3));
  return { callsPerSecond: (calls / tookMs) * 1_000, cpuMicros, allocatedKb };
};

/** Calls for a time, so many at once, and answers how often. */
async function load(call: () => Promise<unknown>, atOnce: number, forMs: number): Promise<number> {
  const end = performance.now() + forMs;
  let calls = 0;
  const one = async () => {
    for (; performance.now() < end; calls++) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return calls;
}

/** What each of some calls allocates on the heap, in kB: also what was collected meanwhile. */
async function allocated(calls: () => Promise<number>): Promise<number> {
  const session = new Session();
  session.connect();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval: 4_096, ...all });
  const count = await calls();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  type Node = typeof profile.head;
  const bytes = ({ selfSize, children }: Node): number => children.reduce((sum, child) => sum + bytes(child), selfSize);
  return bytes(profile.head) / count / 1_024;
}
