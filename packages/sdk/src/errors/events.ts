import type { Kind } from "../spec/operation.ts";
import type { TaskJSON } from "../task/task.ts";

/**
 * What a client emits, by `type`: for logs, metrics and traces. No event contains the key or an uploaded byte. More types may
 * come: ignore those you do not know.
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

/** The fields of the events of operations and downloads. */
export interface CallEvent {
  /** The operation's id in the service's description, or `download`. */
  readonly operation: string;
  /** What the call was about. */
  readonly kind: Kind;
  /** The model, if it is known. */
  readonly model: string | undefined;
  /** The task, if there is one yet. */
  readonly taskid: string | undefined;
  /** The generation: the id of its record in the store; without a store, an id that the events of one `generate` share. */
  readonly generationId: string | undefined;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** How long the call had taken by then, with its retries, in milliseconds. */
  readonly durationMs: number;
  /** Which attempt of the call it was, from 1; 0 if it ended before or between attempts. */
  readonly attempt: number;
  /** The id that the service, or a proxy before it, gave the request, if a response brought one. */
  readonly requestId: string | undefined;
}

/** A generation created a task, which is billed. */
export interface Generated extends CallEvent {
  /** Which event this is. */
  readonly type: "generated";
  /** The new task. */
  readonly taskid: string;
  /** How many results its form requested. */
  readonly resultCount: number;
  /** The seed that its form requested. */
  readonly seed: number | string | undefined;
  /** The origin of the service. */
  readonly origin: string;
}

/** A query, also one of a wait, returned its record. */
export interface Queried extends CallEvent {
  /** Which event this is. */
  readonly type: "queried";
  /** The task that was queried. */
  readonly taskid: string;
  /** The raw status of the record; undefined if there is none. */
  readonly status: number | undefined;
}

/**
 * A method rejected, or a poll of a wait failed. If `error` of a generation is an `InvalidRequestError` or a `ServiceError`, no task
 * was created; if it is an `OutcomeUnknownError`, a task may exist. `operation` can also be `wait`, `recover`, `resolve` or `find`.
 */
export interface Failed extends Omit<CallEvent, "kind"> {
  /** Which event this is. */
  readonly type: "failed";
  /** What the call was about; undefined if it was about no task. */
  readonly kind: Kind | undefined;
  /** What the method rejects with; its signal's reason if that aborted. */
  readonly error: unknown;
}

/** An attempt failed and the request is retried. */
export interface Retried extends CallEvent {
  /** Which event this is. */
  readonly type: "retried";
  /** The delay before the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** Why there was no response, if there was none. */
  readonly error: unknown;
}

/** A check found for the first time that a task has ended. Emitted once for each handle. */
export interface TaskSettled {
  /** Which event this is. */
  readonly type: "settled";
  /** What the task makes. */
  readonly kind: Kind;
  /** Its model, if it is known. */
  readonly model: string | undefined;
  /** The task that has ended. */
  readonly taskid: string;
  /** How it has ended. */
  readonly state: "succeeded" | "failed";
  /** The raw status of the record. */
  readonly status: number | undefined;
  /** When it was seen, in milliseconds since 1970. */
  readonly at: number;
  /** How long after its generation, in milliseconds; undefined if that is unknown. */
  readonly durationMs: number | undefined;
}

/**
 * A task may have failed: its record has a message and a status of unknown meaning, and both have not changed over three checks.
 * Emitted once for each status. If the status means a failure, pass it as `statuses.failed`; if it does not, as `statuses.pending`.
 */
export interface TaskMayHaveFailed {
  /** Which event this is. */
  readonly type: "taskMayHaveFailed";
  /** What the task makes. */
  readonly kind: Kind;
  /** Its model, if it is known. */
  readonly model: string | undefined;
  /** The task that may have failed. */
  readonly taskid: string;
  /** The raw status of the record. */
  readonly status: number;
  /** The message of the record. */
  readonly message: string;
  /** When it was seen, in milliseconds since 1970. */
  readonly at: number;
}

/** One result of a task was downloaded completely. */
export interface Downloaded extends CallEvent {
  /** Which event this is. */
  readonly type: "downloaded";
  /** The task whose result it is. */
  readonly taskid: string;
  /** Which result, from 0. */
  readonly index: number;
  /** How many results there are. */
  readonly count: number;
  /** Its size. */
  readonly bytes: number;
}

/** The store could not record what a generation became. It is tried again until it succeeds or the process ends. */
export interface StoreFailed {
  /** Which event this is. */
  readonly type: "storeFailed";
  /** The id of the record; undefined if it could not be looked up. */
  readonly generationId: string | undefined;
  /** The task, if there is one: save it. */
  readonly task: TaskJSON | undefined;
  /** What the store rejected with. */
  readonly error: unknown;
}

/** A task arrived after its generation was taken for unknown, or after its key went to another attempt. It is recorded. */
export interface LateTask {
  /** Which event this is. */
  readonly type: "lateTask";
  /** The id of the generation's own record. */
  readonly generationId: string;
  /** The task. Its `generationId` names the record that holds it. */
  readonly task: TaskJSON;
}

/** Receives events. */
export type OnEvent = (event: MediaGenEvent) => void;
