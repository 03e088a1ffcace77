import { type OptionTypes, readOptions } from "@mediagen/sdk/kit";
import type {
  CallOptions,
  Kind,
  NodeMediaGenOptions,
  TaskRecord,
  WaitOptions,
} from "@mediagen/sdk/node";

/**
 * Options of `runBatch`: its own, and those of a client except the store, which is in the directory
 * of the results.
 */
export interface BatchOptions
  extends Omit<NodeMediaGenOptions, "store">, CallOptions, Pick<WaitOptions, "waitTimeoutMs"> {
  /**
   * Number of lines that run at once. A line runs from its generation until its files are
   * downloaded.
   * @default 8
   */
  readonly concurrency?: number | undefined;
  /**
   * Number of generations sent per minute, evenly spread.
   * @default Infinity
   */
  readonly generationsPerMinute?: number | undefined;
  /**
   * Called once before anything is sent, unless nothing would be billed. May be async. If it
   * returns false, nothing is sent.
   * @default every batch is confirmed
   */
  readonly confirm?: ((plan: BatchPlan) => boolean | Promise<boolean>) | undefined;
  /**
   * Maximum number of tasks that this run creates. Unknown outcomes count, rejected generations do
   * not.
   * @default Infinity
   */
  readonly limit?: number | undefined;
  /**
   * Ids of the lines that this run is about. The other lines are checked, but neither run nor
   * counted.
   * @default all lines
   */
  readonly only?: readonly string[] | undefined;
  /**
   * Whether to generate a second task, and no third one, for each line whose task has failed, which
   * is billed. The first task is queried once more before. If it has succeeded in the meantime,
   * nothing is billed.
   * @default false
   */
  readonly retryFailed?: boolean | undefined;
  /** Called when the first line starts and whenever a line ends. */
  readonly onProgress?: ((progress: BatchProgress) => unknown) | undefined;
  /** Called for every line that ends in this run. May be async. Throwing ends the batch. */
  readonly onLine?: ((line: BatchLine) => unknown) | undefined;
}

/** The options that are not those of the client. */
type OwnOptions = Omit<BatchOptions, keyof NodeMediaGenOptions>;

const ofBatch: OptionTypes<OwnOptions> = {
  concurrency: "limit",
  generationsPerMinute: "limit",
  confirm: "function",
  limit: "limit",
  only: "texts",
  retryFailed: "boolean",
  onProgress: "function",
  onLine: "function",
  signal: "signal",
  waitTimeoutMs: "limit",
};

/** Checks the options of the batch, and returns those of its client, which checks them. */
export function clientOptionsOf(options: BatchOptions): NodeMediaGenOptions {
  // The cast: these are the names of the table. Inherited options, as those of a class, are read
  // too.
  const own = (Object.keys(ofBatch) as (keyof OwnOptions)[]).map((name) => [name, options[name]]);
  readOptions<OwnOptions>("runBatch", Object.fromEntries(own), ofBatch, "Nothing was sent.");
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !Object.hasOwn(ofBatch, name)),
  );
}

/** Work that a batch is about to do. */
export interface BatchPlan {
  /** Number of lines that the run is about. */
  readonly lines: number;
  /** Maximum number of paid generations of this run, `retries` included. */
  readonly generations: number;
  /**
   * Maximum number of them that are second tasks of lines whose first task is recorded as failed.
   */
  readonly retries: number;
  /** Number of lines whose outcome is unknown. They may have been billed and are not sent. */
  readonly unknown: number;
  /** Paid generations by model. With a `limit`, those of the first lines. */
  readonly byModel: Readonly<Record<string, PlannedModel>>;
}

/** Paid generations of one model. */
export interface PlannedModel {
  /** Number of paid generations. */
  readonly generations: number;
  /** Number of images, or seconds of video, that they create. */
  readonly amount: number;
  /** Unit of `amount`. */
  readonly unit: "image" | "second";
  /**
   * Number of generations whose form leaves the amount to the service. Each counts as one image or
   * no second of `amount`.
   */
  readonly open: number;
}

/** File that holds a result of a line. */
export interface BatchFile {
  /** Name in the directory. */
  readonly name: string;
  readonly bytes: number;
  /** Media type, from the bytes, or else from the server's Content-Type. */
  readonly type?: string | undefined;
  /** SHA-256 of the bytes, in hexadecimal. Earlier versions did not record it. */
  readonly sha256?: string | undefined;
}

/** Line that has ended. */
export interface BatchLine {
  /** Number of the line in the input, from 1. */
  readonly line: number;
  /** Id of the line in the input, or one made from its content. */
  readonly id: string;
  /** Kind of the results: video or image. */
  readonly kind: Kind;
  /** Model of the form. */
  readonly model: string;
  /**
   * Outcome of the line. `succeeded` and `failed` are final. `unknown` may have been billed: check
   * at the service. `unfinished` was rejected, not reached or not in time: run the batch again.
   */
  readonly state: "succeeded" | "failed" | "unknown" | "unfinished";
  /** Fields of the form, as in the input. */
  readonly form: Readonly<Record<string, unknown>>;
  /** Id of the task, if there is one. */
  readonly taskid?: string | undefined;
  /**
   * Time at which the SDK saw that the line succeeded, in ISO 8601. Earlier versions did not record
   * it.
   */
  readonly endedAt?: string | undefined;
  /**
   * Record of the task at the service, such as its seed, if the line succeeded. Earlier versions
   * did not record it.
   */
  readonly record?: TaskRecord | undefined;
  /** Downloaded results; empty unless the line succeeded. */
  readonly files: readonly BatchFile[];
  /** Reason why the line did not succeed. */
  readonly error?: Pick<Error, "name" | "message"> | undefined;
  /** Id of the generation whose outcome is unknown, for `media.resolve`. */
  readonly generationId?: string | undefined;
  /** Id of the attempt whose outcome is unknown, for `media.resolve`. */
  readonly attempt?: string | undefined;
}

/**
 * Progress of a batch in lines. `succeeded`, `failed`, `unknown`, `unfinished`, `running` and
 * `notStarted` add up to `lines`.
 */
export interface BatchProgress {
  /** Number of lines that the run is about. */
  readonly lines: number;
  /** Lines that have succeeded, in this run and earlier ones. */
  readonly succeeded: number;
  /** Lines that have failed, in this run and earlier ones. */
  readonly failed: number;
  /** Lines whose outcome is unknown. */
  readonly unknown: number;
  /**
   * Lines that this run has left for another one: rejected, not reached, or with a task that is not
   * finished.
   */
  readonly unfinished: number;
  /** Lines that are running. */
  readonly running: number;
  /** Lines that this run has not started. */
  readonly notStarted: number;
  /** Tasks that this run has created, each of them paid. */
  readonly generated: number;
  /** Time since this run began, in milliseconds. */
  readonly elapsedMs: number;
  /** Lines that have ended per minute of this run. */
  readonly linesPerMinute: number;
  /** Estimated time until the batch ends, in milliseconds; undefined before a line has ended. */
  readonly leftMs: number | undefined;
}

/**
 * Reason why a batch sends nothing more:
 *
 * - `declined`: `confirm` returned false
 * - `credits`: the balance does not cover a form
 * - `rejected`: the API key or the base URL is wrong
 * - `unreachable`: there is no connection to the service
 * - `unknown`: there were more unknown outcomes in a row than lines that run at once
 */
export type StopReason = "declined" | "credits" | "rejected" | "unreachable" | "unknown";

/** Result of a batch. */
export interface BatchSummary extends BatchProgress {
  /** Reason why lines were not started. They were not sent. */
  readonly stopped?: StopReason | undefined;
  /** Error that stopped the batch. */
  readonly error?: Pick<Error, "name" | "message"> | undefined;
}
