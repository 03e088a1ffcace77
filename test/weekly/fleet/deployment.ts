import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator, type EmulatorOptions, listen } from "@mediagen/emulator/node";
import pg from "pg";
import type { Order } from "./out/fleet.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { endPool, type Server, startPostgres, startRedis } from "./servers.ts";

/** A line of a program's log. */
export type Line = Readonly<Record<string, unknown>>;
export type Worker = Awaited<ReturnType<Deployment["startWorker"]>>;
export type Deployment = Awaited<ReturnType<typeof createDeployment>>;
/** The queues of a fleet. */
export const queues = ["pg-boss", "bullmq"] as const;

/** Orders for small pictures, whose prompts are the orders' ids. */
export const createOrders = (count: number): readonly Order[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `order-${index}`;
    return { id, model: "imgmodelz", form: { prompt: id, resolution: "256*256" } };
  });

/**
 * The programs of docs/examples/fleet in a directory of their own, on servers of their own, with
 * the emulator as the service.
 */
export async function createDeployment(
  queue: (typeof queues)[number],
  given: object = {},
  options: EmulatorOptions = { clock: { speed: 100 } },
) {
  const emulator = createEmulator(options);
  const { baseUrl, close } = await listen(emulator);
  const postgres = await startPostgres();
  const redis: Server | undefined = queue === "bullmq" ? await startRedis() : undefined;
  const directory = await temporaryDirectory();
  const keyFile = join(directory, "key");
  await writeFile(keyFile, "emulator-key\n");
  const pool = new pg.Pool({ connectionString: postgres.url, options: "-c search_path=mediagen" });
  pool.on("error", () => undefined);
  const running = new Set<() => void>();
  const common = {
    ...{ ...process.env, DATABASE_URL: postgres.url, REDIS_URL: redis?.url ?? "", PORT: "0" },
    ...{ MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY_FILE: keyFile, ...given },
  };

  /** Starts a program. Every line that it prints is JSON. */
  function begin(name: string, args: readonly string[], env: object) {
    const program = resolve(`test/weekly/fleet/out/${name}.ts`);
    const child = spawn(process.execPath, [program, ...args], {
      cwd: directory,
      env: { ...common, ...env },
    });
    const lines: Line[] = [];
    const kill = () => void child.kill("SIGKILL");
    running.add(kill);
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on("line", (line) => void lines.push(JSON.parse(line) as Line));
    const ended = once(child, "close").then(([code]) => {
      running.delete(kill);
      return code as number | null;
    });
    return { child, lines, ended };
  }

  /** Runs `operate.ts`. Resolves to its exit code and its lines. */
  async function run(
    words: string,
    { input = "", env = {} } = {},
  ): Promise<[number | null, ...Line[]]> {
    const { child, ended, lines } = begin("operate", words.split(" "), env);
    child.stdin.on("error", () => undefined).end(input);
    return [await ended, ...lines];
  }

  return {
    ...{ postgres, redis, directory, emulator, baseUrl },
    sent: () => emulator.calls.filter(({ operation }) => operation?.startsWith("generate")).length,
    query: async <Row>(sql: string, ...values: unknown[]) =>
      (await pool.query(sql, values)).rows as readonly Row[],
    writeKey: (key: string) => writeFile(keyFile, `${key}\n`),
    run,
    async submit(orders: readonly Order[]): Promise<Line> {
      const [code, line = {}] = await run("submit", { input: JSON.stringify(orders) });
      if (code !== 0) throw new Error(JSON.stringify(line));
      return line;
    },
    /** Runs a worker that ends at its start. */
    async startInVain(env: object): Promise<[number | null, ...Line[]]> {
      const { ended, lines } = begin("worker", [], env);
      return [await ended, ...lines];
    },
    async startWorker(env: object = {}) {
      const { child, ended, lines } = begin("worker", [], env);
      for (; !lines.some(({ event }) => event === "started"); await sleep(20))
        if (child.exitCode !== null) throw new Error(`the worker ended: ${JSON.stringify(lines)}`);
      const port = lines.find(({ event }) => event === "started")?.["port"];
      return {
        ...{ lines, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) },
        events: () => lines.map(({ event }) => event),
        async get(path: string): Promise<[number, string]> {
          const response = await fetch(`http://127.0.0.1:${port}${path}`);
          return [response.status, await response.text()];
        },
        metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
        /** Ends it by SIGTERM. Resolves to the time that it took in milliseconds. */
        async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
          const from = performance.now();
          child.kill(signal);
          const code = await ended;
          if (code !== 0)
            throw new Error(`the worker ended with ${code}: ${JSON.stringify(lines)}`);
          return Math.round(performance.now() - from);
        },
      };
    },
    /** The number of orders in each state. */
    async states(): Promise<Readonly<Record<string, number>>> {
      const rows = await pool.query<{ state: string; count: number }>(
        "select state, count(*)::int from orders group by 1",
      );
      return Object.fromEntries(rows.rows.map(({ state, count }) => [state, count]));
    },
    /** The orders that have results. */
    async files(): Promise<readonly string[]> {
      const orders = await readdir(join(directory, "out")).catch(() => []);
      const files = await Promise.all(orders.map((id) => readdir(join(directory, "out", id))));
      return orders
        .filter((_, index) => files[index]?.some((name) => name.endsWith(".png")))
        .sort();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const kill of running) kill();
      await close();
      await endPool(pool);
      await redis?.[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    },
  };
}
