import type { GenerationEntry, GenerationStore } from "@mediagen/sdk";

/** The part of a client of the package `ioredis` that the store uses. */
export interface RedisClient {
  /**
   * Returns a field of a hash.
   *
   * @param key The key of the hash.
   * @param field The name of the field.
   */
  hget(key: string, field: string): Promise<string | null>;
  /**
   * Returns the members of several sets.
   *
   * @param keys The keys of the sets.
   */
  sunion(keys: string[]): Promise<string[]>;
  /**
   * Runs a script.
   *
   * @param script The script, in Lua.
   * @param keys How many of the values are keys.
   * @param values The keys, and then the arguments.
   */
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>;
}

// One slot of a cluster, because a script must not touch two. The keys contain the version of their
// layout.
const keyOf = (id: string) => `{mediagen:v1}:${id}`;
const setOf = (state: string) => `{mediagen:v1}:in:${state}`;

/**
 * Replaces the revision before by this one, or removes it if there is none, and moves the id to the
 * set of its state.
 */
const replace = `
  local revision, attempt, state, entry = unpack(redis.call('hmget', KEYS[1], 'revision', 'attempt', 'state', 'entry'))
  if tonumber(revision or 0) ~= ARGV[2] - 1 or (attempt or '') ~= ARGV[3] then return {0, entry} end
  if state then redis.call('srem', ARGV[7] .. state, ARGV[1]) end
  if ARGV[6] == '' then redis.call('del', KEYS[1]) return {1} end
  redis.call('hset', KEYS[1], 'revision', ARGV[2], 'attempt', ARGV[4], 'state', ARGV[5], 'entry', ARGV[6])
  redis.call('sadd', ARGV[7] .. ARGV[5], ARGV[1])
  return {1}`;

/**
 * Creates a store in Redis, for processes on any number of machines. Redis needs `appendonly yes`,
 * `appendfsync always` and `maxmemory-policy noeviction`. A replica that takes over after a failure
 * may lack the last writes: then a key can pay twice.
 *
 * @returns The store, for the option `store`.
 * @example const media = createMediaGen({ store: redisStore(new Redis()) });
 */
export function redisStore(redis: RedisClient): GenerationStore {
  return {
    async write(entry) {
      const { id, revision, follows, attempt, state } = entry;
      const next = { attempt, state, text: JSON.stringify(entry) };
      const [written, text] = await replaceRevision(redis, id, { revision, follows, next });
      if (written === 1) return { written: true };
      return { written: false, current: text ? (JSON.parse(text) as GenerationEntry) : undefined };
    },
    get: (id) => getEntry(redis, id),
    async *list({ states }) {
      for (const id of states.length === 0 ? [] : await redis.sunion(states.map(setOf))) {
        const entry = await getEntry(redis, id).catch((error: unknown) => ({
          id,
          unreadable: String(error),
        }));
        if (entry && ("unreadable" in entry || states.includes(entry.state))) yield entry;
      }
    },
    async forget({ keyed = false, before = Infinity } = {}) {
      let forgotten = 0;
      for (const id of await redis.sunion(["ended", "notCreated"].map(setOf))) {
        // One that cannot be read stays.
        const entry = await getEntry(redis, id).catch(() => undefined);
        const isOpen = entry?.state !== "ended" && entry?.state !== "notCreated";
        if (
          !entry ||
          isOpen ||
          (!keyed && entry.idempotencyKey !== undefined) ||
          !(entry.updatedAt < before)
        )
          continue;
        // Only if it has not been written since.
        const [written] = await replaceRevision(redis, id, {
          revision: entry.revision + 1,
          follows: entry.attempt,
        });
        forgotten += written;
      }
      return forgotten;
    },
  };
}

async function getEntry(redis: RedisClient, id: string): Promise<GenerationEntry | undefined> {
  const text = await redis.hget(keyOf(id), "entry");
  // The cast: the field holds what was written.
  return text === null ? undefined : (JSON.parse(text) as GenerationEntry);
}

interface Revision {
  readonly revision: number;
  /** The attempt of the revision before. */
  readonly follows: string | undefined;
  /** The new entry. Without it, the stored one is removed. */
  readonly next?: { readonly attempt: string; readonly state: string; readonly text: string };
}

/** Returns 1 if the revision was written; otherwise 0 and the stored entry. */
async function replaceRevision(
  redis: RedisClient,
  id: string,
  { revision, follows = "", next = { attempt: "", state: "", text: "" } }: Revision,
): Promise<[0 | 1, string | null]> {
  const { attempt, state, text } = next;
  const values = [id, revision, follows, attempt, state, text, setOf("")];
  // The cast: this is what the script returns.
  return (await redis.eval(replace, 1, keyOf(id), ...values)) as [0 | 1, string | null];
}
