import { ConnectionError, type LastRecord, ServiceError, TaskFailedError, WaitTimeoutError } from "../errors/errors.ts";
import type { Emit } from "../errors/events.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Records, State, Task, WaitOptions } from "../task/task.ts";
import type { Cancel } from "../time/agenda.ts";
import type { Time } from "../time/clock.ts";
import { onAbort } from "../time/deadline.ts";
import { Pace } from "./pace.ts";
import type { Poller, Scheduler } from "./scheduler.ts";

/** The types of the options of a wait. */
export const waitOptions: OptionTypes<WaitOptions> = {
  onUpdate: "function",
  waitTimeoutMs: "number",
  signal: "signal",
};

/** The time before the deadline at which the task is queried a last time. */
const lastQueryMs = 1_000;

/** What a query has shown. */
export interface WaitCheck<K extends Kind = Kind> {
  readonly state: State;
  readonly status: number | undefined;
  readonly record: Records[K];
  readonly requestId: string | undefined;
  /** Resolves once the end of the task is recorded, if there is one, and soon even if the store hangs. */
  readonly recorded: Promise<void>;
}

/** Queries a task once, without retries, because a wait repeats its queries itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal, timeoutMs: number) => Promise<WaitCheck<K>>;

/** The outcome of a query: a check or an error. */
interface Observation<K extends Kind> {
  /** The time when it was sent, by the steady clock. */
  readonly sentAt: number;
  readonly check: WaitCheck<K> | undefined;
  readonly error: unknown;
}

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
  const given = readOptions("wait", options, waitOptions);
  given.signal?.throwIfAborted();
  return new Wait(task, check, given, host).run();
}

/** One wait for one task. */
class Wait<K extends Kind> implements Poller {
  leave: Cancel = () => undefined;
  readonly #task: Task<K>;
  readonly #check: CheckOnce<K>;
  readonly #options: WaitOptions<K>;
  readonly #timeoutMs: number;
  readonly #host: WaitHost;
  readonly #pace: Pace;
  /** The times of its start, its deadline and the last query before that, by the steady clock. */
  readonly #start: number;
  readonly #until: number;
  readonly #lastQueryAt: number;
  /** The time of the next query at the latest. */
  #latest: number;
  #checks = 0;
  #last: Observation<K> | undefined;
  #lastRecord: LastRecord | undefined;
  /** The number of queries that timed out since the last response. */
  #timeouts = 0;
  #query: AbortController | undefined;
  #hasEnded = false;
  #cancelDeadline: Cancel = () => undefined;
  #release = (): void => undefined;
  #resolve = (_: Records[K]): void => undefined;
  #reject = (_: unknown): void => undefined;

  constructor(task: Task<K>, check: CheckOnce<K>, options: WaitOptions<K>, host: WaitHost) {
    this.#task = task;
    this.#check = check;
    this.#options = options;
    this.#timeoutMs = options.waitTimeoutMs ?? 30 * 60_000;
    this.#host = host;
    this.#pace = new Pace(task, host.scheduler.durationsOf(task.model ?? task.kind), host.time);
    this.#start = host.time.steady();
    this.#until = this.#start + this.#timeoutMs;
    this.#latest = this.#lastQueryAt = this.#until - Math.min(lastQueryMs, this.#timeoutMs / 2);
  }

  run(): Promise<Records[K]> {
    const { signal } = this.#options;
    return new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
      this.#setDeadline(this.#timeoutMs, false);
      this.#release = onAbort(signal, () => this.fail(signal?.reason));
      this.#host.scheduler.add(this);
    });
  }

  #setDeadline(ms: number, isExtended: boolean): void {
    const ring = (now: number, error: unknown) => {
      if (error !== undefined) this.fail(error);
      // The machine slept, so that there was no last query. There is time for it now.
      else if (!isExtended && now >= this.#until + lastQueryMs) this.#setDeadline(lastQueryMs, true);
      else this.#settle(true);
    };
    this.#cancelDeadline = this.#host.time.alarm(ms, ring, "deadline");
  }

  due(): number {
    return Math.min(this.#pace.due(), this.#latest);
  }

  get isFailing(): boolean {
    return this.#pace.failures > 0;
  }

  async poll(): Promise<void> {
    const { scheduler, time } = this.#host;
    const sentAt = time.steady();
    // A query that hangs makes room for the last one before the deadline.
    const untilLast = Math.max(this.#lastQueryAt - sentAt, lastQueryMs);
    const limitMs = Math.min(scheduler.timeoutMs * 2 ** this.#timeouts, untilLast);
    this.#query = new AbortController();
    let error: unknown;
    const check = await this.#check(this.#query.signal, limitMs).catch((thrown: unknown) => {
      error = thrown;
      return undefined;
    });
    this.#query = undefined;
    const tookMs = time.steady() - sentAt;
    if (check || error instanceof ServiceError) {
      scheduler.recordLatency(tookMs);
      this.#timeouts = 0;
    } else if (tookMs >= limitMs) this.#timeouts++;
    this.#last = { sentAt, check, error };
  }

  async read(): Promise<void> {
    try {
      if (this.#last && !this.#hasEnded) await this.#read(this.#last);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Learns from a query and reports it. Then the wait ends or goes on: an error of the service or the network does not end it. */
  async #read({ sentAt, check, error }: Observation<K>): Promise<void> {
    const { scheduler, time } = this.#host;
    if (check) {
      this.#lastRecord = check;
      this.#pace.learn(check, sentAt);
    } else if (error instanceof ServiceError || error instanceof ConnectionError) this.#pace.learnFailure(error);
    else throw error;
    // If the machine sleeps until the deadline has passed, the next query is sent at once.
    this.#latest = time.steady() < this.#lastQueryAt ? this.#lastQueryAt : this.#until + lastQueryMs;
    await check?.recorded;
    const { state, status, record } = check ?? {};
    const [checks, elapsedMs] = [++this.#checks, Math.round(time.steady() - this.#start)];
    await this.#options.onUpdate?.({ task: this.#task, checks, elapsedMs, state, status, record, error });
    this.#settle(sentAt >= this.#until);
    this.#pace.throwIfFinal(error);
    if (this.#hasEnded) return;
    if (error) this.#emitRetry(error, sentAt);
    scheduler.add(this);
  }

  /** Ends the wait if the last query has seen the end of the task, or if the time is over. */
  #settle(isOver: boolean): void {
    const { check, error } = this.#last ?? {};
    if (check?.state === "succeeded") this.#end(() => this.#resolve(check.record));
    else if (check?.state === "failed") this.fail(new TaskFailedError(this.#task, check.record));
    else if (isOver) this.fail(new WaitTimeoutError(this.#task, this.#timeoutMs, error, this.#lastRecord));
  }

  /** Ends the wait with an error. */
  fail(error: unknown): void {
    this.#end(() => this.#reject(error));
  }

  #end(settle: () => void): void {
    this.#hasEnded = true;
    this.#cancelDeadline();
    this.#release();
    this.leave();
    // Without a reason, it would create an error.
    this.#query?.abort("the wait has ended");
    settle();
  }

  /** Emits that a poll failed, which the wait will repeat. */
  #emitRetry(error: unknown, sentAt: number): void {
    const { emit, time } = this.#host;
    const { kind, model, taskid, generationId } = this.#task;
    const { status, requestId } = error instanceof ServiceError ? error : { status: undefined, requestId: undefined };
    const about = { operation: operations[kind].query.id, kind, model, taskid, generationId, requestId };
    const [now, attempt] = [time.steady(), this.#pace.failures];
    const delayMs = Math.max(0, Math.round(this.due() - now));
    const durationMs = Math.round(now - sentAt);
    emit({ type: "retried", ...about, at: time.now(), durationMs, attempt, delayMs, status, error });
  }
}
