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
  /** Its generation, if it may have been paid. */
  readonly record?: GenerationRecord;
  /** Reason why its record cannot be read. The line must not be sent then. */
  readonly unreadable?: string;
}

/** What earlier runs have recorded of generations, in a folder. */
export class KnownLines {
  readonly store: GenerationStore;

  constructor(folder: string) {
    this.store = fileStore(join(folder, storeName));
  }

  /** Returns what is known of a line. Its id is the idempotency key. */
  async get(origin: string, id: string): Promise<KnownLine> {
    try {
      const record = await this.store.get(await generationIdOf(origin, id));
      return record && paidStates.includes(record.state) ? { record } : {};
    } catch (error) {
      return { unreadable: messageOf(error) };
    }
  }

  /** Returns the origin of the folder's generations. All have one, because a batch rejects a folder of another. */
  async origin(): Promise<string | undefined> {
    for await (const record of this.store.list({ states: paidStates })) if ("origin" in record) return record.origin;
    return undefined;
  }
}
