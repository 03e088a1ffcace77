import type { CallContext, CallHost } from "../call/call.ts";
import {
  ConnectionError,
  type LastRecord,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "../errors/errors.ts";
import { notLost } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Records, State, Task, WaitOptions } from "../task/task.ts";
import { Deadline, type Ending, orAbort } from "../time/deadline.ts";
import { Pace, type Polled } from "./pace.ts";
import type { PollLimit } from "./poll-limit.ts";

export const waitOptions: OptionTypes<WaitOptions> = {
  onUpdate: "function",
  waitTimeoutMs: "limit",
  signal: "signal",
};

export interface WaitCheck<K extends Kind = Kind> {
  readonly state: State;
  readonly status: number | undefined;
  readonly record: Records[K];
  readonly requestId: string | undefined;
  /**
   * Resolves once the end of the task is recorded, if there is one, and soon even if the store
   * hangs.
   */
  readonly recorded: Promise<void>;
}

export type Poll = Required<Pick<CallContext, "signal" | "pollTimeoutMs">>;

export type WaitHost = Pick<CallHost, "emit" | "time"> & { readonly pollLimit: PollLimit };

export async function waitFor<K extends Kind>(
  task: Task<K>,
  check: (poll: Poll) => Promise<WaitCheck<K>>,
  options: WaitOptions<K>,
  host: WaitHost,
): Promise<Records[K]> {
  const {
    onUpdate,
    waitTimeoutMs = 30 * 60_000,
    signal,
  } = readOptions("wait", options, waitOptions, notLost);
  signal?.throwIfAborted();
  const { pollLimit, time } = host;
  const pace = new Pace(task, waitTimeoutMs, pollLimit.durationsOf(task.model ?? task.kind), time);
  const start = time.steady();
  let last: Polled<WaitCheck<K>> | undefined;
  let lastRecord: LastRecord | undefined;
  let checks = 0;
  const poll = async (leftMs: number): Promise<Records[K] | undefined> => {
    // It is not over if the machine slept until the deadline had passed: then there is time for
    // another poll.
    if (leftMs <= 0) throw new WaitTimeoutError(task, waitTimeoutMs, last?.error, lastRecord);
    const deadline = new Deadline(time, leftMs, () => "the deadline has passed", signal);
    try {
      last = await pollLimit.poll(() => observe(check, deadline, pace, host));
      lastRecord = last.check ?? lastRecord;
      pace.learn(last);
      await orAbort(Promise.resolve(last.check?.recorded), deadline);
      const { state, status, record } = last.check ?? {};
      const elapsedMs = Math.round(time.steady() - start);
      const update = {
        task,
        checks: ++checks,
        elapsedMs,
        state,
        status,
        record,
        results: record?.url.length,
        error: last.error,
      };
      await orAbort(Promise.resolve(onUpdate?.(update)), deadline);
    } catch (error) {
      signal?.throwIfAborted();
      if (!deadline.passed) throw error;
    } finally {
      deadline.end();
    }
    if (!deadline.passed) pace.throwIfFinal(last?.error);
    if (!deadline.passed && last?.error) emitRetry(last, task, pace, host);
    if (last?.check?.state === "failed") throw new TaskFailedError(task, last.check.record);
    return last?.check?.state === "succeeded" ? last.check.record : undefined;
  };
  return pace.repeat(poll, pollLimit, signal);
}

/** Polls once. An error of the service or the network does not end the wait. */
async function observe<K extends Kind>(
  check: (poll: Poll) => Promise<WaitCheck<K>>,
  ending: Ending,
  pace: Pace,
  { pollLimit, time }: WaitHost,
): Promise<Polled<WaitCheck<K>>> {
  const sentAt = time.steady();
  const limitMs = pace.limitAt(sentAt, pollLimit.timeoutMs);
  const seen = await check({ signal: ending, pollTimeoutMs: limitMs }).catch((error: unknown) => {
    ending.throwIfAborted();
    if (error instanceof ServiceError || error instanceof ConnectionError) return error;
    throw error;
  });
  const tookMs = time.steady() - sentAt;
  if (!(seen instanceof ConnectionError)) pollLimit.recordLatency(tookMs);
  else if (tookMs >= limitMs) pace.timeouts++;
  return seen instanceof Error ? { sentAt, error: seen } : { sentAt, check: seen };
}

function emitRetry(
  { sentAt, error }: Polled,
  task: Task,
  pace: Pace,
  { emit, time }: WaitHost,
): void {
  const { kind, model, taskid, generationId } = task;
  // The cast: an error without a response has none of its fields.
  const { status, requestId } = error as Partial<ServiceError>;
  const operation = operations[kind].query.id;
  const about = { operation, kind, model, taskid, generationId, requestId };
  const delayMs = Math.max(0, Math.round(pace.due() - time.steady()));
  const durationMs = Math.round(time.steady() - sentAt);
  emit({
    type: "retried",
    ...about,
    at: time.now(),
    durationMs,
    attempt: pace.failures,
    delayMs,
    status,
    error,
  });
}
