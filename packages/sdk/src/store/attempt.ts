import { MediaGenError, messageOf, StoreError } from "../errors/errors.ts";
import { OutcomeUnknownError } from "../errors/response-errors.ts";
import type { GenerationFacts, GenerationRecord, GenerationState } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Session } from "./session.ts";

/** How often a sender renews its record: several times before anybody takes it for silent. */
const renewMs = 5_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** More than others could have written in the meantime. */
const mostTries = 20;

/** Somebody else has moved the record on: this attempt must not be sent. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/** One attempt to generate. Until it ends it renews its record, and nobody else writes it unless it is silent. */
export class Attempt {
  readonly #session: Session;
  readonly #base: Omit<GenerationRecord, "revision" | "state" | "updatedAt">;
  #revision: number;
  /** The attempt that has written it. */
  #follows: string | undefined;
  /** What it is renewed as; undefined before it is recorded and after it has ended. */
  #state: "claimed" | "sending" | undefined;
  /** Whether a first write rejected, which may have happened all the same. */
  #mayBeRecorded = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #ending = new AbortController();
  /** The id of the record that its task gets if its own has become another attempt's. */
  readonly #besideId = crypto.randomUUID();

  constructor(session: Session, facts: GenerationFacts, id: string, replaces: GenerationRecord | undefined) {
    const { time, processes } = session.host;
    const { sender } = processes;
    this.#session = session;
    this.#revision = replaces?.revision ?? 0;
    this.#follows = replaces?.attempt;
    this.#base = { version: 1, ...facts, id, attempt: crypto.randomUUID(), createdAt: time.now(), sender };
  }

  /** The id of its record. */
  get id(): string {
    return this.#base.id;
  }

  /** When it began, in milliseconds since 1970. */
  get createdAt(): number {
    return this.#base.createdAt;
  }

  /**
   * Claims the key: nothing is sent yet. Resolves to false if another attempt came first.
   *
   * @throws A {@link StoreError} if it could not be recorded
   */
  claim(): Promise<boolean> {
    return this.#move("claimed");
  }

  /**
   * Records, immediately before the first byte leaves, that it is sent; or, before a retry delay, that nothing of it was.
   *
   * @throws An {@link OvertakenError} if it must not be sent
   * @throws A {@link StoreError} if it could not be recorded, so that it must not be sent
   */
  async enter(state: "sending" | "claimed"): Promise<void> {
    if (state === "claimed" && this.#state !== "sending") return;
    if (!(await this.#move(state))) throw new OvertakenError("the generation was taken over");
  }

  /** Records the task and returns it. Never rejects: a paid task must not be lost with a store. */
  async created(task: TaskJSON): Promise<TaskJSON> {
    const recorded = { ...task, generationId: this.id };
    // Its key stands for it from now on, however long its record takes.
    this.#session.unrecorded.set(this.id, recorded);
    return (await this.#finish(() => this.#recordTask(recorded), recorded)) ?? recorded;
  }

  /** Records that there is no task, or that nobody knows. Never rejects. */
  async failed(thrown: unknown, signal: AbortSignal | undefined): Promise<void> {
    // An abort may have come while it was being recorded as sending: what it is recorded as counts.
    await this.#last.catch(() => undefined);
    const isRecorded = this.#state !== undefined || this.#mayBeRecorded;
    if (thrown instanceof OvertakenError || !isRecorded) return this.stop();
    // What neither this SDK nor the caller's signal throws proves nothing of what was sent.
    const isExpected = thrown instanceof MediaGenError || (signal?.aborted && thrown === signal.reason);
    const isUnknown = thrown instanceof OutcomeUnknownError || (this.#state === "sending" && !isExpected);
    const reason = thrown instanceof OutcomeUnknownError ? thrown.reason : messageOf(thrown);
    const state = isUnknown ? "unknown" : "notCreated";
    await this.#finish(async () => void (await this.#write(state, { reason })), undefined);
  }

  /** Renews its record no longer. */
  stop(): void {
    // With a reason: the default one is an error, whose stack trace takes as long as a write.
    this.#ending.abort("ended");
    this.#session.active.delete(this.id);
  }

  async #move(state: "claimed" | "sending"): Promise<boolean> {
    const write = async () => {
      if (!(await this.#write(state))) return false;
      const isFirst = this.#state === undefined;
      // Within its turn: a renewal that waits behind it must not record what is sent as claimed.
      this.#state = state;
      if (isFirst) void this.#renew();
      return true;
    };
    return this.#afterLastWrite(write).catch((cause: unknown) => {
      this.#mayBeRecorded = true;
      const outcome = "No task was created, so it is safe to retry.";
      throw new StoreError(this.#base.model, "the store could not record it", outcome, cause);
    });
  }

  /** Writes the next revision; false if somebody else has moved the record on. */
  async #write(state: GenerationState, further: Partial<GenerationRecord> = {}): Promise<boolean> {
    for (;;) {
      const result = await this.#session.write(this.#record(state, further));
      if (result.written) this.#revision++;
      else if (this.#isOwn(result.current) || this.#corrects(state, result.current)) {
        this.#revision = result.current.revision;
      } else return false;
      this.#follows = this.#base.attempt;
      if (result.written) return true;
    }
  }

  #record(state: GenerationState, further: Partial<GenerationRecord>): GenerationRecord {
    const updatedAt = this.#session.host.time.now();
    return { ...this.#base, ...further, state, revision: this.#revision + 1, follows: this.#follows, updatedAt };
  }

  /** Whether it is what this attempt itself has written, by a write that seemed to fail. */
  #isOwn(current: GenerationRecord | undefined): current is GenerationRecord {
    if (current?.attempt !== this.#base.attempt || current.revision <= this.#revision) return false;
    return current.state === "claimed" || current.state === "sending";
  }

  /** One write after the other, renewals included. */
  #afterLastWrite<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(write, write);
    this.#last = turn;
    return turn;
  }

  /** Whether this attempt knows that there is no task where others had to take its outcome for unknown. */
  #corrects(state: GenerationState, current: GenerationRecord | undefined): current is GenerationRecord {
    const isTakenForUnknown = current?.attempt === this.#base.attempt && current.state === "unknown";
    return state === "notCreated" && isTakenForUnknown && current.revision > this.#revision;
  }

  async #renew(): Promise<void> {
    const { time } = this.#session.host;
    this.#session.active.add(this.id);
    try {
      for (;;) {
        await time.sleep(renewMs, this.#ending.signal, "background");
        // One that fails is tried again before the record counts as silent.
        await this.#afterLastWrite(async () => this.#state && this.#write(this.#state)).catch(() => undefined);
      }
    } catch {
      // The attempt has ended.
    }
  }

  /** Runs the last write once in the foreground and, if it fails, again and again in the background. */
  async #finish(write: () => Promise<TaskJSON | undefined>, task: TaskJSON | undefined): Promise<TaskJSON | undefined> {
    const { id } = this;
    const { emit } = this.#session.host;
    this.#state = undefined;
    try {
      const recorded = await this.#afterLastWrite(write);
      this.#session.unrecorded.delete(id);
      return recorded;
    } catch (error) {
      emit("storeFailed", () => ({ generationId: id, task, error }));
      this.#retry(write).catch((failure: unknown) =>
        emit("storeFailed", () => ({ generationId: id, task, error: failure })),
      );
      return undefined;
    } finally {
      this.stop();
    }
  }

  /** Tries until it succeeds or the process ends, which it does not keep alive. */
  async #retry(write: () => Promise<unknown>): Promise<void> {
    const { time } = this.#session.host;
    const never = new AbortController().signal;
    for (let delayMs = firstRetryMs; ; delayMs = Math.min(2 * delayMs, longestRetryMs)) {
      await time.sleep(delayMs, never, "background");
      const recorded = await this.#afterLastWrite(write).then(
        () => true,
        () => false,
      );
      if (recorded) return void this.#session.unrecorded.delete(this.id);
    }
  }

  /** Records a task, also if its record has been moved on: no task is dropped because it came late. */
  async #recordTask(task: TaskJSON): Promise<TaskJSON> {
    const { emit } = this.#session.host;
    let record = this.#record("created", { task });
    let isLate = false;
    for (let tries = 1; ; tries++) {
      const result = await this.#session.write(record);
      if (result.written) break;
      if (tries >= mostTries) throw new Error("the store neither writes the record nor says what is stored instead");
      const { current } = result;
      const isOwnRecord = current?.attempt === record.attempt;
      if (isOwnRecord && current.task?.taskid === task.taskid) break;
      isLate ||= !this.#isOwn(current);
      const isFree = !current || (isOwnRecord && !current.task);
      record = isFree ? after(current, record) : beside(record, task, this.#besideId);
    }
    const recorded = record.task ?? task;
    if (isLate) emit("lateTask", () => ({ task: recorded, generationId: this.id }));
    return recorded;
  }
}

/** The record as the next revision of what is stored. */
function after(current: GenerationRecord | undefined, record: GenerationRecord): GenerationRecord {
  return { ...record, revision: (current?.revision ?? 0) + 1, follows: current?.attempt };
}

/** A record of its own for a task, without the key: its record has become another attempt's. */
function beside(record: GenerationRecord, task: TaskJSON, id: string): GenerationRecord {
  return {
    ...record,
    id,
    revision: 1,
    follows: undefined,
    idempotencyKey: undefined,
    task: { ...task, generationId: id },
  };
}
