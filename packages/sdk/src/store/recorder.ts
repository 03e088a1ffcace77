import { InvalidRequestError, OutcomeUnknownError, StoreError } from "../errors/errors.ts";
import { describeValue, issueOf, nothingWasSent } from "../errors/issue.ts";
import type { GenerationFacts, GenerationRecord } from "../task/generation.ts";
import type { Kind } from "../spec/operation.ts";
import type { TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { Attempt } from "./attempt.ts";
import { type RecordingHost, Session } from "./session.ts";
import { next, whyUnreadable } from "./store.ts";

/** The task of a key, or the record that a new attempt may replace. */
type Found =
  | { readonly task: TaskJSON }
  | { readonly task?: undefined; readonly replaces: GenerationRecord | undefined };

/** After this long without a renewal, a sender counts as dead. A wrong guess cannot cause a second payment. */
export const silentAfterMs = 15_000;
const pollMs = 250;

/** Records the generations of one client in its store. */
export class Recorder {
  readonly session: Session;

  constructor(host: RecordingHost) {
    this.session = new Session(host);
  }

  /**
   * Returns the task of a key, or the record to replace. Waits while another attempt is generating it.
   *
   * @throws An {@link OutcomeUnknownError} if a task may exist
   * @throws An {@link InvalidRequestError} if the key stands for another form
   * @throws A {@link StoreError} if the record cannot be read
   */
  async find(id: string, facts: GenerationFacts, operation: string, signal: AbortSignal | undefined): Promise<Found> {
    const watch = new SilenceWatch(this.session.host);
    for (;;) {
      const unrecorded = this.session.known.unrecorded.get(id);
      if (unrecorded) {
        rejectOther(unrecorded.facts, facts);
        // If the process died during that write, a task that was returned would be listed as unknown, and generated again.
        return { task: await orAbort(unrecorded.task, signal) };
      }
      const record = await orAbort(this.read(id, facts.model), signal);
      if (!record || record.state === "notCreated") return { replaces: record };
      const silent = watch.isSilent(record);
      // Nothing was sent, so the claim can be taken over.
      if (record.state === "claimed" && silent) return { replaces: record };
      if (record.state !== "claimed") rejectOther(record, facts);
      if (record.task) return { task: record.task };
      if (record.state === "sending" && silent) await orAbort(this.markUnknown(record), signal);
      else if (record.state === "unknown") throw outcomeUnknown(record, operation);
      else await this.session.host.time.sleep(pollMs, signal ?? new AbortController().signal, "pause");
    }
  }

  /**
   * Begins an attempt. With a key, records it, and returns undefined if another attempt was first.
   *
   * @throws A {@link StoreError} if it could not be recorded
   */
  async begin(
    facts: GenerationFacts,
    id: string,
    replaces: GenerationRecord | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Attempt | undefined> {
    const attempt = new Attempt(this.session, facts, id, replaces);
    if (facts.idempotencyKey === undefined) return attempt;
    const claiming = attempt.claim();
    try {
      return (await orAbort(claiming, signal)) ? attempt : undefined;
    } catch (error) {
      // A claim that is recorded after the abort is released, so that no other attempt has to wait for it.
      const giveBack = (isClaimed: boolean) => (isClaimed ? attempt.failed(error, signal) : undefined);
      if (signal?.aborted) claiming.then(giveBack).catch(() => undefined);
      throw error;
    }
  }

  /** Reads a record. Rejects if this version cannot read it. */
  async read(id: string, model: string): Promise<GenerationRecord | undefined> {
    const record = await this.session.host.store.get(id).catch((cause: unknown) => {
      // The stored record is not JSON.
      if (cause instanceof SyntaxError) throw unreadable(id, model, "", cause);
      throw new StoreError(model, "the store could not be read", { cause, advice: sameKeyAgain });
    });
    const why = record && whyUnreadable(record);
    if (why === undefined) return record;
    throw unreadable(id, model, ` (${why})`);
  }

  /** Records that the sender of a record has ended without an outcome. A sender that was only slow corrects this. */
  async markUnknown(record: GenerationRecord): Promise<void> {
    const reason = "its sender ended before it recorded an outcome";
    const updatedAt = this.session.host.time.now();
    await this.session.write(next(record, { state: "unknown", reason, updatedAt }));
  }

  /** Records that tasks were deleted, also those that other clients generated. Never rejects. */
  async endDeleted(kind: Kind, taskids: readonly string[]): Promise<void> {
    const { store, origin } = this.session.host;
    try {
      for await (const record of store.list({ states: ["created"] })) {
        if ("unreadable" in record || record.origin !== origin || !record.task) continue;
        if (record.kind === kind && taskids.includes(record.task.taskid)) await this.end(record.task, "deleted");
      }
    } catch (error) {
      this.session.host.emit({ type: "storeFailed", generationId: undefined, task: undefined, error });
    }
  }

  /** Records that a task has ended. Never rejects. */
  async end(task: TaskJSON, outcome: GenerationRecord["outcome"]): Promise<void> {
    const { generationId } = task;
    if (generationId === undefined) return;
    const { store, time, emit } = this.session.host;
    try {
      const record = await store.get(generationId);
      if (record?.state !== "created" || record.task?.taskid !== task.taskid) return;
      // If another writer was faster, it has recorded the same.
      await this.session.write(next(record, { state: "ended", outcome, updatedAt: time.now() }));
    } catch (error) {
      emit({ type: "storeFailed", generationId, task, error });
    }
  }
}

/** Detects senders that no longer renew their record, by this process's monotonic clock. It never compares two hosts' clocks. */
export class SilenceWatch {
  readonly #host: RecordingHost;
  #revision: number | undefined;
  #since = 0;
  /** Whether it was renewed during the watch. Then its sender is alive, whatever `processes` reports. */
  #isRenewed = false;

  constructor(host: RecordingHost) {
    this.#host = host;
  }

  isSilent({ revision, sender }: GenerationRecord): boolean {
    const { time, processes } = this.#host;
    if (this.#revision !== revision) {
      this.#isRenewed = this.#revision !== undefined;
      [this.#revision, this.#since] = [revision, time.steady()];
    }
    const hasEnded = !this.#isRenewed && sender !== undefined && processes.hasEnded(sender);
    return hasEnded || time.steady() - this.#since >= silentAfterMs;
  }
}

/** What to do if it is not known whether an earlier call with the key has created a task. */
export const sameKeyAgain =
  "Nothing was sent. It is safe to retry with the same key: if an earlier call has created a task, that one is returned.";

function unreadable(id: string, model: string, why: string, cause?: unknown): StoreError {
  const advice =
    "Nothing was sent, but a task of an earlier call may exist: look in the service's console, or ask its support.";
  const meaning = { billed: "maybe", isRetryable: false, advice, cause } as const;
  return new StoreError(model, `the record ${id} cannot be read${why}`, meaning);
}

/** Returns the error for a generation of unknown outcome. */
function outcomeUnknown(record: GenerationRecord, operation: string): OutcomeUnknownError {
  const { kind, model, digest, createdAt: at, id: generationId, reason = "no outcome is known" } = record;
  return new OutcomeUnknownError(reason, operation, { kind, model, digest, at, generationId }, {});
}

/** Rejects a key of another generation. An unknown digest counts as equal. */
function rejectOther(record: GenerationFacts, { kind, model, digest, idempotencyKey }: GenerationFacts): void {
  const reject = (other: string, advice: string) => {
    const problem = `${describeValue(idempotencyKey)} was first used with ${other}`;
    const issue = issueOf("idempotencyKey", "notAllowed", problem, `Use ${advice}.`);
    // Nothing was sent now, but the key's own generation may have been billed.
    return new InvalidRequestError(model, [issue], nothingWasSent, "maybe");
  };
  if (record.model !== model || record.kind !== kind) {
    throw reject("another model", `${record.model} again, or a new key`);
  }
  if (record.digest && digest && record.digest !== digest) {
    throw reject("another form", "that form again, or a new key");
  }
}
