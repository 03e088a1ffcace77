import { type GenerationEntry, type GenerationStore, memoryStore } from "@mediagen/sdk";
import type { Process, Way, World } from "./world.ts";

/** How likely each fault of the store is; none has the weight 1. */
export type StoreFaults = Readonly<Partial<Record<"fails" | "failsButWrites" | "hangs", number>>>;

/** The database of all processes. */
export class Database {
  /** Every entry as it is now, by its id. */
  readonly entries = new Map<string, GenerationEntry>();
  readonly #memory = memoryStore();
  readonly #world: World;
  readonly #faults: StoreFaults;

  constructor(world: World, faults: StoreFaults) {
    this.#world = world;
    this.#faults = faults;
  }

  /** Returns the store of one process, whose connection may fail. */
  connect(process: Process): GenerationStore {
    const { fails = 0, failsButWrites = 0, hangs = 0 } = this.#faults;
    const operate = <T>(name: string, run: () => Promise<T>, isWrite: boolean) =>
      this.#world.happens<T>(name, process, ({ resolve, reject }) => {
        const fail = () => reject(new Error("the database is down"));
        const ways: Way[] = [
          { name: "succeeds", weight: 1, run: () => void run().then(resolve, reject) },
          { name: "fails", weight: fails, run: fail },
          { name: "hangs", weight: hangs, run: () => undefined },
        ];
        if (!isWrite) return ways;
        return [
          ...ways,
          { name: "fails, but has written", weight: failsButWrites, run: () => void run().then(fail, reject) },
          { name: "hangs, but has written", weight: hangs, run: () => void run() },
        ];
      });
    return {
      write: (entry) => operate(`write ${entry.state} ${entry.revision}`, () => this.#write(entry), true),
      get: (id) => operate("read", () => this.#memory.get(id), false),
      list: (filter) => this.#list(operate("list", async () => this.#memory.list(filter), false)),
      forget: async () => 0,
    };
  }

  async #write(entry: GenerationEntry) {
    const result = await this.#memory.write(entry);
    if (result.written) this.entries.set(entry.id, entry);
    return result;
  }

  async *#list<T>(entries: Promise<AsyncIterable<T>>): AsyncGenerator<T> {
    yield* await entries;
  }
}
