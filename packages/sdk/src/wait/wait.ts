import { ConnectionError, type LastRecord, ServiceError, TaskFailedError, WaitTimeoutError } from "../errors/errors.ts";
import type { Emit } from "../errors/events.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Records, Task, WaitOptions } from "../task/task.ts";
import type { Cancel } from "../time/agenda.ts";
import type { Time } from "../time/clock.ts";
import { onAbort } from "../time/deadline.ts";
import { lastQueryMs, type Observation, Pace, type WaitCheck } from "./pace.ts";
import type { Scheduler } from "./scheduler.ts";

const waitOptions: OptionTypes<WaitOptions> = { onUpdate: "function", waitTimeoutMs: "number", signal: "signal" };

/** Queries a task once, without retries, because a wait repeats its queries itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal, timeoutMs: number) => Promise<WaitCheck<K>>;

type GivenOptions<K extends Kind> = WaitOptions<K> & { readonly waitTimeoutMs: number };

/** Dependencies of a wait. */
export interface WaitHost {
  readonly emit: Emit;
  readonly time: Time;
  readonly scheduler: Scheduler;
}

/** Polls a task until it has succeeded, and resolves to its record. */
export async function waitFor<K extends Kind>(
  task: Task<K>,
  check: CheckOnce<K>,
  options: WaitOptions<K>,
  host: WaitHost,
): Promise<Records[K]> {
  const given = readWaitOptions(options);
  given.signal?.throwIfAborted();
  return new Wait(task, check, given, host).run();
}

/** One wait for one task. */
class Wait<K extends Kind> {
  readonly #task: Task<K>;
  readonly #check: CheckOnce<K>;
  readonly #options: GivenOptions<K>;
  readonly #host: WaitHost;
  readonly #pace: Pace;
  readonly #start: number;
  #checks = 0;
  #last: Observation<K> | undefined;
  #lastRecord: LastRecord | undefined;
  #hasEnded = false;
  #query: AbortController | undefined;
  #cancelDeadline: Cancel = () => undefined;
  #release = (): void => undefined;
  #resolve = (_: Records[K]): void => undefined;
  #reject = (_: unknown): void => undefined;

  constructor(task: Task<K>, check: CheckOnce<K>, options: GivenOptions<K>, host: WaitHost) {
    this.#task = task;
    this.#check = check;
    this.#options = options;
    this.#host = host;
    this.#pace = new Pace(task, options.waitTimeoutMs, host.time, host.scheduler);
    this.#start = host.time.steady();
  }

  run(): Promise<Records[K]> {
    const { signal, waitTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
      this.#setDeadline(waitTimeoutMs, false);
      this.#release = onAbort(signal, () => this.#end(() => reject(signal?.reason)));
      this.#poll().catch((error: unknown) => this.#end(() => reject(error)));
    });
  }

  #setDeadline(ms: number, isExtended: boolean): void {
    const ring = (now: number, error: unknown) => {
      if (error !== undefined) this.#end(() => this.#reject(error));
      // The machine slept, so that there was no last query. There is time for it now.
      else if (!isExtended && now >= this.#pace.until + lastQueryMs) this.#setDeadline(lastQueryMs, true);
      else this.#settle(true);
    };
    this.#cancelDeadline = this.#host.time.alarm(ms, ring, "deadline");
  }

  async #poll(): Promise<void> {
    while (!this.#hasEnded) {
      const observed = await this.#host.scheduler.query(this.#pace, () => this.#observe());
      const { check, error, sentAt } = observed;
      if (this.#hasEnded) return;
      this.#checks++;
      this.#last = observed;
      if (check) this.#lastRecord = check;
      this.#pace.learn(observed);
      await check?.recorded;
      await this.#update(observed);
      this.#settle(sentAt >= this.#pace.until);
      this.#pace.rejectIfFinal(error);
      if (error && !this.#hasEnded) this.#emitRetry(error, sentAt);
    }
  }

  /** Queries once. An error of the service or the network is part of the result, because it does not end the wait. */
  async #observe(): Promise<Observation<K>> {
    const { timeoutMs } = this.#pace;
    const sentAt = this.#host.time.steady();
    this.#query = new AbortController();
    try {
      return { sentAt, timeoutMs, check: await this.#check(this.#query.signal, timeoutMs) };
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
      return { sentAt, timeoutMs, error };
    }
  }

  /** Calls the caller's `onUpdate`. */
  async #update({ check, error }: Observation<K>): Promise<void> {
    const { state, status, record } = check ?? {};
    const elapsedMs = Math.round(this.#host.time.steady() - this.#start);
    const { onUpdate } = this.#options;
    await onUpdate?.({ task: this.#task, checks: this.#checks, elapsedMs, state, status, record, error });
  }

  /** Ends the wait if the last query has seen the end of the task, or if the time is over. */
  #settle(isOver: boolean): void {
    const { check, error } = this.#last ?? {};
    if (check?.state === "succeeded") this.#end(() => this.#resolve(check.record));
    else if (check?.state === "failed") this.#end(() => this.#reject(new TaskFailedError(this.#task, check.record)));
    else if (isOver) {
      const { waitTimeoutMs } = this.#options;
      this.#end(() => this.#reject(new WaitTimeoutError(this.#task, waitTimeoutMs, error, this.#lastRecord)));
    }
  }

  #end(settle: () => void): void {
    this.#hasEnded = true;
    this.#cancelDeadline();
    this.#release();
    this.#pace.leave();
    // Without a reason, it would create an error.
    this.#query?.abort("the wait has ended");
    settle();
  }

  /** Emits that a poll failed, which the wait will repeat. */
  #emitRetry(error: unknown, sentAt: number): void {
    const { emit, time } = this.#host;
    const { kind, model, taskid, generationId } = this.#task;
    const [now, due] = [time.steady(), this.#pace.due()];
    const { status, requestId } = error instanceof ServiceError ? error : { status: undefined, requestId: undefined };
    emit({
      type: "retried",
      operation: operations[kind].query.id,
      ...{ kind, model, taskid, generationId, requestId },
      at: time.now(),
      durationMs: Math.round(now - sentAt),
      attempt: this.#pace.failures,
      delayMs: Math.max(0, Math.round(due - now)),
      ...{ status, error },
    });
  }
}

/**
 * Returns the options of a wait, with its timeout.
 *
 * @throws An {@link InvalidRequestError} if an option is not valid
 */
export function readWaitOptions<K extends Kind>(options: WaitOptions<K>): GivenOptions<K> {
  const given = readOptions("wait", options, waitOptions);
  return { ...given, waitTimeoutMs: given.waitTimeoutMs ?? 30 * 60_000 };
}
