import type { NodeMediaGenOptions } from "../node/client.ts";
import type { Kind } from "../spec/operation.ts";
import type { CallOptions, WaitOptions } from "../task/task.ts";

/** How to run a batch. What a client is created with goes here too; its journal is the folder's own. */
export interface BatchOptions
  extends Omit<NodeMediaGenOptions, "journal">, CallOptions, Pick<WaitOptions, "timeoutMs"> {
  /**
   * How many lines may be under way at once, from their generation until their files are there.
   * @default 8
   */
  readonly concurrency?: number | undefined;
  /**
   * How many generations may be sent in a minute, evenly spread.
   * @default Infinity
   */
  readonly generationsPerMinute?: number | undefined;
  /**
   * Is asked before anything is sent, unless there is nothing to pay for: whoever answers false pays nothing.
   * @default nobody is asked
   */
  readonly confirm?: ((plan: BatchPlan) => boolean | Promise<boolean>) | undefined;
  /** Is told when the first line begins and whenever one has ended. */
  readonly onProgress?: ((progress: BatchProgress) => unknown) | undefined;
  /** Is told of each line that has ended in this run, and awaited; what it throws ends the batch. */
  readonly onLine?: ((line: BatchLine) => unknown) | undefined;
}

/** What a batch is about to do. */
export interface BatchPlan {
  /** How many lines the input has. */
  readonly lines: number;
  /** How many paid generations are left: lines without a result, and without a task or an unknown outcome in the journal. */
  readonly generations: number;
  /** The same by model. */
  readonly byModel: Readonly<Record<string, number>>;
}

/** A file of a line's results. */
export interface BatchFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Its size in bytes. */
  readonly bytes: number;
  /** Its media type, by its bytes, else as its server says. */
  readonly type?: string | undefined;
}

/** How a line has ended. */
export interface BatchLine {
  /** Where it stands in the input, from 1. */
  readonly line: number;
  /** Its own id, else one made of its content. */
  readonly id: string;
  /** What it generates. */
  readonly kind: Kind;
  /** The model that generates it. */
  readonly model: string;
  /**
   * `succeeded` and `failed` are final and stand in `results.jsonl`. `unknown` (perhaps paid; look at the service) and
   * `unfinished` (refused, not reached or not in time; run the batch again) stand in `unfinished.jsonl`.
   */
  readonly state: "succeeded" | "failed" | "unknown" | "unfinished";
  /** The fields as the input has them. */
  readonly form: Readonly<Record<string, unknown>>;
  /** The id of its task, where it has one. */
  readonly taskid?: string | undefined;
  /** Its results; none where it did not succeed. */
  readonly files: readonly BatchFile[];
  /** Why it did not succeed. */
  readonly error?: Pick<Error, "name" | "message"> | undefined;
  /** The generation's id in the journal where its outcome is unknown, for `media.resolve`. */
  readonly generation?: string | undefined;
}

/** How far a batch has come, by lines of the input. */
export interface BatchProgress {
  /** How many lines the input has. */
  readonly lines: number;
  /** How many have succeeded, in this run and earlier ones. */
  readonly succeeded: number;
  /** How many have failed, in this run and earlier ones. */
  readonly failed: number;
  /** How many have an unknown outcome. */
  readonly unknown: number;
  /** How many this run has set aside for another one. */
  readonly unfinished: number;
  /** How many are under way. */
  readonly running: number;
  /** How many generations this run has paid for. */
  readonly generated: number;
  /** How long this run takes so far, in milliseconds. */
  readonly elapsedMs: number;
  /** How many lines have ended in a minute of this run. */
  readonly linesPerMinute: number;
  /** How long it may take yet, in milliseconds; undefined before a line has ended. */
  readonly leftMs: number | undefined;
}

/** How a batch ended. */
export interface BatchSummary extends BatchProgress {
  /**
   * Why lines were left out, unpaid: nobody confirmed them, the credits ran out, the service refuses whatever is sent (the key
   * is wrong, or the address), it is not reached, or so many outcomes in a row are unknown that more would be too.
   */
  readonly stopped?: "declined" | "credits" | "refused" | "unreachable" | "unknown" | undefined;
  /** The error that stopped it. */
  readonly error?: Pick<Error, "name" | "message"> | undefined;
}
