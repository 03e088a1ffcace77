import { MediaGenError, messageOf, OutcomeUnknownError, StoreError } from "../errors/errors.ts";
import type { GenerationFacts, GenerationRecord, GenerationState } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Session } from "./session.ts";

/** Interval of renewals: several before a sender counts as dead. */
const renewMs = 5_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** Maximum number of writes of a task: more than other writers can have made at the same time. */
const mostTries = 20;

/** Thrown if another writer has changed the record, so that this attempt must not be sent. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/** One attempt to generate. It renews its record until it ends. Others write the record only if the renewals stop. */
export class Attempt {
  readonly #session: Session;
  readonly #base: Omit<GenerationRecord, "revision" | "state" | "updatedAt">;
  #revision: number;
  /** The attempt that wrote the stored revision. */
  #follows: string | undefined;
  /** State that renewals write; undefined before the attempt is recorded and after it has ended. */
  #state: "claimed" | "sending" | undefined;
  /** Whether a write failed, which may have been stored anyway. */
  #mayBeRecorded = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #ending = new AbortController();
  /** Id for a separate record of its task, if another attempt has taken over its own record. */
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

  /** The time when it began, in milliseconds since 1970. */
  get createdAt(): number {
    return this.#base.createdAt;
  }

  /**
   * Claims the key before anything is sent. Resolves to false if another attempt was first.
   *
   * @throws A {@link StoreError} if it could not be recorded
   */
  claim(): Promise<boolean> {
    return this.#move("claimed");
  }

  /**
   * Records `sending` immediately before the first byte leaves, or `claimed` before a retry delay, because nothing was sent.
   *
   * @throws An {@link OvertakenError} if it must not be sent
   * @throws A {@link StoreError} if it could not be recorded; then it must not be sent
   */
  async enter(state: "sending" | "claimed"): Promise<void> {
    if (state === "claimed" && this.#state !== "sending") return;
    if (!(await this.#move(state))) throw new OvertakenError("the generation was taken over");
  }

  /** Records the task and returns it. Never rejects, because a failing store must not lose a paid task. */
  created(task: TaskJSON): Promise<TaskJSON> {
    const recorded = { ...task, generationId: this.id };
    const recording = this.#finish(() => this.#recordTask(recorded), recorded).then((stored) => stored ?? recorded);
    // From now on, its key returns this task, once its first write has ended.
    this.#session.known.unrecorded.set(this.id, { facts: this.#base, task: recording });
    return recording;
  }

  /** Records that there is no task or that the outcome is unknown. Never rejects. */
  async failed(thrown: unknown, signal: AbortSignal | undefined): Promise<void> {
    // If an abort came during the write of `sending`, the result of that write decides.
    await this.#last.catch(() => undefined);
    const isRecorded = this.#state !== undefined || this.#mayBeRecorded;
    if (thrown instanceof OvertakenError || !isRecorded) return this.stop();
    // Errors from elsewhere do not prove that nothing was sent.
    const isExpected = thrown instanceof MediaGenError || (signal?.aborted && thrown === signal.reason);
    const isUnknown = thrown instanceof OutcomeUnknownError || (this.#state === "sending" && !isExpected);
    const reason = thrown instanceof OutcomeUnknownError ? thrown.reason : messageOf(thrown);
    const state = isUnknown ? "unknown" : "notCreated";
    await this.#finish(async () => void (await this.#write(state, { reason })), undefined);
  }

  /** Stops the renewals. */
  stop(): void {
    // With a reason, because the stack trace of the default error takes as long as a write.
    this.#ending.abort("ended");
    this.#session.known.active.delete(this.id);
  }

  async #move(state: "claimed" | "sending"): Promise<boolean> {
    const write = async () => {
      if (!(await this.#write(state))) return false;
      const isFirst = this.#state === undefined;
      // Set within its turn, so that a queued renewal does not write `claimed` for a form that is being sent.
      this.#state = state;
      if (isFirst) void this.#renew();
      return true;
    };
    return this.#afterLastWrite(write).catch((cause: unknown) => {
      this.#mayBeRecorded = true;
      throw new StoreError(this.#base.model, "the store could not record it", { cause });
    });
  }

  /** Writes the next revision. Returns false if another writer has changed the record. */
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

  /** Whether this attempt wrote the stored record itself, with a write that seemed to fail. */
  #isOwn(current: GenerationRecord | undefined): current is GenerationRecord {
    if (current?.attempt !== this.#base.attempt || current.revision <= this.#revision) return false;
    return current.state === "claimed" || current.state === "sending";
  }

  /** Runs writes one after the other, including renewals. */
  #afterLastWrite<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(write, write);
    this.#last = turn;
    return turn;
  }

  /** Whether others have recorded the outcome as unknown, but this attempt knows that there is no task. */
  #corrects(state: GenerationState, current: GenerationRecord | undefined): current is GenerationRecord {
    const isTakenForUnknown = current?.attempt === this.#base.attempt && current.state === "unknown";
    return state === "notCreated" && isTakenForUnknown && current.revision > this.#revision;
  }

  async #renew(): Promise<void> {
    const { time } = this.#session.host;
    this.#session.known.active.add(this.id);
    try {
      for (;;) {
        await time.sleep(renewMs, this.#ending.signal, "background");
        // After a failure, the next renewal comes before the sender counts as dead.
        await this.#afterLastWrite(async () => this.#state && this.#write(this.#state)).catch(() => undefined);
      }
    } catch {
      // The attempt has ended.
    }
  }

  /** Runs the last write. If it fails, repeats it in the background. */
  async #finish(write: () => Promise<TaskJSON | undefined>, task: TaskJSON | undefined): Promise<TaskJSON | undefined> {
    const { id } = this;
    const { emit } = this.#session.host;
    this.#state = undefined;
    try {
      const recorded = await this.#afterLastWrite(write);
      this.#session.known.unrecorded.delete(id);
      return recorded;
    } catch (error) {
      emit({ type: "storeFailed", generationId: id, task, error });
      this.#retry(write).catch((failure: unknown) =>
        emit({ type: "storeFailed", generationId: id, task, error: failure }),
      );
      return undefined;
    } finally {
      this.stop();
    }
  }

  /** Repeats a write until it succeeds. It does not keep the process alive. */
  async #retry(write: () => Promise<unknown>): Promise<void> {
    const { time } = this.#session.host;
    const never = new AbortController().signal;
    for (let delayMs = firstRetryMs; ; delayMs = Math.min(2 * delayMs, longestRetryMs)) {
      await time.sleep(delayMs, never, "background");
      const recorded = await this.#afterLastWrite(write).then(
        () => true,
        () => false,
      );
      if (recorded) return void this.#session.known.unrecorded.delete(this.id);
    }
  }

  /** Records a task even if another writer has changed the record, so that a late task is not lost. */
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
    if (isLate) emit({ type: "lateTask", task: recorded, generationId: this.id });
    return recorded;
  }
}

/** Returns the record as the next revision of the stored one. */
function after(current: GenerationRecord | undefined, record: GenerationRecord): GenerationRecord {
  return { ...record, revision: (current?.revision ?? 0) + 1, follows: current?.attempt };
}

/** Returns a separate record for a task, without the key, because another attempt has taken over its record. */
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
