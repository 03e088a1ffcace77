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
    const memory = this.#memory;
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
          {
            name: "fails, but has written",
            weight: failsButWrites,
            run: () => void run().then(fail, reject),
          },
          { name: "hangs, but has written", weight: hangs, run: () => void run() },
        ];
      });
    const write = async (entry: GenerationEntry) => {
      const result = await memory.write(entry);
      if (result.written) this.entries.set(entry.id, entry);
      return result;
    };
    const list: GenerationStore["list"] = async function* (filter) {
      yield* await operate("list", async () => memory.list(filter), false);
    };
    return {
      write: (entry) => operate(`write ${entry.state} ${entry.revision}`, () => write(entry), true),
      get: (id) => operate("read", () => memory.get(id), false),
      list,
      forget: async () => 0,
    };
  }
}
