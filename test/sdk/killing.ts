import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMediaGen, type GenerationStore, OutcomeUnknownError } from "@mediagen/sdk/node";
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
  /** About how many workers are killed or paused. It goes by results, because a busy machine takes seconds to start a worker. */
  readonly strikes: number;
  readonly print?: (line: string) => void;
}

const workers = 5;
/** How many generations a worker has under way. */
const atOnce = 16;
/** How many workers get each key. */
const copies = 3;
/** How many keys lie between two copies. */
const blockSize = 40;
/** What a generation may reject with. A store is locked while a process is paused within a transaction. */
const expected: readonly string[] = ["OutcomeUnknownError", "ServiceError", "StoreError"];
/** 15 s of silence become 1.5 s. */
const speed = 10;
/** Longer than a sender may be silent. */
const pauseMs = () => 1_700 + Math.random() * 1_500;

/**
 * Lets processes generate the same keys at once on one store, while they are killed (SIGKILL) or paused (SIGSTOP) for longer than
 * a sender may be silent, and returns what was paid.
 */
export async function killWhileGenerating({ name, at, store, keys: count, strikes, print }: KillingOptions) {
  const service = await startService();
  const keys = Array.from({ length: count }, (_, index) => `key-${index}-`);
  const crew = new Crew({ baseUrl: service.baseUrl, name, at, speed, knowsProcesses: false }, keys, strikes);
  const start = performance.now();
  try {
    const forgetting = crew.until(() => store.forget({ keyed: true }));
    await crew.work((left) => print?.(`${left} of ${count * copies} left, ${service.paid.size} keys paid`));
    /** How many rejected keys were forgotten while they were in use. */
    const forgotten = await forgetting;
    await crew.end();
    const seconds = (performance.now() - start) / 1_000;
    const { tasks, ...known } = await look(store, service, keys);
    for (const [key, taskid] of tasks) crew.remember(key, taskid);
    const { kills, pauses, takeOvers } = crew;
    return {
      ...{ ...known, keys: count, kills, pauses, takeOvers, forgotten, seconds },
      /** Paid requests that reached the service, and the keys that were paid more than once. */
      sent: [...service.paid.values()].reduce((sum, taskids) => sum + taskids.length, 0),
      sentTwice: keys.filter((key) => (service.paid.get(key)?.length ?? 0) > 1),
      /** Keys that stood for two tasks at different times. */
      changed: keys.filter((key) => (crew.taskids.get(key)?.size ?? 0) > 1),
      /** Tasks that arrived after their generation was taken for unknown. */
      late: crew.late.size,
    };
  } finally {
    await crew.end();
    await service.close();
  }
}

/** Returns what a process that comes afterwards knows of each key; keys that nobody got to are left out. */
async function look(store: GenerationStore, { baseUrl, paid }: Service, keys: readonly string[]) {
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
    /** Keys of unknown outcome, how many of them were paid, and those that `recover` does not list. */
    unknown: unknown.length,
    unknownPaid: unknown.filter((key) => paid.has(key)).length,
    unlisted: unknown.filter((key) => !listed.has(key)),
    /** Paid tasks that neither their key returns nor `recover` lists, with a key that is not listed as unknown. */
    lost: [...paid].flatMap(([key, taskids]) =>
      taskids.filter((taskid) => tasks.get(key) !== taskid && !open.has(taskid) && !listed.has(key)),
    ),
  };
}

interface Service {
  readonly baseUrl: string;
  /** The tasks of each key: paid, whether or not their response arrived. */
  readonly paid: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/** A service that is slow now and then, rejects some generations, and loses the response to some. */
async function startService(): Promise<Service> {
  const paid = new Map<string, string[]>();
  let count = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const [key] = /key-\d+-/.exec(body) ?? [];
    const chance = Math.random();
    if (key === undefined || chance < 0.08) return void response.end(JSON.stringify({ code: 9999, msg: "no" }));
    const taskid = `task-${++count}`;
    paid.set(key, [...(paid.get(key) ?? []), taskid]);
    if (chance < 0.09) return void response.destroy();
    await pause(chance < 0.13 ? 500 + Math.random() * 1_500 : Math.random() * 30);
    response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid, url: [] } }));
  };
  // Whoever is killed while it sends has not sent.
  const server = createServer((request, response) => void respond(request, response).catch(() => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paid,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Worker {
  readonly child: ChildProcess;
  /** The keys that it is generating. */
  readonly keys: string[];
  isReady: boolean;
  isPaused: boolean;
}

/** The workers' processes, and the keys that are left to generate. */
class Crew {
  readonly taskids: Map<string, Set<string>> = new Map();
  readonly late: Set<string> = new Set();
  takeOvers = 0;
  kills = 0;
  pauses = 0;
  readonly #options: WorkerOptions;
  readonly #resultsPerStrike: number;
  readonly #queue: string[] = [];
  readonly #workers: Set<Worker> = new Set();
  #started = 0;
  #results = 0;
  #isOver = false;

  constructor(options: WorkerOptions, keys: readonly string[], strikes: number) {
    this.#options = options;
    this.#resultsPerStrike = Math.ceil((keys.length * copies) / strikes);
    // Several workers get a key, at about the same time.
    for (let from = 0; from < keys.length; from += blockSize) {
      for (let copy = 0; copy < copies; copy++) this.#queue.push(...keys.slice(from, from + blockSize));
    }
  }

  remember(key: string, taskid: string): void {
    this.taskids.set(key, (this.taskids.get(key) ?? new Set()).add(taskid));
  }

  /** Works until no key is left. */
  async work(print: (left: number) => void): Promise<void> {
    const left = () => [...this.#workers].reduce((sum, { keys }) => sum + keys.length, this.#queue.length);
    for (let turn = 0; left() > 0; turn++) {
      while (this.#workers.size < workers) this.#start();
      for (const worker of this.#workers) this.#feed(worker);
      if (turn % 500 === 499) print(left());
      await pause(10);
    }
    this.#isOver = true;
  }

  /** Does something every now and then until the work is over, and adds up what it resolves to. */
  async until(step: () => Promise<number>): Promise<number> {
    let sum = 0;
    while (!this.#isOver) {
      // A process that is paused within a transaction may hold a database's lock.
      sum += await step().catch(() => 0);
      await pause(200);
    }
    return sum;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    const ended = [...this.#workers].map(({ child }) => once(child, "exit"));
    for (const { child } of this.#workers) child.kill("SIGKILL");
    await Promise.all(ended);
  }

  /** Kills or pauses one of the workers that are at work. */
  async #strike(): Promise<void> {
    await pause(Math.random() * 50);
    const busy = [...this.#workers].filter((one) => one.isReady && !one.isPaused && one.keys.length > 0);
    const worker = busy[Math.floor(Math.random() * busy.length)];
    if (!worker || this.#isOver) return;
    if (Math.random() < 0.5) return this.#pause(worker);
    this.kills++;
    worker.child.kill("SIGKILL");
  }

  async #pause(worker: Worker): Promise<void> {
    this.pauses++;
    worker.isPaused = true;
    worker.child.kill("SIGSTOP");
    await pause(pauseMs());
    worker.child.kill("SIGCONT");
    worker.isPaused = false;
  }

  #feed({ child, keys, isReady }: Worker): void {
    while (isReady && keys.length < atOnce && this.#queue.length > 0) {
      const key = this.#queue.shift() ?? "";
      keys.push(key);
      child.send(key, () => undefined); // It may have been killed.
    }
  }

  #start(): void {
    const path = fileURLToPath(new URL("processes/store-worker.ts", import.meta.url));
    const options: WorkerOptions = { ...this.#options, knowsProcesses: this.#started++ % 2 === 0 };
    const child = fork(path, [JSON.stringify(options)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const worker: Worker = { child, keys: [], isReady: false, isPaused: false };
    this.#workers.add(worker);
    // A process that is paused does not notice that the test has ended.
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.on("message", (message: FromWorker) => this.#receive(worker, message));
    child.once("exit", () => {
      process.off("exit", kill);
      this.#workers.delete(worker);
      this.#queue.push(...worker.keys);
      worker.keys.length = 0;
    });
  }

  #receive(worker: Worker, message: FromWorker): void {
    if ("ready" in message) worker.isReady = true;
    else if ("late" in message) this.late.add(message.late);
    else if ("takenOver" in message) this.takeOvers++;
    else {
      worker.keys.splice(worker.keys.indexOf(message.key), 1);
      if (++this.#results % this.#resultsPerStrike === 0) void this.#strike();
      if ("taskid" in message) this.remember(message.key, message.taskid);
      // What was rejected, or not sent, is generated again.
      else if (message.error !== "OutcomeUnknownError") this.#queue.push(message.key);
      if ("error" in message && !expected.includes(message.error)) console.error(message);
    }
  }
}
