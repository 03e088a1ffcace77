import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, listen } from "@mediagen/emulator/node";
import type { Order } from "../../docs/examples/fleet/order.ts";
import { type Server, startPostgres, startRedis } from "./servers.ts";

/** A queue's server, with the name of its engine. */
type StartServer = () => Promise<Server & { readonly name: string }>;

export const startBullmqServer: StartServer = async () => Object.assign(await startRedis(), { name: "BullMQ" });
export const startPgBossServer: StartServer = async () => Object.assign(await startPostgres(), { name: "pg-boss" });

/** A line of a worker's log. */
type Line = Readonly<Record<string, unknown>>;

/** The programs of docs/examples/fleet in a directory of their own, on a queue of their own, with the emulator as the service. */
export async function createDeployment(start: StartServer) {
  const queue = await start();
  const emulator = createEmulator({ clock: { speed: 100 } });
  const service = await listen(emulator);
  const directory = await mkdtemp(join(tmpdir(), "mediagen-fleet-"));
  const running = new Set<() => void>();
  const common = {
    ...process.env,
    QUEUE_URL: queue.url,
    MEDIAGEN_BASE_URL: service.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    PORT: "0",
  };
  const begin = (name: string, args: readonly string[], env: object) => {
    const program = resolve(`docs/examples/fleet/${name}.ts`);
    const child = spawn(process.execPath, [program, ...args], { cwd: directory, env: { ...common, ...env } });
    const kill = () => void child.kill("SIGKILL");
    running.add(kill);
    const ended = once(child, "close").then(([code]) => (running.delete(kill), code as number | null));
    return { child, ended };
  };

  async function runWith(
    env: object,
    name: string,
    input = "",
    ...args: readonly string[]
  ): Promise<[number | null, string]> {
    const { child, ended } = begin(name, args, env);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => void (text += piece));
    child.stdin.end(input);
    return [await ended, text];
  }

  async function startWorker(env: object = {}) {
    const { child, ended } = begin("worker", [], env);
    const lines: Line[] = [];
    child.stderr.pipe(process.stderr);
    createInterface(child.stdout).on("line", (line) => void lines.push(JSON.parse(line) as Line));
    while (lines[0] === undefined || !lines.some(({ event }) => event === "started")) {
      if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}`);
      await sleep(20);
    }
    const port = Number(lines.find(({ event }) => event === "started")?.["port"]);
    return {
      lines,
      ended,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      async get(path: string): Promise<[number, string]> {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return [response.status, await response.text()];
      },
      /** Sends a signal and resolves to the milliseconds until the process has ended, which it must with 0. */
      async end(signal: NodeJS.Signals): Promise<number> {
        const from = performance.now();
        child.kill(signal);
        const code = await ended;
        if (code !== 0) throw new Error(`the worker ended with ${code}: ${JSON.stringify(lines)}`);
        return Math.round(performance.now() - from);
      },
    };
  }

  let stopped: Promise<void> | undefined;
  const stopQueue = () => (stopped ??= Promise.resolve(queue[Symbol.asyncDispose]()));

  return {
    name: queue.name,
    queueUrl: queue.url,
    emulator,
    directory,
    baseUrl: service.baseUrl,
    startWorker,
    runWith,
    run: (name: string, ...args: readonly string[]) => runWith({}, name, "", ...args),
    async submit(orders: readonly Order[]): Promise<string> {
      const [code, text] = await runWith({}, "submit", JSON.stringify(orders));
      if (code !== 0) throw new Error(text);
      return text;
    },
    /** The orders that have results. */
    async files(): Promise<readonly string[]> {
      const orders = await readdir(join(directory, "out")).catch(() => []);
      const files = await Promise.all(orders.map((id) => readdir(join(directory, "out", id))));
      return orders.filter((_, index) => files[index]?.some((name) => name.endsWith(".png"))).sort();
    },
    /** Ends the queue's server. */
    stopQueue,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const kill of running) kill();
      await service.close();
      await stopQueue();
      await rm(directory, { recursive: true });
    },
  };
}
