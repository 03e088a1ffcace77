import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMediaGen, type GenerationStore, OutcomeUnknownError } from "@mediagen/sdk/node";
import { serve } from "../serve.ts";
import type { StoreName } from "./processes/open-store.ts";

/** What a worker's process is started with. */
export interface WorkerOptions {
  readonly baseUrl: string;
  readonly name: StoreName;
  /** The store's path or URL. */
  readonly at: string;
  /** How much faster the worker's clock runs. */
  readonly speed: number;
  /** Whether the worker knows if a process of this machine has ended. */
  readonly knowsProcesses: boolean;
}

/** What a worker sends. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly takenOver: string }
  | { readonly late: string }
  | { readonly key: string; readonly taskid: string }
  | { readonly key: string; readonly error: string; readonly message: string };

/** What to run, and how much. */
export interface KillingOptions extends Pick<WorkerOptions, "name" | "at"> {
  /** A handle of the test's own. */
  readonly store: GenerationStore;
  readonly keys: number;
  /**
   * About how many workers are killed or paused. It goes by results, because a busy machine takes
   * seconds to start a worker.
   */
  readonly strikes: number;
  readonly print?: (line: string) => void;
}

interface Worker {
  readonly child: ChildProcess;
  /** The keys that it is generating. */
  readonly keys: string[];
  isReady: boolean;
  isPaused: boolean;
}

const mostWorkers = 5;
/** How many generations a worker has under way. */
const atOnce = 16;
/** How many workers get each key. */
const copies = 3;
/** How many keys lie between two copies of a key. */
const blockSize = 40;
/**
 * What a generation may reject with. A store is locked while a process is paused within a
 * transaction.
 */
const expected: readonly string[] = ["OutcomeUnknownError", "ServiceError", "StoreError"];
/** 15 s of silence become 1.5 s. */
const speed = 10;
/** Longer than a sender may be silent. */
const pauseMs = () => 1_700 + Math.random() * 1_500;
const program = fileURLToPath(new URL("processes/store-worker.ts", import.meta.url));

/**
 * Lets processes generate the same keys at once on one store, while they are killed (SIGKILL) or
 * paused (SIGSTOP) for longer than a sender may be silent, and returns what was paid.
 */
export async function killWhileGenerating({
  name,
  at,
  store,
  keys: count,
  strikes,
  print,
}: KillingOptions) {
  await using service = await startService();
  const { paid, baseUrl } = service;
  const keys = Array.from({ length: count }, (_, index) => `key-${index}-`);
  // Several workers get a key, at about the same time.
  const blocks = Array.from(
    { length: Math.ceil(count / blockSize) },
    (_, block) => block * blockSize,
  );
  const queue = blocks.flatMap(
    (from) =>
      Array(copies)
        .fill(keys.slice(from, from + blockSize))
        .flat() as string[],
  );
  const resultsPerStrike = Math.ceil(queue.length / strikes);
  const workers = new Set<Worker>();
  /** The tasks of each key. */
  const taskids = new Map<string, Set<string>>();
  /** Tasks that arrived after their generation was taken for unknown. */
  const late = new Set<string>();
  let started = 0;
  let results = 0;
  let takeOvers = 0;
  let kills = 0;
  let pauses = 0;
  let isOver = false;
  const remember = (key: string, taskid: string) =>
    taskids.set(key, (taskids.get(key) ?? new Set()).add(taskid));

  /** Kills or pauses one of the workers that are at work. */
  async function strike(): Promise<void> {
    await pause(Math.random() * 50);
    const busy = [...workers].filter((one) => one.isReady && !one.isPaused && one.keys.length > 0);
    const worker = busy[Math.floor(Math.random() * busy.length)];
    if (!worker || isOver) return;
    if (Math.random() < 0.5) {
      kills++;
      worker.child.kill("SIGKILL");
      return;
    }
    pauses++;
    worker.isPaused = true;
    worker.child.kill("SIGSTOP");
    await pause(pauseMs());
    worker.child.kill("SIGCONT");
    worker.isPaused = false;
  }

  function receive(worker: Worker, message: FromWorker): void {
    if ("ready" in message) worker.isReady = true;
    else if ("late" in message) late.add(message.late);
    else if ("takenOver" in message) takeOvers++;
    else {
      worker.keys.splice(worker.keys.indexOf(message.key), 1);
      if (++results % resultsPerStrike === 0) void strike();
      if ("taskid" in message) remember(message.key, message.taskid);
      // What was rejected, or not sent, is generated again.
      else if (message.error !== "OutcomeUnknownError") queue.push(message.key);
      if ("error" in message && !expected.includes(message.error)) console.error(message);
    }
  }

  function start(): void {
    const options: WorkerOptions = {
      baseUrl,
      name,
      at,
      speed,
      knowsProcesses: started++ % 2 === 0,
    };
    const child = fork(program, [JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const worker: Worker = { child, keys: [], isReady: false, isPaused: false };
    workers.add(worker);
    // A process that is paused does not notice that the test has ended.
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.on("message", (message: FromWorker) => receive(worker, message));
    child.once("exit", () => {
      process.off("exit", kill);
      workers.delete(worker);
      queue.push(...worker.keys.splice(0));
    });
  }

  /** Works until no key is left. */
  async function work(): Promise<void> {
    const left = () => [...workers].reduce((sum, worker) => sum + worker.keys.length, queue.length);
    for (let turn = 0; left() > 0; turn++) {
      while (workers.size < mostWorkers) start();
      for (const { child, keys: own, isReady } of workers)
        for (const key of isReady ? queue.splice(0, atOnce - own.length) : []) {
          own.push(key);
          child.send(key, () => undefined); // It may have been killed.
        }
      if (turn % 500 === 499)
        print?.(`${left()} of ${count * copies} left, ${paid.size} keys paid`);
      await pause(10);
    }
  }

  /**
   * Forgets rejected keys while they are in use. A process that is paused within a transaction may
   * hold a database's lock.
   */
  async function forget(): Promise<void> {
    for (; !isOver; await pause(200)) await store.forget({ keyed: true }).catch(() => 0);
  }

  async function end(): Promise<void> {
    isOver = true;
    const ended = [...workers].map(({ child }) => once(child, "exit"));
    for (const { child } of workers) child.kill("SIGKILL");
    await Promise.all(ended);
  }

  try {
    const forgetting = forget();
    await work();
    await end();
    await forgetting;
    const { tasks, ...known } = await look(store, baseUrl, paid, keys);
    for (const [key, taskid] of tasks) remember(key, taskid);
    return {
      ...{ ...known, kills, pauses, takeOvers, late: late.size },
      /** Paid requests that reached the service, and the keys that were paid more than once. */
      sent: [...paid.values()].flat().length,
      sentTwice: keys.filter((key) => (paid.get(key)?.length ?? 0) > 1),
      /** Keys that had two tasks at different times. */
      changed: keys.filter((key) => (taskids.get(key)?.size ?? 0) > 1),
    };
  } finally {
    await end();
  }
}

/** The tasks of each key: paid, whether or not their response arrived. */
type Paid = ReadonlyMap<string, readonly string[]>;

/**
 * Returns what a process that comes afterwards knows of each key; keys that nobody got to are left
 * out.
 */
async function look(store: GenerationStore, baseUrl: string, paid: Paid, keys: readonly string[]) {
  const beforeGenerate = () => Promise.reject(new Error("not generated"));
  const media = createMediaGen({ baseUrl, apiKey: "sk-test", store, beforeGenerate });
  // Whoever was killed while sending is silent by then.
  const recovered = await media.recover();
  const listed = new Set(recovered.unknown.map(({ idempotencyKey }) => idempotencyKey));
  const open = new Set(recovered.tasks.map(({ taskid }) => taskid));
  const tasks = new Map<string, string>();
  const unknown: string[] = [];
  for (const key of keys) {
    await media.image.generate("imgmodelz", { prompt: key }, { idempotencyKey: key }).then(
      ({ taskid }) => tasks.set(key, taskid),
      (error: unknown) => error instanceof OutcomeUnknownError && unknown.push(key),
    );
  }
  return {
    tasks,
    /** Keys of unknown outcome, and those that `recover` does not list. */
    unknown: unknown.length,
    unlisted: unknown.filter((key) => !listed.has(key)),
    /**
     * Paid tasks that neither their key returns nor `recover` lists, with a key that is not listed
     * as unknown.
     */
    lost: [...paid].flatMap(([key, taskids]) =>
      taskids.filter(
        (taskid) => tasks.get(key) !== taskid && !open.has(taskid) && !listed.has(key),
      ),
    ),
  };
}

/**
 * A service that is slow now and then, rejects some generations, and loses the response to some.
 */
async function startService() {
  const paid = new Map<string, string[]>();
  let count = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const [key] = /key-\d+-/.exec(body) ?? [];
    const chance = Math.random();
    if (key === undefined || chance < 0.08)
      return void response.end(JSON.stringify({ code: 9999, msg: "no" }));
    const taskid = `task-${++count}`;
    paid.set(key, [...(paid.get(key) ?? []), taskid]);
    if (chance < 0.09) return void response.destroy();
    await pause(chance < 0.13 ? 500 + Math.random() * 1_500 : Math.random() * 30);
    response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid, url: [] } }));
  };
  // Whoever is killed while it sends has not sent.
  const server = await serve(
    (request, response) => void respond(request, response).catch(() => undefined),
  );
  return { ...server, paid: paid as Paid };
}
