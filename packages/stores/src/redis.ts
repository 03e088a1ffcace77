import type { GenerationEntry, GenerationState, GenerationStore } from "@mediagen/sdk";

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
  /** Returns the state of the server, in lines of `name:value`. */
  info(): Promise<string>;
}

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /**
   * Whether the store works with a Redis that may forget entries, such as one without
   * `appendonly yes`. A forgotten key can pay again. Default: false.
   */
  readonly allowVolatile?: boolean | undefined;
}

// One slot of a cluster, because a script must not touch two. The keys contain the version of their
// layout.
const keyOf = (id: string) => `{mediagen:v1}:${id}`;
const setOf = (state: GenerationState) => `{mediagen:v1}:in:${state}`;
const statePositions: Readonly<Record<GenerationState, number>> = {
  claimed: 0,
  sending: 1,
  created: 2,
  unknown: 3,
  ended: 4,
  notCreated: 5,
};
// The cast: these are the names.
const sets = (Object.keys(statePositions) as GenerationState[]).map(setOf);

/**
 * Replaces the revision before by this one, or removes it if there is none, and moves the id to the
 * set of its state. KEYS has every key that is touched, so that a prefix or a cluster works: the
 * entry, and the sets.
 */
const replace = `
  local id, revision, follows, attempt, set, text = unpack(ARGV)
  local stored = redis.call('hmget', KEYS[1], 'revision', 'attempt', 'entry')
  if tonumber(stored[1] or 0) ~= revision - 1 or (stored[2] or '') ~= follows then return {0, stored[3]} end
  for i = 2, #KEYS do redis.call('srem', KEYS[i], id) end
  if text == '' then redis.call('del', KEYS[1]) return {1} end
  redis.call('hset', KEYS[1], 'revision', revision, 'attempt', attempt, 'entry', text)
  redis.call('sadd', KEYS[2 + set], id)
  return {1}`;

/**
 * Creates a store in Redis, for processes on any number of machines. Redis needs `appendonly yes`,
 * `appendfsync always` and `maxmemory-policy noeviction`. A replica that takes over after a failure
 * may lack the last writes: then a key can pay twice.
 *
 * @param redis A connected client. Its option `keyPrefix` and a `Cluster` work.
 * @returns The store, for the option `store`.
 * @example const media = createMediaGen({ store: redisStore(new Redis()) });
 */
export function redisStore(
  redis: RedisClient,
  { allowVolatile = false }: RedisStoreOptions = {},
): GenerationStore {
  let checked: Promise<void> | undefined;
  return {
    async write(entry) {
      if (!allowVolatile) {
        checked ??= checkDurability(redis).catch((error: unknown) => {
          checked = undefined; // Somebody may correct the settings of the server.
          throw error;
        });
        await checked;
      }
      const { id, revision, follows, attempt, state } = entry;
      const next = { attempt, set: statePositions[state], text: JSON.stringify(entry) };
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
      for (const id of await redis.sunion([setOf("ended"), setOf("notCreated")])) {
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

/** Rejects a Redis that says that it may forget, because a forgotten key can pay again. */
async function checkDurability(redis: RedisClient): Promise<void> {
  const info = await redis.info();
  const settingOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const append = settingOf("aof_enabled");
  const eviction = settingOf("maxmemory_policy");
  const advice = "Set appendonly yes and maxmemory-policy noeviction, or the option allowVolatile.";

  if (append === "0" || (eviction !== undefined && eviction !== "noeviction")) {
    const reason = append === "0" ? "appendonly is no" : `maxmemory-policy is ${eviction}`;
    throw new Error(
      `This Redis may forget generations, which could then pay again: ${reason}. ${advice}`,
    );
  }
  if (append === undefined || eviction === undefined) {
    process.emitWarning(
      `This Redis does not say whether it may forget generations, which could then pay again. ${advice}`,
    );
  }
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
  readonly next?: { readonly attempt: string; readonly set: number; readonly text: string };
}

/** Returns 1 if the revision was written; otherwise 0 and the stored entry. */
async function replaceRevision(
  redis: RedisClient,
  id: string,
  { revision, follows = "", next = { attempt: "", set: 0, text: "" } }: Revision,
): Promise<[0 | 1, string | null]> {
  const keys = [keyOf(id), ...sets];
  const values = [id, revision, follows, next.attempt, next.set, next.text];
  // The cast: this is what the script returns.
  return (await redis.eval(replace, keys.length, ...keys, ...values)) as [0 | 1, string | null];
}
