import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Order } from "../../docs/examples/fleet/order.ts";
import { faultsOn } from "../faults/soak.ts";
import type { Engine } from "./engines.ts";

/** What a worker's process is started with. */
export interface WorkerOptions {
  /** The queue's server. */
  readonly url: string;
  /** The service. */
  readonly baseUrl: string;
  readonly folder: string;
  /** How many generations all workers together send in a second. */
  readonly perSecond: number;
  readonly workers: number;
}

/** What the service has seen. */
export interface Seen {
  readonly calls: number;
  readonly queries: number;
  /** How many calls, downloads too, met a fault. */
  readonly faulty: number;
  readonly charges: number;
  /** The paid tasks, each with the order that it is of. */
  readonly tasks: readonly { readonly id: string; readonly taskid: string; readonly createdAt: number }[];
}

/** How much to run. */
export interface FleetRun {
  readonly orders: number;
  readonly workers: number;
  readonly perSecond: number;
  /** The share of all calls that meets a fault. */
  readonly faultyShare: number;
  /** Whether a worker is killed with -9 every second, and started again. */
  readonly kill: boolean;
  readonly print: (line: string) => void;
}

/** What came of it. Whatever should be empty and is not names what is wrong. */
export interface FleetReport {
  /** Orders with their file. */
  readonly done: number;
  /** Orders that are listed as of unknown outcome, and how many of these had been paid. */
  readonly unknown: number;
  readonly unknownPaid: number;
  /** Orders that the service refused: they are listed with the reason, and were not paid. */
  readonly refused: number;
  readonly paidTwice: readonly string[];
  /** Orders that are neither done nor listed, and those that were refused and paid. */
  readonly lost: readonly string[];
  /** What was neither done nor refused once every unknown one had been settled by what the service shows, and run again. */
  readonly notDoneAtLast: readonly string[];
  readonly paidAtLast: number;
  readonly kills: number;
  readonly faultyShare: number;
  readonly seconds: number;
  readonly queriesPerOrder: number;
}

const killEveryMs = 1_000;
/** On a busy machine a start takes seconds: who has done nothing yet is not killed. */
const worksAtLeastMs = 2_000;
const pathOf = (name: string) => fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url));

/** Orders for a fleet: small pictures, whose prompts are the orders' ids. */
export function createOrders(count: number): readonly Order[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `order-${index}`,
    model: "imgmodelz",
    form: { prompt: `order-${index}`, resolution: "256*256" },
  }));
}

/** Runs orders through a fleet on an engine, and looks at what became of each. */
export async function runFleet(
  engine: Engine,
  { orders: count, workers, perSecond, faultyShare, kill, print }: FleetRun,
): Promise<FleetReport> {
  const folder = await mkdtemp(join(tmpdir(), "mediagen-fleet-"));
  const service = fork(pathOf("emulator"));
  const ask = async () => (service.send("what have you seen?"), ((await once(service, "message")) as [Seen])[0]);
  const [{ baseUrl }] = (await once(service, "message")) as [{ readonly baseUrl: string }];
  const fleet = createFleet(engine, { url: engine.url, baseUrl, folder, perSecond, workers });
  try {
    for (const [on, faults] of Object.entries(faultsOn)) {
      // Each call is offered one fault after the other.
      const share = 1 - (1 - faultyShare) ** (1 / faults.length);
      if (share > 0) for (const fault of faults) await steer(baseUrl, "next", { fault, on, share, retryAfter: "1" });
    }
    const orders = createOrders(count);
    await fleet.start();
    const from = performance.now();
    await engine.submit(orders);
    const kills = await fleet.drain(toldLeft(engine, print), kill);
    const seconds = (performance.now() - from) / 1_000;

    const seen = await ask();
    const paid = Map.groupBy(seen.tasks, ({ id }) => id);
    const unknown = await engine.unknown();
    const refused = new Set(await engine.refused());
    const [listed, done] = [new Set(unknown), await findDone(folder, orders, paid)];
    const lost = orders.filter(
      ({ id }) => !(listed.has(id) || (done.has(id) && paid.has(id)) || (refused.has(id) && !paid.has(id))),
    );
    print(
      `${done.size} done, ${unknown.length} of unknown outcome, ${refused.size} refused; the unknown ones are settled by what the service shows`,
    );

    await steer(baseUrl, "clear-faults", {});
    for (const id of unknown) await engine.settle(baseUrl, id, paid.get(id)?.[0]?.taskid);
    await fleet.drain(engine.left, false);
    const last = await ask();
    const doneAtLast = await findDone(
      folder,
      orders,
      Map.groupBy(last.tasks, ({ id }) => id),
    );
    return {
      done: done.size,
      unknown: unknown.length,
      unknownPaid: unknown.filter((id) => paid.has(id)).length,
      refused: refused.size,
      paidTwice: [...Map.groupBy(last.tasks, ({ id }) => id)].filter(([, tasks]) => tasks.length > 1).map(([id]) => id),
      lost: lost.map(({ id }) => id),
      notDoneAtLast: orders.filter(({ id }) => !doneAtLast.has(id) && !refused.has(id)).map(({ id }) => id),
      paidAtLast: last.charges,
      kills,
      faultyShare: seen.faulty / seen.calls,
      seconds,
      queriesPerOrder: seen.queries / count,
    };
  } finally {
    await fleet.stop();
    service.kill();
    await once(service, "exit");
    await rm(folder, { recursive: true });
  }
}

/** The workers' processes. */
function createFleet({ name }: Engine, options: WorkerOptions) {
  const running = new Set<ChildProcess>();
  /** When each began to work. */
  const since = new Map<ChildProcess, number>();
  const begin = () => {
    const child = fork(pathOf(name), [JSON.stringify(options)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    running.add(child);
    child.once("message", () => since.set(child, performance.now()));
    child.once(
      "exit",
      (code, signal) => signal !== "SIGKILL" && console.error(`a worker ended with ${code ?? signal}`),
    );
  };
  const end = async (child: ChildProcess) => {
    running.delete(child);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return {
    /** Starts the workers; all are at work then. */
    async start() {
      for (let number = 0; number < options.workers; number++) begin();
      await Promise.all([...running].map((child) => once(child, "message")));
    },
    /** Waits until the queue is drained. Meanwhile it kills a worker every second, where it may and one has worked for a while, and starts another. */
    async drain(left: () => Promise<number>, kill: boolean) {
      let kills = 0;
      for (let next = performance.now() + killEveryMs; (await left()) > 0; await sleep(100)) {
        const now = performance.now();
        const oldest = [...running].find((child) => now - (since.get(child) ?? now) > worksAtLeastMs);
        if (!kill || now < next || !oldest) continue;
        next = Math.max(next, now - killEveryMs) + killEveryMs;
        await end(oldest);
        begin();
        kills++;
      }
      return kills;
    },
    stop: () => Promise.all([...running].map(end)),
  };
}

/** How many jobs are left; it is printed every five seconds. */
function toldLeft({ left }: Engine, print: (line: string) => void): () => Promise<number> {
  let told = performance.now();
  return async () => {
    const count = await left();
    if (performance.now() > told + 5_000) print(`${count} jobs left`);
    if (performance.now() > told + 5_000) told = performance.now();
    return count;
  };
}

/** The orders whose files are those of a task that was paid for them. */
async function findDone(
  folder: string,
  orders: readonly Order[],
  paid: ReadonlyMap<string, Seen["tasks"]>,
): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  for (const { id } of orders) {
    const names = await readdir(join(folder, id)).catch(() => []);
    const whole = names.find((name) =>
      paid.get(id)?.some(({ taskid }) => name.startsWith(taskid) && name.endsWith(".png")),
    );
    if (whole && (await stat(join(folder, id, whole))).size > 100) done.add(id);
  }
  return done;
}

async function steer(baseUrl: string, action: string, body: object): Promise<void> {
  const response = await fetch(`${baseUrl}/_emulator/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the emulator refused ${action}: ${await response.text()}`);
}
