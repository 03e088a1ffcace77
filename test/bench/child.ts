import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figures } from "./table.ts";

/** What a row measures in a process of its own: by name, from plain data. */
export type Measurement<Given> = (given: Given) => Promise<Figures>;

/** What a row measures again and again in one process of its own: it prepares, and returns what a turn calls. */
export type TurnTaking<Given, Asked> = (given: Given) => Promise<(asked: Asked) => Promise<Figures>>;

/** A row's measurement in a fresh process: nothing that was loaded or compiled for another client is there. */
export async function inChild(row: string, given: object): Promise<Figures> {
  const { next, stop } = start([row, JSON.stringify(given)]);
  try {
    return await next();
  } finally {
    stop();
  }
}

/** A process that has prepared, and waits for its turns. */
export interface TurnTaker<Asked extends object> {
  ask(asked: Asked): Promise<Figures>;
  stop(): void;
}

/** Starts a process that takes turns with others, so that a comparison is of the same seconds. */
export async function takeTurns<Asked extends object>(row: string, given: object): Promise<TurnTaker<Asked>> {
  const { child, next, stop } = start([row, JSON.stringify(given), "in turns"]);
  try {
    await next();
  } catch (error) {
    stop();
    throw error;
  }
  return {
    ask: (asked) => {
      child.send(asked);
      return next();
    },
    stop,
  };
}

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", () =>
      reject(new Error(/^\S*Error\b.*$/m.exec(errors)?.[0] ?? (errors || "the process ended without an answer"))),
    );
  });
  // It also ends when it is stopped, and then nobody waits for it.
  ended.catch(() => undefined);
  return {
    child,
    // The cast: what comes is what `measure` below sends.
    next: () => Promise.race([once(child, "message").then(([figures]) => figures as Figures), ended]),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** The memory that this process has at most from now on, above what it has now, in MB. */
export function watchMemory(): () => number {
  // Opened before the process may have as many files as it can.
  const file = openSync("/proc/self/status", "r");
  const kilobytes = (field: string) => {
    const status = Buffer.alloc(4_096);
    return Number(
      new RegExp(`${field}:\\s+(\\d+)`).exec(
        status.toString("utf8", 0, readSync(file, status, 0, status.length, 0)),
      )?.[1],
    );
  };
  globalThis.gc?.();
  const before = kilobytes("VmRSS");
  // Linux forgets the peak until now.
  writeFileSync("/proc/self/clear_refs", "5");
  return () => (kilobytes("VmHWM") - before) / 1_024;
}

/** The CPU time that this process takes from now on, in microseconds. */
export function watchCpu(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) void measure(process.argv.slice(2));

/** In the child: measures and sends the figures. The row imports this file, so that nothing may be awaited while it loads. */
async function measure([row = "", given = "", inTurns]: readonly string[]): Promise<void> {
  // The cast: a row is named that has the one or the other, and is given what that takes.
  const { measurement, turns } = (await import(`./rows/${row}.ts`)) as {
    readonly measurement: Measurement<object>;
    readonly turns: TurnTaking<object, unknown>;
  };
  try {
    if (inTurns === undefined) return void process.send?.(await measurement(JSON.parse(given) as object));
    const ask = await turns(JSON.parse(given) as object);
    process.on("message", (asked) => ask(asked).then((figures) => process.send?.(figures), fail));
    // It is ready.
    process.send?.({});
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}
