import { join } from "node:path";
import {
  fileStore,
  generationIdOf,
  type GenerationEntry,
  type GenerationState,
  type GenerationStore,
} from "@mediagen/sdk/node";
import { messageOf } from "./issues.ts";

/**
 * The store in a batch's directory. It is visible: a directory that is copied without it would pay
 * again for unfinished lines.
 */
const storeName = "generations";

/** States of generations that may have been billed. */
const paidStates: readonly GenerationState[] = ["sending", "created", "unknown", "ended"];

/** The generations that a store has for a line. */
export interface KnownLine {
  /**
   * Idempotency key of its last generation that may have been billed, or of the first one (the
   * line's id).
   */
  readonly key: string;
  readonly entry?: GenerationEntry | undefined;
  /**
   * Key for a second generation, if the first task is recorded as failed and there is no second one
   * yet.
   */
  readonly retryKey?: string;
  /** Reason why its entry cannot be read. Such a line must not be sent. */
  readonly unreadable?: string;
}

/** The generations that earlier runs have recorded in a directory. */
export class KnownLines {
  readonly store: GenerationStore;

  constructor(directory: string) {
    this.store = fileStore(join(directory, storeName));
  }

  /**
   * Returns the generations of a line. Its id is the idempotency key of the first one. There is no
   * third one.
   */
  async get(origin: string, id: string): Promise<KnownLine> {
    // No id contains "#".
    const retryKey = `${id}#2`;
    try {
      const first = await this.#paid(origin, id);
      if (first?.outcome !== "failed") return { key: id, entry: first };
      const second = await this.#paid(origin, retryKey);
      return second ? { key: retryKey, entry: second } : { key: id, entry: first, retryKey };
    } catch (error) {
      return { key: id, unreadable: messageOf(error) };
    }
  }

  /**
   * Returns the origin of the directory's generations. All have one, because a batch rejects a
   * directory of another.
   */
  async origin(): Promise<string | undefined> {
    for await (const entry of this.store.list({ states: paidStates }))
      if ("origin" in entry) return entry.origin;
    return undefined;
  }

  async #paid(origin: string, key: string): Promise<GenerationEntry | undefined> {
    const entry = await this.store.get(await generationIdOf(origin, key));
    return entry && paidStates.includes(entry.state) ? entry : undefined;
  }
}
