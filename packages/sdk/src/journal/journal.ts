import { InvalidRequestError, messageOf, OutcomeUnknownError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import type { OnEvent } from "../events.ts";
import type { Kind } from "../spec/operation.ts";
import type { EndEntry, GenerationFacts, IntentEntry, JournalEntry } from "../task/generation.ts";
import type { AnyTask, CallOptions, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { type JournalledGeneration, readEntries } from "./reading.ts";

/** A generation of which it is not known whether it became a task. */
export interface UnknownGeneration {
  /** Its id in the journal, for `media.resolve`. */
  readonly id: string;
  /** What was to be made. */
  readonly kind: Kind;
  /** The model that was to make it. */
  readonly model: string;
  /** The SHA-256 of its form, as in `OutcomeUnknownError`. */
  readonly digest: string | undefined;
  /** The key that the caller gave. */
  readonly once: string | undefined;
  /** When it was about to be sent, in milliseconds since 1970. */
  readonly at: number;
  /** Why its outcome is unknown, in words. */
  readonly why: string;
}

/** What a journal tells a client that begins. */
export interface Recovery {
  /** Tasks that were created and whose end was not seen: wait for them. */
  readonly tasks: readonly AnyTask[];
  /** Tasks without a key that succeeded since the journal was last compacted: their results may not have been fetched. */
  readonly finished: readonly AnyTask[];
  /** Generations to look for at the service, and to settle by `media.resolve`. */
  readonly unknown: readonly UnknownGeneration[];
}

/** What became of a generation, as a person found out: the task, or that there is none. */
export type Resolution =
  | {
      /** The id of the task that was found at the service. */
      readonly taskid: string;
    }
  | "not created";

/** What a journal needs of its client. */
export interface BookHost {
  readonly time: Time;
  readonly origin: string;
  readonly tell: OnEvent;
  /** The handle of a task. */
  resume(task: TaskJSON): AnyTask;
}

/** How a generation goes on when the journal lets it. */
export interface GenerateSteps {
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  factsOf(): Promise<GenerationFacts>;
  /** Waits for the generation's turn and asks `beforeGenerate`. */
  inTurn<T>(next: () => Promise<T>): Promise<T>;
  /** Sends it, under an id of the journal. */
  send(at: number, id: string): Promise<TaskJSON>;
}

/** How one client reads and writes a journal. */
export interface Book {
  /** Generates with everything noted, or answers the task that the key has already. */
  generate(once: string | undefined, steps: GenerateSteps): Promise<TaskJSON>;
  /** Notes that tasks have ended. It never rejects. */
  ended(tasks: readonly Pick<TaskJSON, "kind" | "taskid">[], how: EndEntry["how"]): Promise<void>;
  recover(options?: CallOptions): Promise<Recovery>;
  resolve(id: string, resolution: Resolution): Promise<AnyTask | undefined>;
}

/** How long an owner counts as alive after it said so. It is money-safe at any length: a dead owner's generation is unknown, never sent again. */
const leaseMs = 15_000;
const pollMs = 250;

/** Opens a log for one client. */
export function createBook(log: JournalLog, { time, origin, tell, resume }: BookHost): Book {
  const owner = crypto.randomUUID();
  const underWay = new Set<string>();
  /** Entries that could not be appended: this client knows them, and tries again before it sends anything. */
  const missing = new Set<JournalEntry>();
  let lease = new AbortController();

  /** What the log says, or what it says of a key. */
  async function read(once?: string) {
    const entries = once !== undefined && log.entriesOf ? await log.entriesOf(origin, once) : await log.entries();
    const { generations, leases, withKey } = readEntries([...entries, ...missing]);
    return {
      generations: () => generations().filter(({ intent }) => intent.origin === origin),
      leases,
      isUnderWay: ({ intent, state }: JournalledGeneration) =>
        state === "open" && (underWay.has(intent.id) || (leases.get(intent.owner) ?? 0) > time.now()),
      withKey: (key: string) => withKey(origin, key),
    };
  }

  /** Appends where the call can no longer fail. */
  async function note(entry: JournalEntry): Promise<void> {
    try {
      await log.append(entry);
    } catch (error) {
      if (entry.type !== "lease") missing.add(entry);
      tell({ type: "journalFailed", entry, error });
    }
  }

  async function renewLease(signal: AbortSignal): Promise<void> {
    for (;;) {
      await time.sleep(leaseMs / 3, signal);
      await note({ type: "lease", owner, until: time.now() + leaseMs });
    }
  }

  function enter(id: string): void {
    underWay.add(id);
    if (underWay.size > 1) return;
    lease = new AbortController();
    renewLease(lease.signal).catch(() => undefined); // Nothing is under way any more.
  }

  async function leave(entry: JournalEntry & { readonly id: string }): Promise<void> {
    await note(entry);
    underWay.delete(entry.id);
    if (underWay.size === 0) lease.abort();
  }

  /** The task of a key, once whoever generates it is done; undefined where it may be sent. */
  async function find(once: string, { operation, signal, factsOf }: GenerateSteps): Promise<TaskJSON | undefined> {
    for (;;) {
      const { withKey, isUnderWay } = await read(once);
      const found = withKey(once);
      if (!found) return undefined;
      refuseOther(found.intent, await factsOf());
      if (found.task) return found.task;
      if (!isUnderWay(found)) throw new OutcomeUnknownError(whyUnknown(found), operation, found.intent, {});
      await time.sleep(pollMs, signal ?? new AbortController().signal);
    }
  }

  /** Sends a generation with everything noted; undefined where another one with its key came first. */
  async function sendNoted({ factsOf, send }: GenerateSteps): Promise<TaskJSON | undefined> {
    for (const entry of missing) {
      await log.append(entry);
      missing.delete(entry);
    }
    const facts = await factsOf();
    const id = crypto.randomUUID();
    const at = time.now();
    const notCreated = (why: string) => leave({ type: "notCreated", id, at: time.now(), why });
    enter(id);
    try {
      await log.append({ type: "intent", id, at, ...facts, owner, until: at + leaseMs });
      if (facts.once !== undefined && !(await isFirst(id, facts.once))) {
        await notCreated("not sent: another generation with its key came first");
        return undefined;
      }
    } catch (error) {
      // Perhaps the intent is there all the same.
      await notCreated(`not sent: the journal failed (${messageOf(error)})`);
      throw error;
    }
    let task: TaskJSON;
    try {
      task = await send(at, id);
    } catch (error) {
      if (error instanceof OutcomeUnknownError) await leave({ type: "unknown", id, at: time.now(), why: error.why });
      else await notCreated(messageOf(error));
      throw error;
    }
    await leave({ type: "created", id, at: time.now(), task });
    return task;
  }

  /**
   * Whether an intent is the first of its key that may be sent. Of two that are open at once, the later one sees the
   * earlier one, because it was appended after it; so it is sent only once the earlier one is known not to be.
   */
  async function isFirst(id: string, once: string): Promise<boolean> {
    const first = (await read(once)).withKey(once);
    if (!first) throw new Error("the journal does not give back what was appended to it");
    return first.intent.id === id;
  }

  return {
    async generate(once, steps) {
      for (;;) {
        const known = once === undefined ? undefined : await find(once, steps);
        const task = known ?? (await steps.inTurn(() => sendNoted(steps)));
        if (task) return task;
      }
    },

    async ended(tasks, how) {
      for (const { kind, taskid } of tasks) await note({ type: "end", at: time.now(), origin, kind, taskid, how });
    },

    async recover({ signal } = {}) {
      const first = await read();
      const others = first.generations().filter((one) => first.isUnderWay(one) && !underWay.has(one.intent.id));
      if (others.length > 0) {
        const leftMs = Math.max(...others.map(({ intent }) => first.leases.get(intent.owner) ?? 0)) - time.now();
        await time.sleep(Math.min(leftMs, leaseMs) + pollMs, signal ?? new AbortController().signal);
      }
      const { generations: list, leases, isUnderWay } = others.length > 0 ? await read() : first;
      const generations = list();
      // Who is alive has renewed its lease by now, whatever the clocks say.
      const isSilent = ({ intent: { id, owner: other } }: JournalledGeneration) =>
        others.some(({ intent }) => intent.id === id) && leases.get(other) === first.leases.get(other);
      const tasks = (of: (one: JournalledGeneration) => boolean) =>
        generations.filter(of).flatMap(({ task }) => (task ? resume(task) : []));
      return {
        tasks: tasks(({ end }) => end === undefined),
        finished: tasks(({ end, intent }) => end === "succeeded" && intent.once === undefined),
        unknown: generations
          .filter((one) => isUnsettled(one) && (!isUnderWay(one) || isSilent(one)))
          .map(describeUnknown),
      };
    },

    async resolve(id, resolution) {
      const { generations, isUnderWay } = await read();
      const found = generations().find(({ intent }) => intent.id === id);
      const taskid = resolution === "not created" ? undefined : resolution?.taskid;
      const refuse = (field: string, got: string, allowed: string) =>
        new InvalidRequestError("resolve: nothing was noted", [{ field, got, allowed }]);
      if (resolution !== "not created" && (typeof taskid !== "string" || taskid === "")) {
        throw refuse(
          "resolution",
          describeValue(resolution),
          '{ taskid } of the task that was found, or "not created"',
        );
      }
      if (!found)
        throw refuse(
          "id",
          describeValue(id),
          "the id of an unknown generation, from recover() or an OutcomeUnknownError",
        );
      if (found.task && found.task.taskid === taskid) return resume(found.task);
      if (found.task)
        throw refuse(
          "resolution",
          describeValue(taskid ?? resolution),
          `nothing: it is known to be the task ${found.task.taskid}`,
        );
      if (isUnderWay(found)) throw refuse("id", describeValue(id), "a generation that is not under way");
      const { kind, model, origin, results, at: createdAt } = found.intent;
      const at = time.now();
      if (taskid === undefined) {
        await log.append({ type: "notCreated", id, at, why: "resolved by hand", byHand: true });
        return undefined;
      }
      const task: TaskJSON = { version: 1, kind, model, taskid, origin, results, createdAt };
      await log.append({ type: "created", id, at, task });
      return resume(task);
    },
  };
}

function isUnsettled({ state }: JournalledGeneration): boolean {
  return state === "open" || state === "unknown";
}

function whyUnknown({ why }: JournalledGeneration): string {
  return why ?? "whoever sent it ended before it noted an answer";
}

function describeUnknown(one: JournalledGeneration): UnknownGeneration {
  const { id, kind, model, digest, once, at } = one.intent;
  return { id, kind, model, digest, once, at, why: whyUnknown(one) };
}

/** Refuses a key that stands for another generation; a digest that is not known differs from none. */
function refuseOther({ model, kind, digest, once }: IntentEntry, facts: GenerationFacts): void {
  const fail = (got: string, allowed: string) =>
    new InvalidRequestError(`generate ${facts.model}: nothing was sent`, [
      { field: "once", got: `the key ${describeValue(once)} with ${got}`, allowed },
    ]);
  if (model !== facts.model || kind !== facts.kind)
    throw fail("another model", `${model}, which it was first used with`);
  if (digest && facts.digest && digest !== facts.digest)
    throw fail("another form", "the form that it was first used with, or a new key");
}

/**
 * Where entries are kept: a file, a table, a stream. Appends of all processes have one order, and `entries` gives, in it,
 * every entry whose `append` had resolved before it was called: that order decides who sends a generation with a key.
 */
export interface JournalLog {
  /** Resolves once the entry outlives the machine's end; rejects if it may not. */
  append(entry: JournalEntry): Promise<void>;
  /** Every entry in order; one that was appended twice may come twice, and what is no entry may be left out. */
  entries(): Promise<readonly JournalEntry[]>;
  /**
   * For a log that can look for a key: of those entries, the ones of generations with this key at this origin, and the last
   * lease of each of their owners. With it, a long journal is not read whole for each generation with a key; more than that
   * may be among them.
   */
  entriesOf?(origin: string, once: string): Promise<readonly JournalEntry[]>;
}

/** A journal for clients. */
export interface Journal extends JournalLog {
  /** @internal */
  readonly [open]: (host: BookHost) => Book;
}

/** How a client opens its journal: the code comes with the journal, so that a client without one is spared it. */
export const open: unique symbol = Symbol.for("@mediagen/sdk journal");

/** A journal for `createMediaGen` that keeps its entries in the log. `compactEntries` says what may be forgotten of them. */
export function createJournal(log: JournalLog): Journal {
  return {
    append: (entry) => log.append(entry),
    entries: () => log.entries(),
    ...(log.entriesOf ? { entriesOf: log.entriesOf.bind(log) } : {}),
    [open]: (host) => createBook(log, host),
  };
}
