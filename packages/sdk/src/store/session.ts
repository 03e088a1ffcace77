import type { Emit } from "../errors/emit.ts";
import type { GenerationFacts, GenerationRecord, Sender } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import type { GenerationStore, WriteResult } from "./store.ts";

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

/** State that the attempts of one client share. */
export class Session {
  readonly host: RecordingHost;
  /** The ids of the records that this client is renewing. */
  readonly active: Set<string> = new Set();
  /** Tasks that are not recorded yet, by the ids of their records. Each resolves when its first write has ended. */
  readonly unrecorded: Map<string, { readonly facts: GenerationFacts; readonly task: Promise<TaskJSON> }> = new Map();

  constructor(host: RecordingHost) {
    this.host = host;
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
