import type { Emit } from "../errors/emit.ts";
import type { GenerationRecord, Sender } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import type { GenerationStore, WriteResult } from "./store.ts";

/** What a runtime knows of processes. It may shorten a wait, and decides nothing else. */
export interface ProcessInfo {
  /** This process, if the runtime tells. */
  readonly sender?: Sender | undefined;
  /** Whether that process is known to have ended. */
  hasEnded(sender: Sender): boolean;
}

/** What recording needs of its client. */
export interface RecordingHost {
  readonly store: GenerationStore;
  readonly time: Time;
  readonly origin: string;
  readonly emit: Emit;
  readonly processes: ProcessInfo;
}

/** What the attempts of one client share. */
export class Session {
  readonly host: RecordingHost;
  /** The ids of the records that this client is renewing. */
  readonly active: Set<string> = new Set();
  /** Tasks that could not be recorded yet, by the ids of their records. */
  readonly unrecorded: Map<string, TaskJSON> = new Map();

  constructor(host: RecordingHost) {
    this.host = host;
  }

  /** Writes a record; one that is stored already because an earlier, failed write did happen counts as written. */
  async write(record: GenerationRecord): Promise<WriteResult> {
    const { store } = this.host;
    const result = await store.write(record).catch(() => store.write(record));
    if (result.written || !result.current) return result;
    return isSame(result.current, record) ? { written: true } : result;
  }
}

/** Whether a stored record is the one that was to be written. A late sender and a resolution share the attempt. */
function isSame(stored: GenerationRecord, record: GenerationRecord): boolean {
  const fields = ["attempt", "revision", "state", "updatedAt", "outcome", "resolvedByHand"] as const;
  return fields.every((field) => stored[field] === record[field]) && stored.task?.taskid === record.task?.taskid;
}
