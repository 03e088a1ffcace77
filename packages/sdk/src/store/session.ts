import type { Emit } from "../errors/events.ts";
import type { GenerationFacts, GenerationRecord, Sender } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import type { GenerationStore, WriteResult } from "./store.ts";
import { withTimeout } from "./store-timeout.ts";

/** Information about processes. It is only used to shorten waits. */
export interface ProcessInfo {
  /** This process, if the runtime can identify it. */
  readonly sender?: Sender | undefined;
  /** Whether that process is known to have ended. */
  hasEnded(sender: Sender): boolean;
}

/** Dependencies of `Session`. */
export interface RecordingHost {
  readonly store: GenerationStore;
  readonly time: Time;
  readonly origin: string;
  readonly emit: Emit;
  readonly processes: ProcessInfo;
}

/** What this process knows about the generations in a store, by the ids of their records. */
class Known {
  /** The records that this process is renewing. */
  readonly active: Set<string> = new Set();
  /** Tasks that are not recorded yet. Each resolves when its first write has ended. */
  readonly unrecorded: Map<string, { readonly facts: GenerationFacts; readonly task: Promise<TaskJSON> }> = new Map();
  /** The calls with a key that have not ended. */
  readonly pending: Map<string, Promise<void>> = new Map();
}

/** By store, so that a client for each call does not pay twice. */
const knownOf = new WeakMap<GenerationStore, Known>();

/** State that the attempts of one client share. */
export class Session {
  readonly host: RecordingHost;
  readonly known: Known;

  constructor(host: RecordingHost) {
    const { store, time } = host;
    this.host = { ...host, store: withTimeout(store, time) };
    this.known = knownOf.get(store) ?? new Known();
    knownOf.set(store, this.known);
  }

  /** Writes a record. If a write failed but was stored anyway, the record counts as written. */
  async write(record: GenerationRecord): Promise<WriteResult> {
    const { store } = this.host;
    const result = await store.write(record).catch(() => store.write(record));
    if (result.written || !result.current) return result;
    return isSame(result.current, record) ? { written: true } : result;
  }
}

/** Whether two records are the same write. The attempt is not enough: a late sender and a resolution share it. */
function isSame(stored: GenerationRecord, record: GenerationRecord): boolean {
  const fields = ["attempt", "revision", "state", "updatedAt", "outcome", "resolvedByHand"] as const;
  return fields.every((field) => stored[field] === record[field]) && stored.task?.taskid === record.task?.taskid;
}
