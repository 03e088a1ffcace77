import { InvalidRequestError, OutcomeUnknownError, StoreError } from "../errors/errors.ts";
import { describeValue, issueOf, nothingWasSent } from "../errors/issue.ts";
import { digestOf } from "../form/digest.ts";
import type { WireFields } from "../form/form.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import type { GenerationFacts, GenerationRecord, UnreadableRecord } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { Attempt, OvertakenError } from "./attempt.ts";
import { Entries, type LedgerHost, type ProcessInfo, silentAfterMs } from "./entries.ts";
import { type Exists, type Resolution, resolve } from "./resolution.ts";
import { generationIdOf, type GenerationStore, whyUnreadable } from "./store.ts";

const pollMs = 250;
/** The maximum number of other attempts that come first. After more, the store itself is at fault. */
const mostLosses = 100;
/** The time for which an aborted call still waits until its outcome is recorded. */
const graceMs = 1_000;

/** A generation for which it is unknown whether it created a task. */
export interface UnknownGeneration {
  /** The id of its entry, for `media.resolve`. */
  readonly generationId: string;
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The model of the generation. */
  readonly model: string;
  /** The SHA-256 of its form, as in `OutcomeUnknownError`. */
  readonly digest: string | undefined;
  /** The caller's idempotency key. */
  readonly idempotencyKey: string | undefined;
  /** The time when the attempt began, in milliseconds since 1970. */
  readonly at: number;
  /** The reason why its outcome is unknown. */
  readonly reason: string;
}

/** The generations of one service that need attention. */
interface Recovered {
  /** Tasks that were created and whose end was not seen. */
  readonly tasks: readonly TaskJSON[];
  /** Tasks without a key that succeeded and have not been forgotten: their results may not have been fetched. */
  readonly finished: readonly TaskJSON[];
  /** Generations of unknown outcome. */
  readonly unknown: readonly UnknownGeneration[];
  /** Entries that this version cannot read. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** A generation to record. */
export interface LedgerGeneration extends Omit<GenerationFacts, "origin" | "digest"> {
  readonly operation: Operation;
  readonly wire: WireFields;
  readonly signal: AbortSignal | undefined;
}

/** Sends a generation as an attempt, and returns its task. */
type Send = (attempt: Attempt) => Promise<TaskJSON>;

/** Tasks that have ended. */
interface Ended extends Pick<GenerationRecord, "kind" | "outcome"> {
  readonly taskids: readonly string[];
  readonly generationId?: string;
}

/** The task of a key, or the entry that a new attempt replaces. */
interface Found {
  readonly task?: TaskJSON;
  readonly replaces?: GenerationRecord | undefined;
}

/** Records the generations of one client in its store: an idempotency key stands for one of them. */
export class Ledger {
  readonly #entries: Entries;

  constructor(host: LedgerHost, store: GenerationStore, processes: ProcessInfo) {
    this.#entries = new Entries(host, store, processes);
  }

  /** Returns the task of a key, or generates one. */
  async generate(generation: LedgerGeneration, send: Send): Promise<TaskJSON> {
    const { kind, model, operation, wire, resultCount, idempotencyKey, signal } = generation;
    const { origin } = this.#entries.host;
    const digest = await orAbort(digestOf(wire), signal);
    const facts = { kind, model, origin, digest, resultCount, idempotencyKey };
    const idOfKey = idempotencyKey === undefined ? undefined : await generationIdOf(origin, idempotencyKey);
    for (let losses = 0; losses <= mostLosses; losses++) {
      // Without a key, each attempt has an entry of its own.
      const id = idOfKey ?? crypto.randomUUID();
      const found = idOfKey ? await orAbort(this.#find(id, facts, operation.id, signal), signal) : {};
      if (found.task) return found.task;
      const task = await this.#run(new Attempt(this.#entries, facts, id, found.replaces), send, signal);
      if (task) return task;
    }
    throw new StoreError(model, "the store neither writes nor returns an entry", { advice: sameKeyAgain });
  }

  /** Runs an attempt. Returns undefined if another one came first, before anything was sent. */
  async #run(attempt: Attempt, send: Send, signal: AbortSignal | undefined): Promise<TaskJSON | undefined> {
    const isKeyed = attempt.facts.idempotencyKey !== undefined;
    if (isKeyed && !(await attempt.claim(signal))) return undefined;
    let task: TaskJSON;
    try {
      task = await send(attempt);
    } catch (error) {
      await this.#soon(attempt.failed(error, signal), signal);
      if (error instanceof OvertakenError) return undefined;
      throw error;
    }
    // The task is paid, so it is returned even if it cannot be recorded.
    return (await this.#soon(attempt.created(task), signal)) ?? { ...task, generationId: attempt.facts.id };
  }

  /** Settles like a write, which never rejects; resolves to undefined soon after an abort. */
  #soon<T>(write: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    return orAbort(write, signal).catch(() => this.#shortly(write));
  }

  /** Settles like a write, which never rejects; resolves to undefined after an abort, or if the store is slow. */
  #shortly<T>(write: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    const grace = new Deadline(this.#entries.host.time, graceMs, () => new Error("the store is slow"), signal);
    const shortly = orAbort(write, grace.signal).catch(() => undefined);
    return shortly.finally(() => grace.end());
  }

  /**
   * Returns the task of a key, or the entry to replace. Waits while another attempt is generating it.
   *
   * @throws An {@link OutcomeUnknownError} if a task may exist
   * @throws An {@link InvalidRequestError} if the key stands for another form
   * @throws A {@link StoreError} if the entry cannot be read
   */
  async #find(id: string, facts: GenerationFacts, operation: string, signal?: AbortSignal): Promise<Found> {
    const { time } = this.#entries.host;
    let [revision, since] = [0, time.steady()];
    for (;;) {
      const own = this.#entries.open.get(id);
      if (own?.task) {
        rejectOther(own.facts, facts);
        // If the process died before it is recorded, a task that was returned would be listed as unknown, and generated again.
        return { task: await own.task };
      }
      const entry = await this.#read(id, facts.model);
      if (!entry || entry.state === "notCreated") return { replaces: entry };
      if (entry.revision !== revision) [revision, since] = [entry.revision, time.steady()];
      // By this process's own clock. The clocks of two hosts are never compared.
      // A sender of this process is alive, also if it cannot renew its entry.
      const isSilent = !own && (time.steady() - since >= silentAfterMs || this.#entries.hasEnded(entry));
      if (entry.state === "claimed" && isSilent) return { replaces: entry };
      if (entry.state !== "claimed") rejectOther(entry, facts);
      if (entry.task) return { task: entry.task };
      if (entry.state === "unknown") throw new OutcomeUnknownError(describe(entry).reason, operation, describe(entry));
      if (entry.state === "sending" && isSilent)
        await this.#entries.markUnknown(entry).catch((cause: unknown) => {
          throw new StoreError(facts.model, "the store could not record it", { cause, advice: sameKeyAgain });
        });
      else await time.sleep(pollMs, signal, "pause");
    }
  }

  /** Reads the entry of a key. Rejects if this version cannot read it: it blocks its key. */
  async #read(id: string, model: string): Promise<GenerationRecord | undefined> {
    const unreadable = (why: string, cause?: unknown) => {
      const advice =
        "Nothing was sent, but a task of an earlier call may exist: look in the service's console, or ask its support.";
      const meaning = { billed: "maybe", isRetryable: false, advice, cause } as const;
      return new StoreError(model, `the entry ${id} cannot be read${why}`, meaning);
    };
    const entry = await this.#entries.get(id).catch((cause: unknown) => {
      // The stored entry is not JSON.
      if (cause instanceof SyntaxError) throw unreadable("", cause);
      throw new StoreError(model, "the store could not be read", { cause, advice: sameKeyAgain });
    });
    const why = entry && whyUnreadable(entry);
    if (why !== undefined) throw unreadable(` (${why})`);
    return entry;
  }

  /**
   * Records that tasks have ended, also those that other clients generated: only in one entry if its id is given. Never rejects. If it
   * takes long or the signal aborts, it continues in the background.
   */
  async end({ kind, taskids, outcome, generationId }: Ended, signal: AbortSignal | undefined): Promise<void> {
    const entries = this.#entries;
    const write = async () => {
      const found = generationId === undefined ? entries.list({ states: ["created"] }) : [entries.get(generationId)];
      for await (const entry of found) {
        if (!entry || "unreadable" in entry || entry.state !== "created" || entry.kind !== kind) continue;
        // If another writer was faster, it has recorded the same.
        if (entry.task && taskids.includes(entry.task.taskid)) await entries.change(entry, { state: "ended", outcome });
      }
    };
    const failed = (error: unknown) => entries.host.emit({ type: "storeFailed", generationId, task: undefined, error });
    await this.#shortly(write().catch(failed), signal);
  }

  /** Returns what needs attention. Waits until it is clear which senders are alive. */
  async recover(signal: AbortSignal | undefined): Promise<Recovered> {
    const { open, host } = this.#entries;
    const found: GenerationRecord[] = [];
    const unreadable: UnreadableRecord[] = [];
    for await (const entry of this.#entries.list({ states: ["sending", "created", "unknown", "ended"] })) {
      if ("unreadable" in entry) unreadable.push(entry);
      else if (entry.state !== "ended" || isFinished(entry)) found.push(entry);
    }
    const settled = found.map((entry) => (entry.state === "sending" ? this.#entries.settle(entry, signal) : entry));
    const entries = (await Promise.all(settled)).filter((entry) => entry !== undefined);
    const created = entries.flatMap(({ state, task }) => (state === "created" && task ? [task] : []));
    const own = [...open.values()].map(({ facts, task }) => (facts.origin === host.origin ? task : undefined));
    const late = (await Promise.all(own)).filter((task) => task !== undefined);
    return {
      tasks: [...created, ...late.filter(({ taskid }) => !created.some((task) => task.taskid === taskid))],
      finished: entries.flatMap((entry) => (isFinished(entry) && entry.task ? [entry.task] : [])),
      unknown: entries.filter(({ state }) => state === "unknown").map(describe),
      unreadable,
    };
  }

  /** Records the caller's finding about a generation of unknown outcome, and returns its task. */
  resolve(id: string, resolution: Resolution, exists: Exists, signal?: AbortSignal): Promise<TaskJSON | undefined> {
    return resolve(this.#entries, id, resolution, exists, signal);
  }
}

/** Whether a task succeeded and has no key to find it. */
function isFinished({ outcome, idempotencyKey }: GenerationRecord): boolean {
  return outcome === "succeeded" && idempotencyKey === undefined;
}

/** What to do if it is not known whether an earlier call with the key has created a task. */
const sameKeyAgain =
  "Nothing was sent. It is safe to retry with the same key: if an earlier call has created a task, that one is returned.";

function describe(entry: GenerationRecord): UnknownGeneration {
  const { kind, model, digest, idempotencyKey, reason = "no outcome is known" } = entry;
  return { generationId: entry.id, kind, model, digest, idempotencyKey, at: entry.createdAt, reason };
}

/** Rejects a key of another generation. */
function rejectOther(entry: GenerationFacts, { kind, model, digest, idempotencyKey }: GenerationFacts): void {
  const isOtherModel = entry.model !== model || entry.kind !== kind;
  if (!isOtherModel && entry.digest === digest) return;
  const [first, again] = isOtherModel ? ["another model", entry.model] : ["another form", "that form"];
  const problem = `${describeValue(idempotencyKey)} was first used with ${first}`;
  const issue = issueOf("idempotencyKey", "notAllowed", problem, `Use ${again} again, or a new key.`);
  // Nothing was sent now, but the key's own generation may have been billed.
  throw new InvalidRequestError(model, [issue], nothingWasSent, "maybe");
}
