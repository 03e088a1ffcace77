import type { Kind } from "../spec/operation.ts";
import type { TaskJSON } from "../task/task.ts";

/**
 * An event of a client, by `type`: for logs, metrics and traces. No event contains the key or an uploaded byte. New
 * types may be added: ignore those that you do not know.
 */
export type MediaGenEvent =
  | Generated
  | Queried
  | Retried
  | Failed
  | TaskSettled
  | TaskMayHaveFailed
  | Downloaded
  | StoreFailed
  | LateTask;

/** The fields that the events of operations and downloads share. */
export interface CallEvent {
  /** The operation's id in the service's description, or `download`. */
  readonly operation: string;
  /** The kind of the task: video or image. */
  readonly kind: Kind;
  /** The model, if it is known. */
  readonly model: string | undefined;
  /** The task, if there is one yet. */
  readonly taskid: string | undefined;
  /** The id of the generation's record in the store. Without a store, an id that the events of one `generate` share. */
  readonly generationId: string | undefined;
  /** The time when it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The duration of the call until then, including retries, in milliseconds. */
  readonly durationMs: number;
  /** The number of the attempt, from 1; 0 if the call ended before or between attempts. */
  readonly attempt: number;
  /** The id that the service, or a proxy in front of it, gave the request, if a response had one. */
  readonly requestId: string | undefined;
}

/** A generation created a task, which is billed. */
export interface Generated extends CallEvent {
  /** The type of the event. */
  readonly type: "generated";
  /** The new task. */
  readonly taskid: string;
  /** The number of results that its form requested. */
  readonly resultCount: number;
  /** The seed that its form requested. */
  readonly seed: number | string | undefined;
  /** The origin of the service. */
  readonly origin: string;
}

/** A query returned its record. Polls of waits count. */
export interface Queried extends CallEvent {
  /** The type of the event. */
  readonly type: "queried";
  /** The task that was queried. */
  readonly taskid: string;
  /** The raw status of the record; undefined if there is none. */
  readonly status: number | undefined;
}

/**
 * A method rejected, or a poll of a wait failed. If `error` of a generation is an `InvalidRequestError` or a
 * `ServiceError`, no task was created. If it is an `OutcomeUnknownError`, a task may exist. `operation` can also be
 * `wait`, `recover`, `resolve` or `find`.
 */
export interface Failed extends Omit<CallEvent, "kind"> {
  /** The type of the event. */
  readonly type: "failed";
  /** The kind of the task; undefined if the call was not about a task. */
  readonly kind: Kind | undefined;
  /** The error that the method rejects with; the signal's reason if that aborted. */
  readonly error: unknown;
}

/** An attempt failed and the request is retried. */
export interface Retried extends CallEvent {
  /** The type of the event. */
  readonly type: "retried";
  /** The delay before the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The reason why there was no response, if there was none. */
  readonly error: unknown;
}

/** A check found for the first time that a task has ended. Emitted once for each task object. */
export interface TaskSettled {
  /** The type of the event. */
  readonly type: "settled";
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** Its model, if it is known. */
  readonly model: string | undefined;
  /** The task that has ended. */
  readonly taskid: string;
  /** The final state of the task. */
  readonly state: "succeeded" | "failed";
  /** The raw status of the record. */
  readonly status: number | undefined;
  /** The time when it was seen, in milliseconds since 1970. */
  readonly at: number;
  /** The time since its generation, in milliseconds; undefined if that is unknown. */
  readonly durationMs: number | undefined;
}

/**
 * A task may have failed: its record has a message and a status of unknown meaning, and both have not changed over
 * three checks. Emitted once for each status. Pass the status as `statuses.failed` if it means a failure, otherwise as
 * `statuses.pending`.
 */
export interface TaskMayHaveFailed {
  /** The type of the event. */
  readonly type: "taskMayHaveFailed";
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** Its model, if it is known. */
  readonly model: string | undefined;
  /** The task that may have failed. */
  readonly taskid: string;
  /** The raw status of the record. */
  readonly status: number;
  /** The message of the record. */
  readonly message: string;
  /** The time when it was seen, in milliseconds since 1970. */
  readonly at: number;
}

/** One result of a task was downloaded completely. */
export interface Downloaded extends CallEvent {
  /** The type of the event. */
  readonly type: "downloaded";
  /** The task whose result it is. */
  readonly taskid: string;
  /** The position of the result, from 0. */
  readonly index: number;
  /** The number of results of the task. */
  readonly count: number;
  /** The size of the result, in bytes. */
  readonly bytes: number;
}

/** The store could not record the result of a generation. The SDK retries until it succeeds or the process ends. */
export interface StoreFailed {
  /** The type of the event. */
  readonly type: "storeFailed";
  /** The id of the record; undefined if it could not be looked up. */
  readonly generationId: string | undefined;
  /** The task, if there is one: save it. */
  readonly task: TaskJSON | undefined;
  /** The error that the store rejected with. */
  readonly error: unknown;
}

/**
 * A task arrived after its generation was considered unknown, or after its key went to another attempt. It is recorded.
 */
export interface LateTask {
  /** The type of the event. */
  readonly type: "lateTask";
  /** The id of the generation's own record. */
  readonly generationId: string;
  /** The task. Its `generationId` names the record that holds it. */
  readonly task: TaskJSON;
}

/** A function that receives events. */
export type OnEvent = (event: MediaGenEvent) => void;
