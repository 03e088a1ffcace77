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
 * Name of the store's directory in a batch's folder. It is visible on purpose: a folder that is copied without it, as
 * `cp out/* elsewhere` does with hidden files, would pay again for what is not finished.
 */
export const storeName = "generations";

/** States of generations that may have been paid. */
const paidStates: readonly GenerationState[] = ["sending", "created", "unknown", "ended"];

/** What a store knows of a line. */
export interface KnownLine {
  /** Idempotency key of its last generation that may have been paid, or else of its first one. */
  readonly key: string;
  /** The record of that generation, if it may have been paid. */
  readonly record?: GenerationRecord;
  /** Key to generate the line again with, if its task is recorded as failed. */
  readonly retryKey?: string;
  /** Reason why its record cannot be read. The line must not be sent then. */
  readonly unreadable?: string;
}

/** What earlier runs have recorded of generations, in a folder. */
export class KnownLines {
  readonly store: GenerationStore;

  constructor(folder: string) {
    this.store = fileStore(join(folder, storeName));
  }

  /**
   * Returns what is known of a line. Its id is the idempotency key of its first generation. Only a generation whose task is
   * recorded as failed is followed by another one, whose key has a number: a run that is repeated finds the same one.
   */
  async get(origin: string, id: string): Promise<KnownLine> {
    let known: KnownLine = { key: id };
    for (let generation = 1; ; generation++) {
      // No id contains "#".
      const key = generation === 1 ? id : `${id}#${generation}`;
      try {
        const record = await this.store.get(await generationIdOf(origin, key));
        if (!record || !paidStates.includes(record.state)) return known.record ? { ...known, retryKey: key } : known;
        known = { key, record };
        if (record.outcome !== "failed") return known;
      } catch (error) {
        return { key, unreadable: messageOf(error) };
      }
    }
  }

  /** Returns the origin of the folder's generations. All have one, because a batch rejects a folder of another. */
  async origin(): Promise<string | undefined> {
    for await (const record of this.store.list({ states: paidStates })) if ("origin" in record) return record.origin;
    return undefined;
  }
}
