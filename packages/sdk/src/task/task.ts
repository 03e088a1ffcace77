import type { Kind } from "../spec/operation.ts";
import type {
  ImageDeleteFields,
  ImageDeletion,
  ImageTask,
  VideoDeleteFields,
  VideoDeletion,
  VideoTask,
} from "../spec/types.gen.ts";

/**
 * A generated task. It is plain data with three verbs: keep `JSON.stringify(task)`, and `media.task(JSON.parse(text))`
 * gives it back in any process.
 */
export interface Task<out K extends Kind = Kind> {
  /** What the task makes. */
  readonly kind: K;
  /** The id, as the generation answered it. */
  readonly taskid: string;
  /** The model; undefined where the task was made from its id alone. */
  readonly model: string | undefined;
  /** The origin of the base URL that the task was generated at. */
  readonly origin: string;
  /** How many results the form asked for. */
  readonly results: number;
  /** When the task was generated, in milliseconds since 1970; undefined where it was made from its id alone. */
  readonly createdAt: number | undefined;
  /** What the generation answered; undefined where the task was made from its id alone. */
  readonly created: Created | undefined;
  /** The record that the last check of this handle answered; undefined before the first. */
  readonly record: Records[K] | undefined;
  /**
   * Queries the task once and reads its state, without sleeping: for queues and workflow engines.
   *
   * @throws {@link ServiceError} the service refused the query
   * @throws {@link ConnectionError} there was no whole answer; checking again is safe
   */
  check(options?: CallOptions): Promise<Check<K>>;
  /**
   * Checks until the task has succeeded and answers its record: until there are as many result addresses as the form asked
   * for, or fewer that have not changed over three checks. A failure is known only by `statuses` or `classify` of the client;
   * without them a failed task ends in the deadline.
   *
   * @throws {@link TaskFailedError} the task failed, by `statuses` or `classify` of the client
   * @throws {@link WaitTimeoutError} the deadline passed; the task is not lost
   * @throws {@link ServiceError} the service refused five queries in a row
   */
  wait(options?: WaitOptions<K>): Promise<Records[K]>;
  /**
   * The task's results in memory, each with its media type by its bytes. On Node, `download` of `@mediagen/sdk/node` brings
   * them to disk.
   *
   * @throws {@link InvalidRequestError} there is no result yet
   * @throws {@link ServiceError} a result's server refused, or its address may not be fetched
   * @throws {@link ConnectionError} a result did not arrive whole; asking again is safe
   */
  blobs(options?: ResultOptions): Promise<readonly Blob[]>;
  /**
   * Deletes the task. Whether that stops or refunds a running task is not documented by the service.
   *
   * @throws {@link ServiceError} the service refused
   */
  delete(options?: DeleteFields[K] & CallOptions): Promise<Deletions[K]>;
  /** The task as plain JSON; `media.task` takes it back, in any process. */
  toJSON(): TaskJSON;
}

/** A task of either kind. */
export type AnyTask = Task<"video"> | Task<"image">;

/** A task as plain JSON: everything that resumes it in another process or on another machine. */
export interface TaskJSON {
  /** The version of this JSON. */
  readonly version: 1;
  /** What the task makes. */
  readonly kind: Kind;
  /** The id, as the generation answered it. */
  readonly taskid: string;
  /** The origin of the base URL that the task was generated at. */
  readonly origin: string;
  /** How many results the task's form asked for. */
  readonly results: number;
  /** The model, where this task was generated here. */
  readonly model?: string;
  /** When the task was generated, in milliseconds since 1970. */
  readonly createdAt?: number;
  /** What the generation answered. */
  readonly created?: Created;
  /** Fewer results than asked for, where the last check showed that. */
  readonly partial?: PartialResult;
}

/** What a generation answered: the id, and the address where it named one. */
export interface Created {
  /** The task's id. */
  readonly taskid: string;
  /** Some models name an address at once; whether the result is there already is not documented by the service. */
  readonly url?: string;
}

/** Fewer results than asked for, and over how many checks in a row their count has not changed. */
export interface PartialResult {
  /** How many result addresses the last check saw. */
  readonly count: number;
  /** Over how many checks in a row that number has not changed. */
  readonly checks: number;
}

/** Our reading of a record: `succeeded` once its results are there, `failed` only where the caller says which statuses are. */
export type State = "pending" | "succeeded" | "failed";

/** What one query told about a task. */
export interface Check<K extends Kind = Kind> {
  /** Our reading of the record. */
  readonly state: State;
  /** The raw status; what its values mean is not documented by the service. */
  readonly status: number | undefined;
  /** The record, as the service answered it. */
  readonly record: Records[K];
}

/** The records of both kinds, as a query answers them. */
export interface Records {
  /** The record of a video task. */
  readonly video: VideoTask;
  /** The record of an image task. */
  readonly image: ImageTask;
}

/** The record of a task of either kind. */
export type TaskRecord = Records[Kind];

/** What a deletion answers, by kind. */
export interface Deletions {
  /** What the deletion of video tasks answers. */
  readonly video: VideoDeletion;
  /** What the deletion of image tasks answers. */
  readonly image: ImageDeletion;
}

/** What a deletion takes beside the tasks, by kind. */
export interface DeleteFields {
  /** What the deletion of video tasks takes. */
  readonly video: VideoDeleteFields;
  /** What the deletion of image tasks takes. */
  readonly image: ImageDeleteFields;
}

/** What every call takes last. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How to wait for a task. */
export interface WaitOptions<K extends Kind = Kind> extends CallOptions {
  /** Is told of every check, and awaited where it answers a promise; what it throws ends the wait. */
  readonly onUpdate?: ((update: WaitUpdate<K>) => unknown) | undefined;
  /**
   * How long to wait at most, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
}

/** What a wait tells after each check. */
export interface WaitUpdate<K extends Kind = Kind> {
  /** The task that is waited for. */
  readonly task: Task<K>;
  /** How many checks were made so far. */
  readonly checks: number;
  /** How long the wait has taken so far, in milliseconds. */
  readonly elapsedMs: number;
  /** Our reading of the record; undefined where the check failed. */
  readonly state: State | undefined;
  /** The raw status; undefined where the check failed or the record has none. */
  readonly status: number | undefined;
  /** The record; undefined where the check failed. */
  readonly record: Records[K] | undefined;
  /** Why the check failed, where it did. The wait goes on. */
  readonly error: unknown;
}

/** How to fetch results. */
export interface ResultOptions extends CallOptions {
  /**
   * The most bytes that one result may have.
   * @default 4_294_967_296 (4 GiB)
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long a result may stand still, in milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /**
   * How long one result may take in all, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether results may come from this machine or a private network.
   * @default true where the base URL is there itself, else false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /** Is told of each piece that arrives; what it throws ends the fetching. */
  readonly onProgress?: ((progress: ResultProgress) => void) | undefined;
}

/** How far a result has come. */
export interface ResultProgress {
  /** Which result, from 0. */
  readonly index: number;
  /** How many results there are. */
  readonly count: number;
  /** How many bytes of it have arrived. */
  readonly bytes: number;
  /** Its size; undefined where its server does not say. */
  readonly totalBytes: number | undefined;
}
