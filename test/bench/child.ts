import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figures } from "./table.ts";

/** What a row measures in a process of its own, from plain data. */
export type Measurement<Given> = (given: Given) => Promise<Figures>;

/**
 * A row's measurement in a fresh process: nothing that was loaded or compiled for another client is
 * there.
 */
export async function inChild(row: string, given: object): Promise<Figures> {
  const child = spawn(
    process.execPath,
    ["--expose-gc", fileURLToPath(import.meta.url), row, JSON.stringify(given)],
    {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    },
  );
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const ended = once(child, "close").then(() => {
    throw new Error(
      /^\S*Error\b.*$/m.exec(errors)?.[0] ?? (errors || "the process ended without figures"),
    );
  });
  // It also ends after its figures, and then nobody waits for it.
  ended.catch(() => undefined);
  try {
    // The cast: what comes is what `measure` below sends.
    return ((await Promise.race([once(child, "message"), ended])) as [Figures])[0];
  } finally {
    child.kill("SIGKILL");
  }
}

/** The most memory that this process has from now on, above what it has now, in MB. */
export function watchMemory(): () => number {
  // Opened before the process may have as many files as it can.
  const file = openSync("/proc/self/status", "r");
  const status = Buffer.alloc(4_096);
  const kilobytes = (field: string) => {
    const text = status.toString("utf8", 0, readSync(file, status, 0, status.length, 0));
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]);
  };
  globalThis.gc?.();
  const before = kilobytes("VmRSS");
  // Linux forgets the peak until now.
  writeFileSync("/proc/self/clear_refs", "5");
  return () => (kilobytes("VmHWM") - before) * 1.024e-3;
}

/** The CPU time that this process takes from now on, in milliseconds. */
export function watchCpu(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/** Calls so often, so many at once, and resolves to the milliseconds that it took. */
export async function load(
  call: (index: number) => Promise<unknown>,
  atOnce: number,
  count: number,
): Promise<number> {
  const begin = performance.now();
  let next = 0;
  const one = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return performance.now() - begin;
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  void measure(process.argv.slice(2));

/**
 * In the child: measures and sends the figures. The row imports this file, so that nothing may be
 * awaited while it loads.
 */
async function measure([row = "", given = ""]: readonly string[]): Promise<void> {
  // The cast: a row is named that has one, and is given what it takes.
  const { measurement } = (await import(`./rows/${row}.ts`)) as {
    readonly measurement: Measurement<object>;
  };
  process.send?.(await measurement(JSON.parse(given) as object));
}
