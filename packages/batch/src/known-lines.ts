import { join } from "node:path";
import {
  fileStore,
  generationIdOf,
  type GenerationRecord,
  type GenerationState,
  type GenerationStore,
} from "@mediagen/sdk/node";
import { messageOf } from "./issues.ts";

/**
 * Name of the store in a batch's directory. It is visible on purpose: a directory that is copied without it, as
 * `cp out/* elsewhere` does with hidden files, would pay again for what is not finished.
 */
const storeName = "generations";

/** States of generations that may have been paid. */
const paidStates: readonly GenerationState[] = ["sending", "created", "unknown", "ended"];

/** What a store knows of a line. */
export interface KnownLine {
  /** Idempotency key of its last generation that may have been paid, or else of its first one: its id. */
  readonly key: string;
  /** The record of that generation, if it may have been paid. */
  readonly record?: GenerationRecord | undefined;
  /** Key of a second generation, if the first one's task is recorded as failed and there is no second one. */
  readonly retryKey?: string;
  /** Reason why its record cannot be read. The line must not be sent then. */
  readonly unreadable?: string;
}

/** What earlier runs have recorded of generations, in a directory. */
export class KnownLines {
  readonly store: GenerationStore;

  constructor(directory: string) {
    this.store = fileStore(join(directory, storeName));
  }

  /**
   * Returns what is known of a line. Its id is the idempotency key of its first generation. A second one has a key of its own,
   * so that a run that is repeated finds it. There is no third one.
   */
  async get(origin: string, id: string): Promise<KnownLine> {
    // No id contains "#".
    const retryKey = `${id}#2`;
    try {
      const first = await this.#paid(origin, id);
      if (first?.outcome !== "failed") return { key: id, record: first };
      const second = await this.#paid(origin, retryKey);
      return second ? { key: retryKey, record: second } : { key: id, record: first, retryKey };
    } catch (error) {
      return { key: id, unreadable: messageOf(error) };
    }
  }

  /** Returns the origin of the directory's generations. All have one, because a batch rejects a directory of another. */
  async origin(): Promise<string | undefined> {
    for await (const record of this.store.list({ states: paidStates })) if ("origin" in record) return record.origin;
    return undefined;
  }

  async #paid(origin: string, key: string): Promise<GenerationRecord | undefined> {
    const record = await this.store.get(await generationIdOf(origin, key));
    return record && paidStates.includes(record.state) ? record : undefined;
  }
}
