import { InvalidRequestError, ServiceError, TaskFailedError, WaitTimeoutError } from "./errors.ts";
import type { Kind } from "./operation.ts";
import type { State } from "./state.ts";
import type { CallOptions, Records, Task, TaskHost } from "./task.ts";

/** What a wait tells after each check. */
export interface WaitUpdate<K extends Kind = Kind> {
  readonly task: Task<K>;
  /** How many checks were made so far. */
  readonly checks: number;
  /** How long the wait has taken so far, in milliseconds. */
  readonly elapsedMs: number;
  /** Our reading of the record; undefined where the check failed. */
  readonly state: State | undefined;
  /** The raw status; undefined where the check failed or the record has none. */
  readonly status: number | undefined;
  readonly record: Records[K] | undefined;
  /** Why the check failed, where it did. The wait goes on. */
  readonly error: unknown;
}

/** How to wait for a task. */
export interface WaitOptions<K extends Kind = Kind> extends CallOptions {
  /** Is told of every check. */
  readonly onUpdate?: ((update: WaitUpdate<K>) => void) | undefined;
  /**
   * How long to wait at most, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
}

/** How long after its creation a task may be unknown to the service's queries. */
const settlingMs = 60_000;
/** After how many refusals in a row a wait gives up. */
const refusalsAtMost = 5;
const firstIntervalMs = 500;
const lastIntervalMs = 10_000;

/** Checks a task until it has succeeded and answers its record. */
export async function waitFor<K extends Kind>(task: Task<K>, options: WaitOptions<K>, host: TaskHost): Promise<Records[K]> {
  const { signal, onUpdate, timeoutMs = 30 * 60_000 } = options;
  if (!(timeoutMs >= 0)) {
    throw new InvalidRequestError("wait", [{ field: "timeoutMs", got: String(timeoutMs), allowed: "milliseconds, 0 or more" }]);
  }
  signal?.throwIfAborted();
  const start = host.now();
  const deadline = new AbortController();
  const ended = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
  void host.sleep(timeoutMs, ended).then(
    () => deadline.abort(),
    () => undefined, // The wait ended before its deadline.
  );
  let lastError: unknown;
  try {
    for (let checks = 1, refusals = 0; ; checks++) {
      const { error, state, status, record } = await checkOnce(task, ended);
      onUpdate?.({ task, checks, elapsedMs: host.now() - start, state, status, record, error });
      if (record && state === "failed") throw new TaskFailedError(task, record);
      if (record && state === "succeeded") return record;
      lastError = error;
      if (record) refusals = 0;
      else if (isRefusal(error) && !isYoung(task, host)) refusals++;
      if (refusals >= refusalsAtMost) throw error;
      const interval = Math.min(firstIntervalMs * 1.5 ** (checks - 1), lastIntervalMs);
      await host.sleep(interval * (0.75 + host.random() / 2), ended);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.signal.aborted) throw new WaitTimeoutError(task, timeoutMs, lastError);
    throw error;
  } finally {
    deadline.abort();
  }
}

type CheckOrError<K extends Kind> = Pick<WaitUpdate<K>, "state" | "status" | "record" | "error">;

/** One check; a failure is an answer too, because it does not end a wait, unless the wait has ended. */
async function checkOnce<K extends Kind>(task: Task<K>, signal: AbortSignal): Promise<CheckOrError<K>> {
  try {
    return { ...(await task.check({ signal })), error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { state: undefined, status: undefined, record: undefined, error };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.code !== undefined;
}

function isYoung({ createdAt }: Task, host: TaskHost): boolean {
  return createdAt !== undefined && host.now() - createdAt < settlingMs;
}
