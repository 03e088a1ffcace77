import { InvalidRequestError, OutcomeUnknownError, StoreError } from "../errors/errors.ts";
import { describeValue, issueOf, nothingWasSent } from "../errors/issue.ts";
import { digestOf } from "../form/digest.ts";
import type { WireFields } from "../form/form.ts";
import { stepAt, whyUnreadable } from "../money/entry.ts";
import type { Operation } from "../spec/operation.ts";
import type { GenerationFacts, GenerationEntry, UnreadableEntry } from "../task/generation.ts";
import type { AnyTask, TaskJSON } from "../task/task.ts";
import { type Ending, orAbort } from "../time/deadline.ts";
import { Attempt, OvertakenError } from "./attempt.ts";
import { Entries } from "./entries.ts";
import { type Finding, resolve } from "./resolution.ts";
import { generationIdOf } from "./store.ts";

const pollMs = 250;
/**
 * The maximum number of other attempts that come first. After more, the store itself is at fault.
 */
const mostLosses = 100;
/** The time for which an aborted call still waits until its outcome is recorded. */
const graceMs = 1_000;

/** A generation for which it is unknown whether it created a task. */
export interface UnknownGeneration extends Pick<
  OutcomeUnknownError,
  "kind" | "model" | "digest" | "at" | "reason"
> {
  /** The id of its entry, for `media.resolve`. */
  readonly generationId: string;
  /** The id of the attempt whose outcome is unknown, for `media.resolve`. */
  readonly attempt: string;
  /** The id of a task that the response named. Look at it first, and pass it to `resolve`. */
  readonly taskid: string | undefined;
  /** The caller's idempotency key. */
  readonly idempotencyKey: string | undefined;
}

/** The generations in a store, for a client that starts. */
export interface Recovery<T = AnyTask> {
  /** Tasks that had not ended when they were last checked. Wait for them. */
  readonly tasks: readonly T[];
  /**
   * Tasks without a key that succeeded and have not been forgotten. Their results may not have been
   * fetched.
   */
  readonly finished: readonly T[];
  /**
   * Generations of unknown outcome. Look for them at the service and resolve them with
   * `media.resolve`.
   */
  readonly unknown: readonly UnknownGeneration[];
  /**
   * Entries that this version cannot read; a store may leave out ended ones. Each blocks its own
   * key.
   */
  readonly unreadable: readonly UnreadableEntry[];
}

export interface LedgerGeneration extends Omit<GenerationFacts, "origin" | "digest"> {
  readonly operation: Operation;
  readonly wire: WireFields;
  readonly signal: AbortSignal | undefined;
}

type Send = (attempt: Attempt) => Promise<TaskJSON>;

interface Ended extends Pick<GenerationEntry, "kind" | "outcome"> {
  readonly taskids: readonly string[];
  readonly generationId?: string;
}

type Found = { readonly task?: TaskJSON; readonly replaces?: GenerationEntry | undefined };

/**
 * Records the generations of one client in its store: an idempotency key stands for one of them.
 */
export class Ledger extends Entries {
  async generate(generation: LedgerGeneration, send: Send): Promise<TaskJSON> {
    const { kind, model, operation, wire, resultCount, idempotencyKey, signal } = generation;
    const { origin } = this.host;
    const digest = await orAbort(digestOf(wire), signal);
    const facts = { kind, model, origin, digest, resultCount, idempotencyKey };
    const idOfKey =
      idempotencyKey === undefined ? undefined : await generationIdOf(origin, idempotencyKey);
    for (let losses = 0; losses <= mostLosses; losses++) {
      // Without a key, each attempt has an entry of its own.
      const id = idOfKey ?? crypto.randomUUID();
      const found = idOfKey
        ? await orAbort(this.#find(id, facts, operation.id, signal), signal)
        : {};
      if (found.task) return found.task;
      const task = await this.#run(new Attempt(this, facts, id, found.replaces), send, signal);
      if (task) return task;
    }
    throw new StoreError(model, "the store neither writes nor returns an entry");
  }

  /** Runs an attempt. Returns undefined if another one came first, before anything was sent. */
  async #run(
    attempt: Attempt,
    send: Send,
    signal: AbortSignal | undefined,
  ): Promise<TaskJSON | undefined> {
    let task: TaskJSON;
    try {
      await orAbort(attempt.enter("claimed"), signal);
      task = await send(attempt);
    } catch (error) {
      await this.#soon(attempt.failed(error, signal), signal);
      if (error instanceof OvertakenError) return undefined;
      throw error;
    }
    // The task is paid, so it is returned even if it cannot be recorded.
    return (
      (await this.#soon(attempt.created(task), signal)) ?? {
        ...task,
        generationId: attempt.facts.id,
      }
    );
  }

  /** Settles like a write, which never rejects; resolves to undefined soon after an abort. */
  #soon<T>(write: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    return orAbort(write, signal).catch(() => this.#shortly(write));
  }

  /**
   * Settles like a write, which never rejects; resolves to undefined after an abort, or if the
   * store is slow.
   */
  #shortly<T>(write: Promise<T>, signal?: Ending): Promise<T | undefined> {
    const limited = this.within("write an entry", () => write, graceMs);
    return orAbort(limited, signal).catch(() => undefined);
  }

  /**
   * Returns the task of a key, or the entry to replace. Waits while another attempt is generating
   * it.
   */
  async #find(
    id: string,
    facts: GenerationFacts,
    operation: string,
    signal?: AbortSignal,
  ): Promise<Found> {
    const { steady } = this.host.time;
    let revision = 0;
    let since = steady();
    for (;;) {
      const own = this.open.get(id);
      if (own?.task) {
        rejectOther(own.facts, facts);
        // If the process died before it is recorded, a task that was returned would be listed as
        // unknown, and generated again.
        return { task: await own.task };
      }
      const entry = await this.#read(id, facts.model);
      const step = stepAt(entry, false);
      if (!entry || step === "generate") return { replaces: entry };
      if (entry.state !== "claimed") rejectOther(entry, facts);
      if (step === "return its task" && entry.task) return { task: entry.task };
      if (step === "reject")
        throw new OutcomeUnknownError(describe(entry).reason, operation, describe(entry));
      // By this process's own clock. The clocks of two hosts are never compared.
      if (entry.revision !== revision) {
        revision = entry.revision;
        since = steady();
      }
      const isOver = await this.isOver(entry, steady() - since).catch((cause: unknown) => {
        throw new StoreError(facts.model, "the store could not record the generation", { cause });
      });
      if (isOver && stepAt(entry, true) === "generate") return { replaces: entry };
      if (!isOver) await this.host.time.sleep(pollMs, signal, "pause");
    }
  }

  /** Reads the entry of a key. Rejects if this version cannot read it: it blocks its key. */
  async #read(id: string, model: string): Promise<GenerationEntry | undefined> {
    const unreadable = (why: string) => {
      const advice =
        "A task of an earlier call may exist: look in the service's console, or ask its support.";
      const facts = { billed: "maybe", isRetryable: false, advice } as const;
      return new StoreError(
        model,
        `the entry ${id} cannot be read (${why}), and nothing was sent`,
        facts,
      );
    };
    const entry = await this.get(id).catch((cause: unknown) => {
      if (cause instanceof SyntaxError) throw unreadable(cause.message);
      throw new StoreError(model, "the store could not be read", { cause });
    });
    const why = entry && whyUnreadable(entry);
    if (why !== undefined) throw unreadable(why);
    return entry;
  }

  /**
   * Records that tasks have ended, also those that other clients generated: only in one entry if
   * its id is given. Never rejects. If it takes long or the signal aborts, it continues in the
   * background.
   */
  async end(
    { kind, taskids, outcome, generationId }: Ended,
    signal: Ending | undefined,
  ): Promise<void> {
    const write = async () => {
      const found =
        generationId === undefined ? this.list({ states: ["created"] }) : [this.get(generationId)];
      for await (const entry of found) {
        if (!entry || "unreadable" in entry || entry.state !== "created" || entry.kind !== kind)
          continue;
        if (entry.task && taskids.includes(entry.task.taskid))
          await this.change(entry, { state: "ended", outcome });
      }
    };
    const failed = (error: unknown) =>
      this.host.emit({ type: "storeFailed", generationId, task: undefined, error });
    await this.#shortly(write().catch(failed), signal);
  }

  /** Returns what needs attention. Waits until it is clear which senders are alive. */
  async recover(signal: AbortSignal | undefined): Promise<Recovery<TaskJSON>> {
    const found: GenerationEntry[] = [];
    const unreadable: UnreadableEntry[] = [];
    for await (const entry of this.list({
      states: ["sending", "created", "unknown", "ended"],
      keyed: false,
    })) {
      if ("unreadable" in entry) unreadable.push(entry);
      else if (entry.state !== "ended" || isFinished(entry)) found.push(entry);
    }
    const current = found.map((entry) =>
      entry.state === "sending" ? this.renewed(entry, signal) : entry,
    );
    const entries = (await Promise.all(current)).filter((entry) => entry !== undefined);
    const tasksIn = (found: readonly GenerationEntry[]) => found.flatMap(({ task }) => task ?? []);
    const created = tasksIn(entries.filter(({ state }) => state === "created"));
    const own = [...this.open.values()].filter(({ facts }) => facts.origin === this.host.origin);
    const late = (await Promise.all(own.map(({ task }) => task))).filter(
      (task) => task !== undefined,
    );
    return {
      tasks: [
        ...created,
        ...late.filter(({ taskid }) => !created.some((task) => task.taskid === taskid)),
      ],
      finished: tasksIn(entries.filter(isFinished)),
      unknown: entries.filter(({ state }) => state === "unknown").map(describe),
      unreadable,
    };
  }

  resolve(id: string, finding: Finding): Promise<TaskJSON | undefined> {
    return resolve(this, id, finding);
  }
}

function isFinished({ outcome, idempotencyKey }: GenerationEntry): boolean {
  return outcome === "succeeded" && idempotencyKey === undefined;
}

function describe(entry: GenerationEntry): UnknownGeneration {
  const { kind, model, digest, taskid, idempotencyKey, reason = "no outcome is known" } = entry;
  return {
    generationId: entry.id,
    attempt: entry.attempt,
    kind,
    model,
    digest,
    taskid,
    idempotencyKey,
    at: entry.createdAt,
    reason,
  };
}

function rejectOther(
  first: GenerationFacts,
  { kind, model, digest, idempotencyKey }: GenerationFacts,
): void {
  const isSameModel = first.model === model && first.kind === kind;
  if (isSameModel && first.digest === digest) return;
  const problem = `${describeValue(idempotencyKey)} was first used with another ${isSameModel ? "form" : "model"}`;
  const issue = issueOf(
    "idempotencyKey",
    "notAllowed",
    problem,
    "Pass the same form; a new key is billed again.",
  );
  // Nothing was sent now, but the key's own generation may have been billed.
  throw new InvalidRequestError(model, [issue], nothingWasSent, "maybe");
}
