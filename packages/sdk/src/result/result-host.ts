import type { Fetch } from "../call/fetch.ts";
import type { UsedKeys } from "../call/hide-key.ts";
import type { Retries } from "../call/retries.ts";
import type { Emit, Report } from "../errors/events.ts";
import type { Check, Task } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import type { ResultGet } from "./get.ts";

/** What fetching results needs of a client. */
export interface ResultHost {
  /** The caller's fetch function, if there is one. */
  readonly fetch?: Fetch | undefined;
  /** The runtime's own way to get a result, if it has a better one than fetch. */
  readonly get?: ResultGet;
  readonly time: Time;
  readonly emit: Emit;
  readonly report: Report;
  /** Checks a task without reporting a failure, because the call that needs its results reports it. */
  readonly check: (task: Task, signal: AbortSignal | undefined) => Promise<Check>;
  /** The same policy and the same budget as for queries. */
  readonly retries: Retries;
  /** Hide the API key in texts. Some services put it into result URLs. */
  readonly keys: UsedKeys;
  /** The base URL. If its host is this machine or in a private network, so may be those of results. */
  readonly baseUrl: string;
}

/** The hosts of tasks. A task is plain data to its user, so the client is kept apart from it. */
export const hosts: WeakMap<Task, ResultHost> = new WeakMap();
