import type { GenerationRecord, GenerationState, UnreadableRecord } from "../task/generation.ts";

/** What `write` resolves to: whether the record was written, and if not, what is stored instead. */
export type WriteResult =
  | {
      /** The record is stored, durably. */
      readonly written: true;
    }
  | {
      /** Nothing was changed. */
      readonly written: false;
      /** What is stored under this id; undefined if nothing is. */
      readonly current: GenerationRecord | undefined;
    };

/** Which records `list` yields. */
export interface ListFilter {
  /** The states of the records. */
  readonly states: readonly GenerationState[];
}

/** Which records `forget` removes. */
export interface ForgetOptions {
  /**
   * Whether records with an idempotency key are removed as well. Their keys then generate, and bill, anew.
   * @default false
   */
  readonly keyed?: boolean | undefined;
  /**
   * Only records that were last written before this time, in milliseconds since 1970.
   * @default Infinity
   */
  readonly before?: number | undefined;
}

/**
 * Where generations are recorded before they are sent, so that none is billed twice and none is lost. Implement it on a
 * database with one conditional write; `checkStore` of `@mediagen/sdk/node` tests an implementation.
 *
 * Your implementation must guarantee four things:
 *
 * 1. `write` is linearizable over all processes and durable before it resolves: of two writes of one revision, exactly one is
 *    written, and every later read sees it. `get` reads from the primary, never from a replica or a cache.
 * 2. Nothing expires and nothing is evicted: losing a record with a key can pay twice.
 * 3. A `write` that rejects may have happened. The SDK sends nothing then, and recognizes its own record when it writes again.
 * 4. A record is stored as it is given, unknown fields included.
 */
export interface GenerationStore {
  /**
   * Stores the record only if the stored revision is `record.revision - 1` and its attempt is `record.follows` (for revision 1: if
   * nothing is stored under the id), in one atomic act.
   */
  write(record: GenerationRecord): Promise<WriteResult>;
  /** Returns what is stored under the id; undefined if nothing is. Rejects if it cannot be read. */
  get(id: string): Promise<GenerationRecord | undefined>;
  /** Yields the records in these states. A record that cannot be read is yielded as such, and hides no other. */
  list(filter: ListFilter): AsyncIterable<GenerationRecord | UnreadableRecord>;
  /** Removes `ended` and `notCreated` records, and resolves to how many. */
  forget(options?: ForgetOptions): Promise<number>;
}

/** The next revision of a record. */
export function next(record: GenerationRecord, changed: Partial<GenerationRecord>): GenerationRecord {
  return { ...record, ...changed, revision: record.revision + 1, follows: record.attempt };
}

/** Whether a record may be stored in place of what is stored. */
export function mayFollow(record: GenerationRecord, current: GenerationRecord | undefined): boolean {
  if (!current) return record.revision === 1;
  return current.revision === record.revision - 1 && current.attempt === record.follows;
}

/** Whether `forget` removes a record. */
export function mayForget(record: GenerationRecord, { keyed = false, before = Infinity }: ForgetOptions = {}): boolean {
  if (record.state !== "ended" && record.state !== "notCreated") return false;
  return (keyed || record.idempotencyKey === undefined) && record.updatedAt < before;
}

/** The id of the record of an idempotency key at an origin: a SHA-256, in hexadecimal. */
export async function generationIdOf(origin: string, idempotencyKey: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([origin, idempotencyKey]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const version = 1;
const taskVersion = 2;
const states: readonly unknown[] = ["claimed", "sending", "created", "unknown", "notCreated", "ended"];

/** Why a stored value is no record that this version can read; undefined if it is one. */
export function whyUnreadable(value: unknown): string | undefined {
  const record = value as Partial<GenerationRecord> | null | undefined;
  if (record?.version !== version) return `its version is ${JSON.stringify(record?.version)}, not ${version}`;
  const isWhole = Number.isSafeInteger(record.revision) && record.state && record.attempt;
  if (!isWhole) return "a field is missing";
  if (!states.includes(record.state)) return `its state is ${JSON.stringify(record.state)}`;
  const { task } = record;
  if (!task) return record.state === "created" || record.state === "ended" ? "its task is missing" : undefined;
  if (task.version !== taskVersion) return `its task's version is ${JSON.stringify(task.version)}, not ${taskVersion}`;
  const isTask = task.taskid && task.kind && task.origin && Number.isSafeInteger(task.resultCount);
  return isTask ? undefined : "a field of its task is missing";
}
