import type { GenerationRecord } from "../task/generation.ts";
import { type GenerationStore, mayFollow, mayForget } from "./store.ts";

/**
 * Creates a store in memory: one process pays for no key twice, and its records end with the process. It is for tests,
 * and for servers that only need to absorb double clicks.
 *
 * @returns The store, for the option `store`.
 * @example
 * const media = createMediaGen({ store: memoryStore() });
 */
export function memoryStore(): GenerationStore {
  const texts = new Map<string, string>();
  // As JSON, so that callers share no object with the store.
  const read = (id: string) => {
    const text = texts.get(id);
    return text === undefined ? undefined : (JSON.parse(text) as GenerationRecord);
  };
  return {
    async write(record) {
      const current = read(record.id);
      if (!mayFollow(record, current)) return { written: false, current };
      texts.set(record.id, JSON.stringify(record));
      return { written: true };
    },
    get: async (id) => read(id),
    async *list({ states }) {
      for (const id of [...texts.keys()]) {
        const record = read(id);
        if (record && states.includes(record.state)) yield record;
      }
    },
    async forget(options) {
      const ids = [...texts.keys()].filter((id) => {
        const record = read(id);
        return record && mayForget(record, options);
      });
      for (const id of ids) texts.delete(id);
      return ids.length;
    },
  };
}
