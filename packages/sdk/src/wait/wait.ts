import { type OptionTypes, readOptions } from "../errors/options.ts";
import { ConnectionError, type LastRecord, ServiceError, TaskFailedError, WaitTimeoutError } from "../errors/errors.ts";
import type { Emit } from "../errors/events.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { CheckedRecord, Records, Task, WaitOptions } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { type Observation, Pace } from "./pace.ts";
import { Rejections } from "./rejections.ts";
import type { Scheduler } from "./scheduler.ts";

const waitOptions: OptionTypes<WaitOptions> = { onUpdate: "function", waitTimeoutMs: "number", signal: "signal" };

/** The time before the deadline at which the task is queried a last time. */
const lastQueryMs = 1_000;

/** A check, and a fact that only a wait reads. */
export type RecordedCheck<K extends Kind> = CheckedRecord<K> & {
  /** Resolves once the end of the task is recorded, if there is one, and soon even if the store hangs. */
  readonly recorded: Promise<void>;
};

/** Queries a task once, without retries, because a wait repeats its queries itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal, timeoutMs: number) => Promise<RecordedCheck<K>>;

type GivenOptions<K extends Kind> = WaitOptions<K> & { readonly waitTimeoutMs: number };

type RecordedObservation<K extends Kind> = Observation<K> & Partial<Pick<RecordedCheck<K>, "recorded">>;

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
  readonly #timeoutMs: number;
  readonly #host: WaitHost;
  readonly #start: number;
  readonly #lastQueryAt: number;
  readonly #deadline: Deadline;
  readonly #pace: Pace;
  #checks = 0;
  #lastError: unknown;
  #lastRecord: LastRecord | undefined;
  /** The number of queries that timed out since the last response. */
  #timeoutsInARow = 0;
  readonly #rejections: Rejections;

  constructor(task: Task<K>, check: CheckOnce<K>, options: GivenOptions<K>, host: WaitHost) {
    const timeoutMs = options.waitTimeoutMs;
    this.#task = task;
    this.#check = check;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#host = host;
    this.#start = host.time.steady();
    this.#lastQueryAt = this.#start + timeoutMs - Math.min(lastQueryMs, timeoutMs / 2);
    this.#deadline = new Deadline(
      host.time,
      timeoutMs,
      () => new Error(`the wait took ${timeoutMs} ms`),
      options.signal,
      "deadline",
    );
    this.#pace = new Pace(task, host.scheduler.durationsOf(task.model ?? task.kind), host.time);
    this.#rejections = new Rejections(task, this.#pace.settledAt, host.time);
  }

  async run(): Promise<Records[K]> {
    try {
      for (;;) {
        const record = await this.#read(await this.#poll());
        if (record) return record;
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      // If something else ended the wait just before the deadline, that counts: a failed task, or the caller's own error.
      if (!this.#isTimeout(error)) throw error;
      const record = await this.#pollLate();
      if (record) return record;
      throw new WaitTimeoutError(this.#task, this.#timeoutMs, this.#lastError, this.#lastRecord);
    } finally {
      this.#deadline.end();
    }
  }

  /** Polls once more if the deadline came late: the machine slept, so that there was no last poll before it. */
  async #pollLate(): Promise<Records[K] | undefined> {
    const { scheduler, time } = this.#host;
    const now = time.steady();
    if (now < this.#start + this.#timeoutMs + lastQueryMs) return undefined;
    const signal = this.#options.signal ?? new AbortController().signal;
    const slot = { due: () => now, failing: this.#pace.failures > 0, signal };
    return this.#read(await scheduler.query(slot, () => this.#observe(signal)));
  }

  /** Learns from an observation and reports it. Returns the record of a task that has succeeded; throws if it has failed. */
  async #read(observed: RecordedObservation<K>): Promise<Records[K] | undefined> {
    const { state, status, record, error } = observed;
    this.#checks++;
    this.#pace.learn(observed);
    this.#lastError = error;
    if (record) this.#lastRecord = { record, status };
    await observed.recorded;
    await this.#update(observed);
    if (record && state === "failed") throw new TaskFailedError(this.#task, record);
    if (state === "succeeded") return record;
    this.#rejections.check(error);
    if (error) this.#emitRetry(error, observed.sentAt);
    return undefined;
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

  /** Queries the task as soon as it is due and the client may send another query. */
  async #poll(): Promise<RecordedObservation<K>> {
    const { scheduler, time } = this.#host;
    const latest = time.steady() < this.#lastQueryAt ? this.#lastQueryAt : Infinity;
    const slot = {
      due: () => Math.min(this.#pace.due(), latest),
      failing: this.#pace.failures > 0,
      signal: this.#deadline.signal,
    };
    return scheduler.query(slot, () => this.#observe(this.#deadline.signal));
  }

  /** Queries once. An error of the service or the network is part of the result, because it does not end the wait. */
  async #observe(signal: AbortSignal): Promise<RecordedObservation<K>> {
    const { scheduler, time } = this.#host;
    const sentAt = time.steady();
    // A query that hangs makes room for the last one before the deadline.
    const untilLast = Math.max(this.#lastQueryAt - sentAt, lastQueryMs);
    const limitMs = Math.min(scheduler.pollTimeout.limitMs(this.#timeoutsInARow), untilLast);
    try {
      const check = await this.#check(signal, limitMs);
      this.#learnLatency(time.steady() - sentAt);
      return { sentAt, ...check, error: undefined };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
      const tookMs = time.steady() - sentAt;
      if (error instanceof ServiceError) this.#learnLatency(tookMs);
      else if (tookMs >= limitMs) this.#timeoutsInARow++;
      return { sentAt, state: undefined, status: undefined, record: undefined, error };
    }
  }

  /** Records how long a response took. */
  #learnLatency(tookMs: number): void {
    this.#host.scheduler.pollTimeout.record(tookMs);
    this.#timeoutsInARow = 0;
  }

  /** Calls the caller's `onUpdate`. A final record counts even if the deadline passes before that settles. */
  async #update({ state, status, record, error }: Observation<K>): Promise<void> {
    const { onUpdate } = this.#options;
    if (!onUpdate) return;
    const elapsedMs = Math.round(this.#host.time.steady() - this.#start);
    const update = { task: this.#task, checks: this.#checks, elapsedMs, state, status, record, error };
    try {
      await orAbort(Promise.resolve(onUpdate(update)), this.#deadline.signal);
    } catch (thrown) {
      if (!this.#isTimeout(thrown)) throw thrown;
    }
  }

  #isTimeout(error: unknown): boolean {
    return this.#deadline.passed && error === this.#deadline.signal.reason;
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
