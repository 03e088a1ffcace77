import { sha256 } from "../form/digest.ts";
import type {
  ForgetOptions,
  GenerationEntry,
  GenerationState,
  UnreadableEntry,
} from "../task/generation.ts";

/**
 * Result of `write`: the entry was stored durably; or nothing was changed, and `current` is what is
 * stored under its id.
 */
export type WriteResult =
  | { readonly written: true }
  | { readonly written: false; readonly current: GenerationEntry | undefined };

/** The entries that `list` yields. */
export interface ListFilter {
  /** The states of the entries. */
  readonly states: readonly GenerationState[];
  /**
   * Whether ended entries with a key are wanted, too: there may be millions. A store may yield them
   * anyway.
   * @default true
   */
  readonly keyed?: boolean | undefined;
}

/**
 * A store that records generations before they are sent, so that none is billed twice and none is
 * lost. Implement it on a database with one conditional write. `checkStore` of
 * `@mediagen/stores/check` tests an implementation.
 *
 * Your implementation must guarantee four things:
 *
 * 1. `write` is linearizable over all processes and durable before it resolves. Of two writes of
 *    one revision, exactly one is written, and every later read sees it. `get` reads from the
 *    primary, never from a replica or a cache.
 * 2. Nothing expires and nothing is evicted. Losing an entry with a key can pay twice.
 * 3. A `write` that rejects may have happened. The SDK sends nothing then, and recognizes its own
 *    entry later.
 * 4. An entry is stored unchanged, including unknown fields.
 */
export interface GenerationStore {
  /**
   * Stores an entry if it follows the stored one, in one atomic step. It follows if the stored
   * revision is `entry.revision - 1` and the stored attempt is `entry.follows`. Revision 1 follows
   * if nothing is stored.
   *
   * @returns Whether the entry was written. If not, what is stored instead.
   * @throws An error of the storage; the entry may have been written anyway
   * @example const { written } = await store.write(entry);
   */
  write(entry: GenerationEntry): Promise<WriteResult>;
  /**
   * Reads an entry from the primary storage.
   *
   * @returns The entry; undefined if nothing is stored under the id.
   * @throws An error of the storage, or of an entry that cannot be read
   * @example const entry = await store.get(await generationIdOf(media.origin, "order-42"));
   */
  get(id: string): Promise<GenerationEntry | undefined>;
  /**
   * Lists the entries in some states, in any order. An entry that cannot be read is yielded as such
   * and hides no other.
   *
   * @returns An async iterable of the entries.
   * @throws An error of the storage
   * @example for await (const entry of store.list({ states: ["unknown"] })) console.log(entry.id);
   */
  list(filter: ListFilter): AsyncIterable<GenerationEntry | UnreadableEntry>;
  /**
   * Removes `ended` and `notCreated` entries, without a key unless you pass `keyed`.
   *
   * @returns The number of entries that were removed.
   * @throws An error of the storage
   * @example await store.forget({ before: Date.now() - 30 * 86_400_000 });
   */
  forget(options?: ForgetOptions): Promise<number>;
}

/**
 * Computes the id of the entry that a store has for an idempotency key.
 *
 * @param origin The origin of the service, as `media.origin`.
 * @returns A SHA-256 in hexadecimal.
 * @example const entry = await store.get(await generationIdOf(media.origin, "order-42"));
 */
export async function generationIdOf(origin: string, idempotencyKey: string): Promise<string> {
  return sha256(new TextEncoder().encode(JSON.stringify([origin, idempotencyKey])));
}
