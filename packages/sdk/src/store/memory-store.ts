import { mayFollow, mayForget } from "../money/entry.ts";
import type { GenerationEntry } from "../task/generation.ts";
import type { GenerationStore } from "./store.ts";

/**
 * Creates a store in memory: one process pays for no key twice, and its entries end with the
 * process. It is for tests, and for servers that only need to absorb double clicks.
 *
 * @returns The store, for the option `store`.
 * @example const media = createMediaGen({ store: memoryStore() });
 */
export function memoryStore(): GenerationStore {
  const texts = new Map<string, string>();
  // As JSON, so that callers share no object with the store.
  const read = (id: string) =>
    (JSON.parse(texts.get(id) ?? "null") ?? undefined) as GenerationEntry | undefined;
  const all = () => [...texts.keys()].flatMap((id) => read(id) ?? []);
  return {
    async write(entry) {
      const current = read(entry.id);
      if (!mayFollow(entry, current)) return { written: false, current };
      texts.set(entry.id, JSON.stringify(entry));
      return { written: true };
    },
    get: async (id) => read(id),
    async *list({ states }) {
      yield* all().filter(({ state }) => states.includes(state));
    },
    async forget(options) {
      const forgotten = all().filter((entry) => mayForget(entry, options));
      for (const { id } of forgotten) texts.delete(id);
      return forgotten.length;
    },
  };
}
