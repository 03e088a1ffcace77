import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a worker's process is started with. */
export interface WorkerOptions {
  /** The URL of the queue's server. */
  readonly url: string;
  /** The URL of the service. */
  readonly baseUrl: string;
  readonly folder: string;
  /** How many generations all workers together send in a second. */
  readonly perSecond: number;
  readonly workers: number;
  /** After how long without a sign of life a worker counts as dead. */
  readonly deadAfterMs: number;
}

/** On a busy machine a start takes seconds: a worker that has done nothing yet is not killed. */
const worksAtLeastMs = 3_000;

/** The workers' processes. */
export class Workers implements AsyncDisposable {
  readonly #path: string;
  readonly #options: WorkerOptions;
  readonly #running = new Set<ChildProcess>();
  /** When each began to work. */
  readonly #since = new Map<ChildProcess, number>();

  private constructor(engine: string, options: WorkerOptions) {
    this.#path = fileURLToPath(new URL(`processes/${engine}.ts`, import.meta.url));
    this.#options = options;
  }

  /** Starts workers on an engine. All of them are at work then. */
  static async start(engine: string, options: WorkerOptions): Promise<Workers> {
    const workers = new Workers(engine, options);
    for (let number = 0; number < options.workers; number++) workers.#begin();
    await Promise.all([...workers.#running].map((child) => once(child, "message")));
    return workers;
  }

  /** Kills the oldest worker with -9 and starts another, if one has worked for a while. Returns its process id. */
  async killOldest(): Promise<number | undefined> {
    const now = performance.now();
    const oldest = [...this.#running].find((child) => now - (this.#since.get(child) ?? now) > worksAtLeastMs);
    if (!oldest) return undefined;
    await this.#end(oldest);
    this.#begin();
    return oldest.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.#end(child)));
  }

  #begin(): void {
    const options = JSON.stringify(this.#options);
    const child = fork(this.#path, [options], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.#running.add(child);
    child.once("message", () => this.#since.set(child, performance.now()));
    child.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") console.error(`a worker ended with ${code ?? signal}`);
    });
  }

  async #end(child: ChildProcess): Promise<void> {
    this.#running.delete(child);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}
