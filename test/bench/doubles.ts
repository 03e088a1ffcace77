import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** How the server responds. */
export interface Settings {
  /** How it loses a fifth of the responses to generations, and which ones. */
  readonly lose?: "cut" | "closed" | "rejected";
  readonly seed?: number;
}

/** What the server has seen since its settings were given. */
export interface Seen {
  readonly queries: number;
  /** Sockets that were open at once. */
  readonly sockets: number;
  /** Tasks that were billed, by the number that the prompt names; more than one is a duplicate. */
  readonly paid: Readonly<Record<string, readonly string[]>>;
  readonly bytes: number;
}

/**
 * The local server, which speaks as each client's own service does: a client's URL is `base` and
 * its own name.
 */
export interface Doubles {
  readonly base: string;
  set(settings: Settings): Promise<void>;
  seen(): Promise<Seen>;
  stop(): void;
}

/**
 * Starts the server in a process of its own. Its code is in a file of its own, too: processes that
 * measure import this one, and node:http would load undici into them before anything is measured.
 */
export async function startDoubles(): Promise<Doubles> {
  const child = fork(fileURLToPath(new URL("doubles-server.ts", import.meta.url)), {
    stdio: "inherit",
  });
  // The casts: what comes is what the server sends.
  const ask = async (settings: Settings | "seen") => {
    child.send(settings);
    return ((await once(child, "message")) as [Seen])[0];
  };
  const [port] = (await once(child, "message")) as [number];
  return {
    base: `http://127.0.0.1:${port}`,
    set: async (settings) => void (await ask(settings)),
    seen: () => ask("seen"),
    stop: () => void child.kill("SIGKILL"),
  };
}

let count = 0;

/** The id of a task that is done so long after it was born: the server needs to remember none. */
export function newTaskid(bornAt: number, lastsMs: number): string {
  return `task-${bornAt}-${Math.round(lastsMs)}-${++count}`;
}

/** When a task was born, in milliseconds since 1970. */
export function bornAtOf(taskid: string): number {
  return Number(taskid.split("-")[1]);
}

/** When a task is done, in milliseconds since 1970. */
export function endOf(taskid: string): number {
  return bornAtOf(taskid) + Number(taskid.split("-")[2]);
}
