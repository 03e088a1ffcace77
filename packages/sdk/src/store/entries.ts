import type { CallHost } from "../call/call.ts";
import { describeDuration } from "../errors/issue.ts";
import { whyUnreadable } from "../money/entry.ts";
import type { GenerationFacts, GenerationEntry, UnreadableEntry } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { GenerationStore, ListFilter, WriteResult } from "./store.ts";

/** Timeout of each operation of a store: a custom store may hang. */
const timeoutMs = 15_000;
/**
 * After this long without a renewal, a sender counts as dead. A wrong guess cannot cause a second
 * payment.
 */
const silentAfterMs = 15_000;

/** Information about processes. It is only used to shorten waits. */
export interface ProcessInfo {
  readonly sender?: NonNullable<GenerationEntry["sender"]>;
  hasEnded(sender: NonNullable<GenerationEntry["sender"]>): boolean;
}

/** An attempt of this process whose end is not recorded yet. */
interface OpenAttempt {
  readonly facts: GenerationFacts;
  /** Its task, if there is one. Resolves once the first write of the task has ended. */
  readonly task?: Promise<TaskJSON> | undefined;
}

/**
 * The open attempts of this process, by store and by the ids of their entries: a client for each
 * call must not pay twice.
 */
const openOf = new WeakMap<GenerationStore, Map<string, OpenAttempt>>();

/**
 * The entries of a store, as the clients of one service read and write them. Each operation has a
 * timeout.
 */
export class Entries {
  readonly host: CallHost;
  readonly processes: ProcessInfo;
  readonly open: Map<string, OpenAttempt>;
  readonly #store: GenerationStore;

  constructor(host: CallHost, store: GenerationStore, processes: ProcessInfo) {
    this.host = host;
    this.processes = processes;
    this.open = openOf.get(store) ?? new Map();
    this.#store = store;
    openOf.set(store, this.open);
  }

  /**
   * Writes an entry, once more if that fails. The first write may have been stored anyway: then it
   * is what the second one finds.
   */
  write(entry: GenerationEntry): Promise<WriteResult> {
    const write = () => this.within("write an entry", () => this.#store.write(entry));
    return write().catch(write);
  }

  /** Writes the next revision of an entry. Returns false if another writer has changed it. */
  async change(entry: GenerationEntry, change: Partial<GenerationEntry>): Promise<boolean> {
    const updatedAt = this.host.time.now();
    const next = {
      ...entry,
      ...change,
      revision: entry.revision + 1,
      follows: entry.attempt,
      updatedAt,
    };
    return (await this.write(next)).written;
  }

  get(id: string): Promise<GenerationEntry | undefined> {
    return this.within("read an entry", () => this.#store.get(id));
  }

  async *list(filter: ListFilter): AsyncGenerator<GenerationEntry | UnreadableEntry> {
    const entries = this.#store.list(filter)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.within("list its entries", () => entries.next());
        if (done) return;
        const unreadable = "unreadable" in value ? value.unreadable : whyUnreadable(value);
        if (unreadable !== undefined) yield { id: value.id, unreadable };
        else if ("origin" in value && value.origin === this.host.origin) yield value;
      }
    } finally {
      // Closes the cursor of a database. Not awaited, because this may hang too.
      entries.return?.().then(undefined, () => undefined);
    }
  }

  /**
   * Returns whether the sender of an entry counts as dead, because this process has not seen it
   * change for so long. If it was sending, its outcome is recorded as unknown. A sender that was
   * only slow corrects this.
   */
  async isOver(entry: GenerationEntry, unchangedMs: number): Promise<boolean> {
    // A sender of this process is alive, also if it cannot renew its entry.
    if (this.open.has(entry.id)) return false;
    const hasEnded = entry.sender !== undefined && this.processes.hasEnded(entry.sender);
    if (!hasEnded && unchangedMs < silentAfterMs) return false;
    const reason = "the process that sent it ended before it recorded an outcome";
    if (entry.state === "sending") await this.change(entry, { state: "unknown", reason });
    return true;
  }

  /** Returns an entry that was being sent, once its sender has renewed it or counts as dead. */
  async renewed(
    first: GenerationEntry,
    signal: AbortSignal | undefined,
  ): Promise<GenerationEntry | undefined> {
    if (this.open.has(first.id)) return first;
    if (!(await this.isOver(first, 0))) await this.host.time.sleep(silentAfterMs, signal, "pause");
    const entry = await this.get(first.id);
    const isUnchanged = entry?.state === "sending" && entry.revision === first.revision;
    return isUnchanged && (await this.isOver(entry, silentAfterMs)) ? this.get(first.id) : entry;
  }

  within<T>(act: string, operate: () => Promise<T>, ms: number = timeoutMs): Promise<T> {
    const operation = new Promise<T>((resolve) => resolve(operate()));
    return new Promise((resolve, reject) => {
      const late = () => new Error(`the store took longer than ${describeDuration(ms)} to ${act}`);
      const cancel = this.host.time.alarm(ms, () => reject(late()), "limit");
      operation.finally(cancel).then(resolve, reject);
    });
  }
}
