import { checkNumbers } from "../errors/check-numbers.ts";
import { ConnectionError, ServiceError, TaskFailedError, WaitTimeoutError } from "../errors/errors.ts";
import type { Kind } from "../spec/operation.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Check, Records, Task, WaitOptions } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { Deadline } from "../time/deadline.ts";
import { type Observation, Pace } from "./pace.ts";
import type { Scheduler } from "./scheduler.ts";

/** How many envelopes with code 9999 in a row end a wait. */
const maxRefusals = 5;
/** How long a query may take, doubled after each that failed: a query that hangs holds a slot that others need. */
const firstTimeoutMs = 10_000;
/** How long before the deadline the task is queried a last time. */
const lastQueryMs = 1_000;

/** Queries a task once, without retries, because a wait repeats its queries itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal, timeoutMs: number) => Promise<Check<K>>;

/** What a wait needs from its client. */
export interface WaitHost extends Time {
  readonly scheduler: Scheduler;
}

/** Polls a task until it has succeeded, and resolves to its record. */
export async function waitFor<K extends Kind>(
  task: Task<K>,
  check: CheckOnce<K>,
  options: WaitOptions<K>,
  host: WaitHost,
): Promise<Records[K]> {
  const { signal, onUpdate } = options;
  const waitTimeoutMs = waitTimeoutOf(options);
  signal?.throwIfAborted();
  const start = host.steady();
  const lastQueryAt = start + waitTimeoutMs - Math.min(lastQueryMs, waitTimeoutMs / 2);
  const timeout = () => new Error(`the wait took ${waitTimeoutMs} ms`);
  const deadline = new Deadline(host, waitTimeoutMs, timeout, signal, "deadline");
  const pace = new Pace(task, host.scheduler.durationsOf(task.model ?? task.kind), host);
  let lastError: unknown;
  try {
    for (let checks = 1, refusals = 0; ; checks++) {
      const latest = host.steady() < lastQueryAt ? lastQueryAt : Infinity;
      const slot = { due: () => Math.min(pace.due(), latest), failing: pace.failures > 0, signal: deadline.signal };
      const observed = await host.scheduler.query(slot, () =>
        observe(check, deadline.signal, firstTimeoutMs * 2 ** pace.failures, host),
      );
      const { error, state, status, record } = observed;
      pace.learn(observed);
      await onUpdate?.({ task, checks, elapsedMs: host.steady() - start, state, status, record, error });
      if (record && state === "failed") throw new TaskFailedError(task, record);
      if (record && state === "succeeded") return record;
      lastError = error;
      refusals = isRefusal(error) && host.steady() >= pace.settledAt ? refusals + 1 : 0;
      if (isRefusal(error) && refusals >= maxRefusals) throw refusedWait(task, error);
    }
  } catch (error) {
    signal?.throwIfAborted();
    // If something else ended the wait just before the deadline, that counts: a failed task, or an error of the caller's.
    if (deadline.passed && error === deadline.signal.reason) throw new WaitTimeoutError(task, waitTimeoutMs, lastError);
    throw error;
  } finally {
    deadline.end();
  }
}

/**
 * Returns how long to wait at most.
 *
 * @throws {@link InvalidRequestError} if `waitTimeoutMs` is not a number of milliseconds
 */
export function waitTimeoutOf({ waitTimeoutMs = 30 * 60_000 }: Pick<WaitOptions, "waitTimeoutMs">): number {
  checkNumbers("wait", { waitTimeoutMs }, ["waitTimeoutMs"]);
  return waitTimeoutMs;
}

/** Queries once. An error of the service or the network is part of the result, because it does not end the wait. */
async function observe<K extends Kind>(
  check: CheckOnce<K>,
  signal: AbortSignal,
  timeoutMs: number,
  { steady }: Time,
): Promise<Observation<K>> {
  const sentAt = steady();
  try {
    return { sentAt, ...(await check(signal, timeoutMs)), error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
    return { sentAt, state: undefined, status: undefined, record: undefined, error };
  }
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === codes.failure;
}

function refusedWait(task: Task, { operation, status, code, msg, body }: ServiceError): ServiceError {
  const what = `the service rejected ${maxRefusals} queries of task ${task.taskid} in a row (code ${code}: ${msg})`;
  return new ServiceError(what, operation, { status, text: body }, { code, msg }, task);
}
