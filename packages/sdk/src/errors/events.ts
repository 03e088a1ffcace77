import type { Kind } from "../spec/operation.ts";
import type { Task, TaskJSON } from "../task/task.ts";
import { afterCreation, MediaGenError, messageOf } from "./errors.ts";

/**
 * An event of a client, by `type`: for logs, metrics and traces. No event contains the key or an uploaded byte. New
 * types may be added: ignore those that you do not know.
 */
export type MediaGenEvent = Generated | Retried | Failed | TaskEnded | StoreFailed | LateTask;

/** The fields that the events of calls share. */
export interface CallEvent {
  /** The operation's id in the service's description, or else the method: `download`, `wait`, `recover` or `resolve`. */
  readonly operation: string;
  /** The kind of the task; undefined if the call was not about a task. */
  readonly kind: Kind | undefined;
  /** The model, if it is known. */
  readonly model: string | undefined;
  /** The task, if there is one yet. */
  readonly taskid: string | undefined;
  /** The id of the generation's entry, if there is a store. */
  readonly generationId: string | undefined;
  /** The time when it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The duration of the call until then, including retries, in milliseconds. */
  readonly durationMs: number;
  /** The id that the service, or a proxy in front of it, gave the request, if a response had one. */
  readonly requestId: string | undefined;
}

/** A generation created a task, which is billed. */
export interface Generated extends CallEvent {
  /** The type of the event. */
  readonly type: "generated";
  /** The new task. */
  readonly taskid: string;
  /** The number of requests that it took. */
  readonly attempt: number;
  /** The number of results that its form requested. */
  readonly resultCount: number;
  /** The origin of the service. */
  readonly origin: string;
}

/** A request failed and is retried. Polls of a wait count: `attempt` is the number of polls that failed in a row. */
export interface Retried extends CallEvent {
  /** The type of the event. */
  readonly type: "retried";
  /** The number of the request that failed, from 1. */
  readonly attempt: number;
  /** The delay before the next request, in milliseconds. */
  readonly delayMs: number;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The reason, unless it is the HTTP status alone. */
  readonly error: unknown;
}

/** A call of a method failed. Emitted once for each. */
export interface Failed extends CallEvent {
  /** The type of the event. */
  readonly type: "failed";
  /** The error that the method rejects with; the signal's reason if that aborted. */
  readonly error: unknown;
}

/** A check found for the first time that a task has ended. Emitted once for each task object. */
export interface TaskEnded {
  /** The type of the event. */
  readonly type: "ended";
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

/** The store could not record the result of a generation. The SDK retries until it succeeds or the process ends. */
export interface StoreFailed {
  /** The type of the event. */
  readonly type: "storeFailed";
  /** The id of the entry; undefined if it could not be looked up. */
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
  /** The id of the generation's own entry. */
  readonly generationId: string;
  /** The task. Its `generationId` names the entry that holds it. */
  readonly task: TaskJSON;
}

/** A function that receives events. */
export type OnEvent = (event: MediaGenEvent) => unknown;

/** Emits an event. Never throws. */
export type Emit = (event: MediaGenEvent) => void;

/**
 * Creates the function that emits events. With `isLogged`, it prints each. Without a listener, it prints those that no
 * call reports.
 */
export function createEmit(onEvent: OnEvent | undefined, isLogged: boolean): Emit {
  return (event) => {
    const isReported = event.type !== "storeFailed" && event.type !== "lateTask";
    if (isLogged || (!onEvent && !isReported)) console.error(lineOf(event));
    // A listener's mistake, sync or async, must not cost the task that the call is about to return.
    new Promise((resolve) => resolve(onEvent?.(event))).catch((error: unknown) =>
      console.error("mediagen: onEvent threw", error),
    );
  };
}

function lineOf({ type, ...fields }: MediaGenEvent): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const words = known.map(
    ([name, value]) => `${name}=${JSON.stringify(name === "error" ? factsOf(value, type) : value)}`,
  );
  return ["mediagen:", type, ...words].join(" ");
}

/** Returns the facts of an error that may be printed. The texts of others may repeat a prompt. */
function factsOf(error: unknown, type: MediaGenEvent["type"]): string {
  if (!(error instanceof Error)) return typeof error;
  // The cast: errors of some classes have these fields.
  const { name, status, code } = error as { readonly name: string; readonly status?: unknown; readonly code?: unknown };
  const isOfNetwork = type !== "failed" || name === "ConnectionError" || name === "StoreError";
  if (status === undefined && isOfNetwork) return `${name}: ${messageOf(error)}`;
  return [name, status, code].filter((fact) => /^(string|number)$/.test(typeof fact)).join(" ");
}

/** The kind, model, task and generation that a call is about. */
export type Subject = Partial<Pick<CallEvent, "kind" | "model" | "taskid" | "generationId">>;

/** A method that is called, for its events and errors. */
export interface Method extends Subject {
  /** The operation's id in the service's description, or the method's name. */
  readonly operation: string;
  /** The task that it is a method of. */
  readonly task?: Task | undefined;
  /** What its errors say of the generation, if that comes before it. */
  readonly billed?: "maybe" | "yes" | undefined;
}

/** Runs a method, and emits one event if it fails. A method that is reported must not call another one. */
export type Report = <T>(method: Method, run: () => Promise<T>) => Promise<T>;

/** Creates the function that reports failures. */
export function createReport(emit: Emit, time: { now(): number; steady(): number }): Report {
  return ({ operation, task, billed = task && "yes", ...subject }, run) => {
    const { kind, model, taskid, generationId } = task ?? subject;
    const start = time.steady();
    return run().catch((error: unknown) => {
      if (billed) afterCreation(error, task, billed);
      const durationMs = Math.round(time.steady() - start);
      // The cast: errors of some classes have these fields.
      const of = (error instanceof MediaGenError ? error : {}) as { generationId?: string; requestId?: string };
      const about = { operation, kind, model, taskid, generationId: generationId ?? of.generationId };
      emit({ type: "failed", ...about, at: time.now(), durationMs, requestId: of.requestId, error });
      throw error;
    });
  };
}
