import type { Kind } from "../spec/operation.ts";
import type { DeleteFields, Deletions, Records, TaskRecord } from "../spec/types.gen.ts";

export type { DeleteFields, Deletions, Records, TaskRecord } from "../spec/types.gen.ts";

/**
 * A task as plain JSON, to resume it in any process. It fits the JSON types of workflow engines,
 * which an interface would not.
 */
export type TaskJSON = {
  /** The version of this format. */
  readonly version: 2;
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The id that the service gave the task. */
  readonly taskid: string;
  /** The origin of the base URL that the task was generated at. */
  readonly origin: string;
  /** The number of results that the form requested. */
  readonly resultCount: number;
  /** The model, unless the task was created from its id alone. */
  readonly model?: string;
  /**
   * The time of the generation, in milliseconds since 1970, unless the task was created from its id
   * alone.
   */
  readonly createdAt?: number;
  /**
   * The URL in the response to the generation, if there was one. Whether its result is already
   * there is not documented.
   */
  readonly initialUrl?: string;
  /** The id of the generation's entry in the store, if there is a store. */
  readonly generationId?: string;
  /**
   * The id that the service or a proxy gave the request that created the task. Include it when you
   * contact support.
   */
  readonly requestId?: string;
  /**
   * If there were fewer results than requested: their number, for how many checks in a row it has
   * not changed, and since when, in milliseconds since 1970.
   */
  readonly partial?: {
    readonly count: number;
    readonly checks: number;
    readonly since: number;
  };
};

/**
 * A task: plain data with four methods. `media.task(JSON.parse(text))` restores it from
 * `JSON.stringify(task)` in any process.
 */
export interface Task<out K extends Kind = Kind> extends Omit<
  TaskJSON,
  "version" | "kind" | "partial"
> {
  /** The kind of its results: video or image. */
  readonly kind: K;
  /** The record that the last check of this object read; undefined before the first. */
  readonly record: Records[K] | undefined;
  /**
   * Queries the task once and reads its state, without sleeping: for queues and workflow engines. A
   * task that the service does not know within 60 seconds of its creation is pending, as it is for
   * `wait`.
   *
   * @returns The state, with the record it was read from. A pending task has `afterMs`, the delay
   * before the next check.
   * @throws A {@link ServiceError} if the service rejected the query
   * @throws A {@link ConnectionError} if there was no complete response; checking again is safe
   * @throws An {@link InvalidRequestError} if an option is not valid
   * @example
   * const check = await task.check();
   * if (check.state === "pending")
   *   await queue.add("check", task.toJSON(), { delay: check.afterMs });
   */
  check(options?: RequestOptions): Promise<Check<K>>;
  /**
   * Polls until there are as many result URLs as the form requested, or fewer that have not changed
   * over three checks. The service documents no sign of a failure: without `statuses` or
   * `classify`, the wait for a failed task ends at its deadline. A lost connection does not end a
   * wait.
   *
   * @returns The record with the URLs of the results.
   * @throws A {@link TaskFailedError} if the task failed, according to `statuses` or `classify` of
   * the client
   * @throws A {@link WaitTimeoutError} if the deadline passed; the task is not lost
   * @throws A {@link ServiceError} if the service rejected five queries in a row, or three with
   *   HTTP 401 or 403 over ten seconds; the task is not lost
   * @throws An {@link InvalidRequestError} if an option is not valid
   * @throws The signal's reason if the signal aborts, or the error of `onUpdate`; the task is not
   * lost
   * @example
   * const record = await task.wait({ waitTimeoutMs: 600_000 });
   * console.log(record.url);
   */
  wait(options?: WaitOptions<K>): Promise<Records[K]>;
  /**
   * Deletes the task. Whether that stops or refunds a running task is not documented by the
   * service.
   *
   * @returns The response of the service.
   * @throws The errors of `check`
   * @example
   * await download(task, "out/");
   * await task.delete();
   */
  delete(options?: DeleteFields[K] & RequestOptions): Promise<Deletions[K]>;
  /**
   * Returns the task as plain JSON, as `JSON.stringify(task)` does. `media.task` restores it in any
   * process.
   *
   * @returns Everything that is needed to resume the task.
   * @example await queue.add("check", task.toJSON(), { delay: 5_000 });
   */
  toJSON(): TaskJSON;
}

/** A task of either kind. */
export type AnyTask = Task<"video"> | Task<"image">;

/**
 * The state of a task: `succeeded` once its results are there, `failed` only if `statuses` or
 * `classify` say so.
 */
export type State = "pending" | "succeeded" | "failed";

/** Options that say what the statuses of records mean. The service does not document it. */
export interface StateOptions {
  /**
   * The meanings of statuses. A wait ends as soon as a record has a final one: `succeeded` or
   * `failed`.
   */
  readonly statuses?:
    | {
        /** Statuses of tasks that have their results. */
        readonly succeeded?: readonly number[] | undefined;
        /**
         * Statuses of tasks that have failed. Without any, a wait for a failed task ends at its
         * deadline.
         */
        readonly failed?: readonly number[] | undefined;
      }
    | undefined;
  /**
   * The function that returns a record's state, or undefined to leave it to `statuses` and the
   * documented fields.
   */
  readonly classify?: ((record: TaskRecord) => State | undefined) | undefined;
}

/**
 * The result of one query. The service may not know a pending task yet. `afterMs`: the milliseconds
 * until the next check.
 */
export type Check<K extends Kind = Kind> = {
  /**
   * The raw status, if there is a record. What its values mean is not documented by the service.
   */
  readonly status: number | undefined;
  /** The id that the service, or a proxy in front of it, gave the query, if there was one. */
  readonly requestId: string | undefined;
} & (
  | {
      readonly state: "succeeded" | "failed";
      readonly record: Records[K];
      readonly afterMs?: undefined;
    }
  | { readonly state: "pending"; readonly record: Records[K] | undefined; readonly afterMs: number }
);

/** Options of every call. */
export interface CallOptions {
  /**
   * A signal that ends the call with its reason, or a generation that is being sent with an
   * `OutcomeUnknownError`.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Headers of a request, by name. A header that is undefined is not sent. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Options of a query, check or deletion. */
export interface RequestOptions extends CallOptions {
  /**
   * Headers of this call's requests. They replace the client's headers of the same names. If the
   * client has an API key, `authorization` and `idempotency-key` are rejected, because they would
   * be ignored.
   */
  readonly headers?: RequestHeaders | undefined;
}

/** Options of `wait`, `waitAll` and `waitEach`. */
export interface WaitOptions<K extends Kind = Kind> extends CallOptions {
  /**
   * Called after every poll, also after one that failed: then it has an `error` and no `state`. May
   * be async: the wait continues when it settles, unless the wait ends before. Throwing ends the
   * wait.
   */
  readonly onUpdate?: ((update: WaitUpdate<K>) => unknown) | undefined;
  /** The maximum time to wait, in milliseconds. @default 1_800_000 (30 minutes) */
  readonly waitTimeoutMs?: number | undefined;
}

/** A report of a wait, after each poll. */
export interface WaitUpdate<K extends Kind = Kind> {
  /** The task that the wait is for. */
  readonly task: Task<K>;
  /** The number of polls so far. */
  readonly checks: number;
  /** The time since the wait began, in milliseconds. */
  readonly elapsedMs: number;
  /** The state read from the record; undefined if the poll failed. */
  readonly state: State | undefined;
  /** The raw status; undefined if the poll failed or the record has none. */
  readonly status: number | undefined;
  /** The record; undefined if the poll failed. */
  readonly record: Records[K] | undefined;
  /** The number of results so far; `task.resultCount` were requested. Undefined if it failed. */
  readonly results: number | undefined;
  /** The error that the poll failed with, if it did. The wait continues. */
  readonly error: unknown;
}

/** Options of `download`, `blobs` and `streams`. */
export interface ResultOptions extends CallOptions {
  /**
   * The maximum size of one result, in bytes. `blobs` holds all results in memory.
   * @default 4_294_967_296 (4 GiB), or 268_435_456 (256 MiB) for `blobs`
   */
  readonly maxBytes?: number | undefined;
  /**
   * The maximum time without bytes, in milliseconds. Time that you take to read `streams` does not
   * count.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /**
   * Whether result URLs may lead to this machine or a private network. `@mediagen/sdk/node` checks
   * the IP address that it connects to. Behind an agent or a proxy, it checks what this machine
   * resolves the name to; the proxy may differ. A client that uses fetch resolves no names: it
   * checks IP addresses in URLs, and names below `localhost`.
   * @default true if the base URL does, otherwise false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /**
   * Called for each piece of a result that arrives, or that is read from `streams`. Throwing ends
   * the download.
   */
  readonly onProgress?: ((progress: ResultProgress) => void) | undefined;
}

/** The progress of fetching one result. */
export interface ResultProgress {
  /** The result's position, from 0. */
  readonly index: number;
  /** The number of results. */
  readonly count: number;
  /** The number of bytes that have arrived. */
  readonly bytes: number;
  /** The result's size; undefined if its server does not send it. */
  readonly totalBytes: number | undefined;
}
