import { fork, spawn, type ChildProcess } from "node:child_process";
import { openSync, readSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figures } from "./table.ts";

/** What a row measures in a process of its own: by name, from plain data. */
export type Measurement<Given> = (given: Given) => Promise<Figures>;

/** A row's measurement in a fresh process: nothing that was loaded or compiled for another client is there. */
export function inChild(
  row: string,
  given: object,
  { openFiles }: { readonly openFiles?: number } = {},
): Promise<Figures> {
  const args = [fileURLToPath(import.meta.url), row, JSON.stringify(given)];
  const stdio = ["ignore", "inherit", "pipe", "ipc"] as const;
  const child: ChildProcess =
    openFiles === undefined
      ? fork(args[0] ?? "", args.slice(1), { stdio: [...stdio] })
      : spawn("sh", ["-c", `ulimit -n ${openFiles} && exec "$0" "$@"`, process.execPath, ...args], {
          stdio: [...stdio],
        });
  return new Promise((resolve, reject) => {
    let errors = "";
    child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
    child.once("message", (figures) => {
      // The cast: what comes is what `measure` below sends.
      resolve(figures as Figures);
      child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("exit", () =>
      reject(new Error(/^\S*Error\b.*$/m.exec(errors)?.[0] ?? (errors || "the process ended without an answer"))),
    );
  });
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

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) void measure(process.argv[2], process.argv[3]);

/** In the child: measures and sends the figures. The row imports this file, so that nothing may be awaited while it loads. */
async function measure(row = "", given = ""): Promise<void> {
  // The cast: `inChild` names a row that has a measurement, and gives it what it takes.
  const { measurement } = (await import(`./rows/${row}.ts`)) as { readonly measurement: Measurement<object> };
  try {
    process.send?.(await measurement(JSON.parse(given) as object));
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
