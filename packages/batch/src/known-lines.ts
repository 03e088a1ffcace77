import { join } from "node:path";
import {
  fileStore,
  generationIdOf,
  type GenerationEntry,
  type GenerationState,
  type GenerationStore,
} from "@mediagen/sdk/node";
import { messageOf } from "./issues.ts";

/** The store in a batch's directory. It is visible: a directory that is copied without it would pay again for unfinished lines. */
const storeName = "generations";

/** States of generations that may have been billed. */
const paidStates: readonly GenerationState[] = ["sending", "created", "unknown", "ended"];

/** The generations that a store has for a line. */
export interface KnownLine {
  /** Idempotency key of its last generation that may have been billed, or of the first one (the line's id). */
  readonly key: string;
  readonly record?: GenerationEntry | undefined;
  /** Key for a second generation, if the first task is recorded as failed and there is no second one yet. */
  readonly retryKey?: string;
  /** Reason why its record cannot be read. Such a line must not be sent. */
  readonly unreadable?: string;
}

/** The generations that earlier runs have recorded in a directory. */
export class KnownLines {
  readonly store: GenerationStore;

  constructor(directory: string) {
    this.store = fileStore(join(directory, storeName));
  }

  /** Returns the generations of a line. Its id is the idempotency key of the first one. There is no third one. */
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

  async #paid(origin: string, key: string): Promise<GenerationEntry | undefined> {
    const record = await this.store.get(await generationIdOf(origin, key));
    return record && paidStates.includes(record.state) ? record : undefined;
  }
}
