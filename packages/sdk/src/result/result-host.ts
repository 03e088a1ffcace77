import type { CallHost } from "../call/call.ts";
import type { Fetch } from "../call/fetch.ts";
import type { Report } from "../errors/events.ts";
import type { Check, Task } from "../task/task.ts";
import type { ResultGet } from "./get.ts";

export interface ResultHost extends Pick<CallHost, "baseUrl" | "emit" | "keys" | "retries" | "time"> {
  readonly fetch?: Fetch | undefined;
  /** The runtime's own way to get a result, if it has a better one than fetch. */
  readonly get?: ResultGet;
  readonly report: Report;
  /** Checks a task without reporting a failure, because the call that needs its results reports it. */
  readonly check: (task: Task, signal: AbortSignal | undefined) => Promise<Check>;
}

/** The hosts of tasks. A task is plain data to its user, so the client is kept apart from it. */
export const hosts: WeakMap<Task, ResultHost> = new WeakMap();
