import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FaultName } from "@mediagen/emulator";
import { createMediaGen, fileStore, type MediaGen } from "@mediagen/sdk/node";
import { serve } from "../emulator/command-process.ts";

/** How much to run. */
export interface SoakOptions {
  readonly generations: number;
  /** How often the client's process is killed with -9 and started again. */
  readonly kills: number;
  readonly print: (line: string) => void;
}

/** What came of it. Whatever should be 0 and is not names what is wrong. */
export interface SoakReport {
  readonly generations: number;
  readonly kills: number;
  /** Keys that the store lists as of unknown outcome. */
  readonly unknown: number;
  /** Of these, how many had been paid. */
  readonly unknownPaid: number;
  /** Keys that became more than one paid task. */
  readonly paidTwice: readonly string[];
  /** Keys that neither are tasks nor are listed as unknown, and paid tasks that no key is known for. */
  readonly lost: readonly string[];
  /** Keys whose file is not there, or not what the service has. */
  readonly notWhole: readonly string[];
  /** Paid tasks after every unknown one was settled by what the service shows, and its key was used again. */
  readonly paidAtLast: number;
}

const shareOfCalls = 0.25;
/** The faults of each kind of call; what hangs or drips is as likely as the rest. */
export const faultsOn: Readonly<Record<string, readonly FaultName[]>> = {
  generate: [
    "resetBefore",
    "resetAfter",
    "hang",
    "cutBody",
    "slowBody",
    "html",
    "brokenJson",
    "emptyBody",
    "failure",
    "rateLimited",
    "unavailable",
    "serverError",
    "wrongCode",
  ],
  query: [
    "resetBefore",
    "resetAfter",
    "hang",
    "cutBody",
    "html",
    "brokenJson",
    "emptyBody",
    "failure",
    "rateLimited",
    "unavailable",
    "serverError",
    "wrongCode",
    "unknownStatus",
  ],
  download: [
    "resetBefore",
    "resetAfter",
    "hang",
    "cutBody",
    "downloadCut",
    "linkExpired",
    "html",
    "emptyBody",
    "rateLimited",
    "unavailable",
    "serverError",
  ],
};

const program = fileURLToPath(new URL("processes/soak.ts", import.meta.url));

/** What the emulator's memory says, as far as it is needed here. */
interface Memory {
  readonly tasks: readonly { readonly taskid: string; readonly prompt: string }[];
  readonly charges: readonly { readonly taskid: string }[];
}

/** Generates, waits and downloads against an emulator of which a quarter of all calls fail, while the client is killed now and then. */
export async function soak({ generations, kills, print }: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), "mediagen-soak-"));
  const emulator = await serve(["--credits", "1e9", "--speed", "50"]);
  const { baseUrl } = emulator;
  const steer = async (action: string, body: object = {}) => {
    const response = await fetch(`${baseUrl}/_emulator/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the emulator refused ${action}: ${await response.text()}`);
  };
  const memory = async () => (await (await fetch(`${baseUrl}/_emulator/snapshot`)).json()) as Memory;
  const store = fileStore(join(folder, "store"));
  const media = createMediaGen({ baseUrl, apiKey: "emulator-key", store });
  const keys = Array.from({ length: generations }, (_, index) => `order-${index}`);
  try {
    await writeFile(join(folder, "source.gif"), Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(300_000)]));
    for (const [on, faults] of Object.entries(faultsOn)) {
      // Each call is offered one fault after the other.
      const share = 1 - (1 - shareOfCalls) ** (1 / faults.length);
      for (const fault of faults) await steer("next", { fault, on, share, retryAfter: "0" });
    }
    const client = { baseUrl, folder, generations };
    // Later each time: what was done before is gone through at once.
    for (let killed = 1; killed <= kills; killed++)
      await runClient(client, Math.ceil((killed * generations) / (kills + 1)), print);
    await runClient(client, Infinity, print);
    await steer("clear-faults");

    const { unknown } = await media.recover();
    const { tasks, charges } = await memory();
    const paid = new Map(
      keys.map((key) => [key, tasks.filter(({ prompt }) => prompt === key).map(({ taskid }) => taskid)]),
    );
    const created = new Set<string>();
    for await (const record of store.list({ states: ["created", "ended"] }))
      if ("task" in record && record.task) created.add(record.task.taskid);
    const listed = new Set(unknown.map(({ idempotencyKey }) => idempotencyKey));
    const lost = [
      ...keys.filter((key) => !listed.has(key) && !paid.get(key)?.some((taskid) => created.has(taskid))),
      ...charges
        .map(({ taskid }) => taskid)
        .filter((taskid) => !tasks.some((task) => task.taskid === taskid && paid.has(task.prompt))),
    ];
    const paidTwice = keys.filter((key) => (paid.get(key)?.length ?? 0) > 1);
    print(`${unknown.length} of unknown outcome are settled by what the service shows, and their keys used again`);
    await settle(media, unknown, paid);
    await runClient(client, Infinity, () => undefined);
    const notWhole = await findNotWhole(media, folder, keys, await memory(), print);
    return {
      generations,
      kills,
      unknown: unknown.length,
      unknownPaid: unknown.filter(({ idempotencyKey: key = "" }) => (paid.get(key)?.length ?? 0) > 0).length,
      paidTwice,
      lost,
      notWhole,
      paidAtLast: (await memory()).charges.length,
    };
  } finally {
    emulator.child.kill();
    await emulator.ended;
    await rm(folder, { recursive: true });
  }
}

/** Runs the client until it has done so many keys, and kills it then; or until it has ended. */
async function runClient(
  given: { readonly generations: number; readonly folder: string; readonly baseUrl: string },
  until: number,
  print: (line: string) => void,
): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ["ignore", "pipe", "inherit"] });
  let done = 0;
  child.stdout.on("data", (lines: Buffer) => {
    const before = done;
    done += lines.toString().split("\n").length - 1;
    const step = Math.ceil(given.generations / 10);
    if (Math.floor(done / step) > Math.floor(before / step)) print(`${done} of ${given.generations} keys done`);
    if (done >= until) child.kill("SIGKILL");
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return print(`killed with -9 after ${done} keys; started again`);
  if (code !== 0) throw new Error(`the client ended with ${code ?? signal}`);
}

/** Settles what is unknown as a person would, who looks at the service. */
async function settle(
  media: MediaGen,
  unknown: Awaited<ReturnType<MediaGen["recover"]>>["unknown"],
  paid: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const { generationId, idempotencyKey: key = "" } of unknown) {
    const [taskid] = paid.get(key) ?? [];
    if (taskid === undefined) await media.resolve(generationId, "notCreated");
    else await media.resolve(generationId, { taskid });
  }
}

/** The keys whose file differs from what the service gives for their task. */
async function findNotWhole(
  media: MediaGen,
  folder: string,
  keys: readonly string[],
  { tasks }: Memory,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const names = new Set(await readdir(folder));
  const notWhole: string[] = [];
  for (const [index, key] of keys.entries()) {
    const taskid = tasks.find(({ prompt }) => prompt === key)?.taskid ?? "";
    const [address = ""] = names.has(`${key}.png`) ? (await media.image.query(taskid)).url : [];
    const same =
      address !== "" &&
      digestOf(new Uint8Array(await (await fetch(address)).arrayBuffer())) ===
        digestOf(await readFile(join(folder, `${key}.png`)));
    if (!same) notWhole.push(key);
    if ((index + 1) % Math.ceil(keys.length / 4) === 0)
      print(`${index + 1} of ${keys.length} files compared with the service's bytes`);
  }
  return notWhole;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
