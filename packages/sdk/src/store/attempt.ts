import { MediaGenError, messageOf, OutcomeUnknownError, StoreError } from "../errors/errors.ts";
import { type Failure, isUnderWay, mayRetryOn, stateAfter } from "../money/entry.ts";
import type { GenerationFacts, GenerationEntry } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Entries } from "./entries.ts";
import type { WriteResult } from "./store.ts";

/** Interval of renewals: several before a sender counts as dead. */
const renewMs = 5_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** Thrown if another writer has changed the entry, so that this attempt must not be sent. */
export class OvertakenError extends Error {}

type Change = Partial<GenerationEntry> & Pick<GenerationEntry, "state">;

/**
 * One attempt to generate. It renews its entry until it ends. Others write the entry only if the
 * renewals stop.
 */
export class Attempt {
  /** The parts of its entry that never change. */
  readonly facts: Omit<GenerationEntry, "revision" | "state" | "updatedAt">;
  task: Promise<TaskJSON> | undefined;
  readonly #entries: Entries;
  /**
   * The entry as it was stored when this attempt last wrote it, or found that another writer had.
   */
  #stored: GenerationEntry | undefined;
  /** The state that renewals write; undefined if nothing can be recorded yet. */
  #state: "claimed" | "sending" | undefined;
  /** Whether others have recorded an outcome before this attempt did. */
  #isLate = false;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #ending = new AbortController();

  /** @param replaces the entry of an earlier attempt, which sent nothing */
  constructor(
    entries: Entries,
    facts: GenerationFacts,
    id: string,
    replaces: GenerationEntry | undefined,
  ) {
    const { host, processes } = entries;
    this.#entries = entries;
    this.#stored = replaces;
    const attempt = crypto.randomUUID();
    this.facts = {
      version: 1,
      ...facts,
      id,
      attempt,
      createdAt: host.time.now(),
      sender: processes.sender,
    };
  }

  /**
   * Records `claimed` before anything is sent and before a retry delay, because nothing was sent.
   * Records `sending` immediately before the first byte leaves. If it rejects, nothing must be
   * sent: with an {@link OvertakenError} if another attempt was first.
   */
  async enter(state: "sending" | "claimed"): Promise<void> {
    const isFirst = this.#state === undefined;
    // Without a key, there is nothing to claim.
    if (state === "claimed" && this.#state !== "sending" && !(isFirst && this.facts.idempotencyKey))
      return;
    const write = async () => {
      // A write of `sending` may be stored even if it fails.
      if (state === "sending") this.#state = state;
      const { written } = await this.#write({ state }).catch((cause: unknown) => {
        throw new StoreError(this.facts.model, "the store could not record the generation", {
          cause,
        });
      });
      if (!written) throw new OvertakenError("another attempt was first");
      this.#state = state;
      if (isFirst) this.#renew().catch(() => undefined);
    };
    await this.#inTurn(write);
  }

  /**
   * Records the task and returns it. Never rejects, because a failing store must not lose a paid
   * task.
   */
  created(given: TaskJSON): Promise<TaskJSON> {
    const task = { ...given, generationId: this.facts.id };
    this.task = this.#finish(() => this.#recordTask(task), task).then(
      (recorded) => recorded ?? task,
    );
    // From now on, its key returns this task, also if it cannot be recorded.
    this.#entries.open.set(this.facts.id, this);
    return this.task;
  }

  async failed(thrown: unknown, signal: AbortSignal | undefined): Promise<void> {
    if (thrown instanceof OvertakenError) return this.#end();
    if (!this.#state) {
      // A claim that is recorded after an abort is released, so that no other attempt has to wait
      // for it.
      this.#turn.then(() => this.#state && this.failed(thrown, signal)).catch(() => undefined);
      return;
    }
    const state = stateAfter(this.#state, kindOf(thrown, signal));
    const { reason, taskid } =
      thrown instanceof OutcomeUnknownError
        ? thrown
        : { reason: messageOf(thrown), taskid: undefined };
    await this.#finish(() => this.#write({ state, reason, taskid }));
  }

  /** Renews the entry until the attempt ends; then it rejects. */
  async #renew(): Promise<void> {
    const { signal } = this.#ending;
    this.#entries.open.set(this.facts.id, this);
    for (;;) {
      await this.#entries.host.time.sleep(renewMs, signal, "background");
      const renew = async () =>
        this.#state && !signal.aborted && this.#write({ state: this.#state });
      // After a failure, the next renewal comes before the sender counts as dead.
      await this.#inTurn(renew).catch(() => undefined);
    }
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(write, write);
    this.#turn = turn;
    return turn;
  }

  async #write(change: Change): Promise<WriteResult> {
    for (;;) {
      const entry = this.#next(change);
      const result = await this.#entries.write(entry);
      if (!result.written && !mayRetryOn(result.current, this.#stored, this.facts.attempt, change))
        return result;
      this.#stored = result.written ? entry : result.current;
      if (result.written) return result;
      this.#isLate ||= !isUnderWay(result.current);
    }
  }

  #next(change: Change): GenerationEntry {
    const { revision = 0, attempt: follows } = this.#stored ?? {};
    return {
      ...this.facts,
      ...change,
      revision: revision + 1,
      follows,
      updatedAt: this.#entries.host.time.now(),
    };
  }

  /**
   * Records a task even if another writer has changed the entry, so that a late task is not lost.
   */
  async #recordTask(task: TaskJSON): Promise<TaskJSON> {
    const { id, attempt } = this.facts;
    let recorded = task;
    const result = await this.#write({ state: "created", task });
    if (!result.written && result.current?.task?.taskid !== task.taskid) {
      // Another attempt has the entry by now. The task gets one of its own, without the key.
      recorded = { ...task, generationId: attempt };
      const own = { id: attempt, revision: 1, follows: undefined, idempotencyKey: undefined };
      const stored = await this.#entries.write({
        ...this.#next({ state: "created", task: recorded }),
        ...own,
      });
      if (!stored.written && !stored.current)
        throw new Error("the store neither writes nor returns an entry");
      this.#isLate = true;
    }
    if (this.#isLate)
      this.#entries.host.emit({ type: "lateTask", task: recorded, generationId: id });
    return recorded;
  }

  /**
   * Runs the last write. If it fails, repeats it in the background, which does not keep the process
   * alive.
   */
  #finish<T>(write: () => Promise<T>, task?: TaskJSON): Promise<T | undefined> {
    const { time, emit } = this.#entries.host;
    this.#end();
    const finish = async () => {
      const result = await this.#inTurn(write);
      this.#end();
      return result;
    };
    const repeat = async (delayMs: number): Promise<void> => {
      await time.sleep(delayMs, undefined, "background");
      await finish().catch(() => repeat(Math.min(2 * delayMs, longestRetryMs)));
    };
    return finish().catch((error: unknown) => {
      emit({ type: "storeFailed", generationId: this.facts.id, task, error });
      repeat(firstRetryMs).catch(() => undefined);
      return undefined;
    });
  }

  #end(): void {
    // With a reason, because the stack trace of the default error takes as long as a write.
    this.#ending.abort("ended");
    if (this.#entries.open.get(this.facts.id) === this) this.#entries.open.delete(this.facts.id);
  }
}

function kindOf(thrown: unknown, signal: AbortSignal | undefined): Failure {
  if (thrown instanceof OutcomeUnknownError) return "unknown";
  if (thrown instanceof MediaGenError) return "not created";
  return signal?.aborted && thrown === signal.reason ? "not created" : "from elsewhere";
}
