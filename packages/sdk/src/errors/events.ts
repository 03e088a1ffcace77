import type { Kind } from "../spec/operation.ts";
import type { Task, TaskJSON } from "../task/task.ts";
import { afterCreation, messageOf } from "./errors.ts";

/**
 * An event of a client, by `type`: for logs, metrics and traces. No event contains the key or an
 * uploaded byte. New types may be added: ignore those that you do not know.
 */
export type MediaGenEvent =
  /**
   * `generated`: a generation created a task, which is billed. `attempt` is the number of requests
   * that it took.
   */
  | (CallEvent &
      Pick<Task, "taskid" | "resultCount" | "origin"> & {
        readonly type: "generated";
        readonly attempt: number;
      })
  /**
   * `retried`: a request failed and is retried after `delayMs`. `attempt` counts the requests, or
   * polls that failed in a row.
   */
  | (CallEvent & {
      readonly type: "retried";
      readonly attempt: number;
      readonly delayMs: number;
      readonly status: number | undefined;
      readonly error: unknown;
    })
  /**
   * `failed`: a call of a method rejects with this `error`, or with the reason of its signal.
   * Emitted once for each call.
   */
  | (CallEvent & { readonly type: "failed"; readonly error: unknown })
  /**
   * `ended`: a check found that a task has this `state`, once for each task object. `durationMs` is
   * since its generation.
   */
  | (Pick<CallEvent, "model" | "at"> &
      Pick<Task, "kind" | "taskid"> & {
        readonly type: "ended";
        readonly state: "succeeded" | "failed";
        readonly status: number | undefined;
        /** The number of results, and how many were requested. */
        readonly results: number;
        readonly resultCount: number;
        readonly durationMs: number | undefined;
      })
  | StoreFailed
  /**
   * A task arrived after its generation was considered unknown, or after its key went to another
   * attempt. It is recorded.
   */
  | { readonly type: "lateTask"; readonly generationId: string; readonly task: TaskJSON };

/** The fields that the events of calls share. */
export interface CallEvent {
  /**
   * The operation's id in the service's description, or else the method: `download`, `wait`,
   * `recover` or `resolve`.
   */
  readonly operation: string;
  readonly kind: Kind | undefined;
  readonly model: string | undefined;
  /** The task, if there is one yet. */
  readonly taskid: string | undefined;
  /** The id of the generation's entry, if there is a store. */
  readonly generationId: string | undefined;
  /** The time when it happened, in milliseconds since 1970. */
  readonly at: number;
  /** The duration of the call until then, including retries, in milliseconds. */
  readonly durationMs: number;
  /**
   * The id that the service, or a proxy in front of it, gave the request, if a response had one.
   */
  readonly requestId: string | undefined;
}

/**
 * The store could not record the result of a generation. The SDK retries until it succeeds or the
 * process ends.
 */
export interface StoreFailed {
  readonly type: "storeFailed";
  /** The id of the entry; undefined if it could not be looked up. */
  readonly generationId: string | undefined;
  /** The task, if there is one: save it. */
  readonly task: TaskJSON | undefined;
  readonly error: unknown;
}

/** A function that receives events. */
export type OnEvent = (event: MediaGenEvent) => unknown;

/** Emits an event. Never throws. */
export type Emit = (event: MediaGenEvent) => void;

/**
 * Creates the function that emits events. With `isLogged`, it prints each; without a listener,
 * those that no call reports.
 */
export function createEmit(onEvent: OnEvent | undefined, isLogged: boolean): Emit {
  return (event) => {
    // A listener's mistake, sync or async, must not cost the task that the call is about to return.
    new Promise((resolve) => {
      if (isLogged || (!onEvent && /storeFailed|lateTask/.test(event.type)))
        console.error(lineOf(event));
      resolve(onEvent?.(event));
    }).catch((error: unknown) => console.error("mediagen: onEvent threw", error));
  };
}

/** Returns an event as one line. An error's message is left out where it may repeat a prompt. */
function lineOf({ error, ...event }: MediaGenEvent & { readonly error?: unknown }): string {
  const { name, status, code } = Object(error) as Readonly<Record<string, unknown>>;
  const message = event.type === "failed" || status !== undefined ? undefined : messageOf(error);
  return `mediagen: ${JSON.stringify({ ...event, error: error && { name, status, code, message } })}`;
}

export type Subject = Partial<Pick<CallEvent, "kind" | "model" | "taskid" | "generationId">>;

export interface Method extends Subject {
  readonly operation: string;
  readonly task?: Task | undefined;
  /** What its errors say of the generation, if that comes before it. */
  readonly billed?: "maybe" | "yes" | undefined;
}

/**
 * Runs a method, and emits one event if it fails. A method that is reported must not call another
 * one.
 */
export type Report = <T>(method: Method, run: () => Promise<T>) => Promise<T>;

export function createReport(emit: Emit, time: { now(): number; steady(): number }): Report {
  return (method, run) => {
    const start = time.steady();
    return run().catch((error: unknown) => {
      const { operation, task, billed = task && "yes" } = method;
      const { kind, model, taskid, generationId: known } = task ?? method;
      if (billed) afterCreation(error, task, billed);
      // The cast: errors of some classes have these fields.
      const { requestId, generationId = known } = Object(error) as Partial<CallEvent>;
      const when = { at: time.now(), durationMs: Math.round(time.steady() - start) };
      emit({
        type: "failed",
        operation,
        kind,
        model,
        taskid,
        generationId,
        ...when,
        requestId,
        error,
      });
      throw error;
    });
  };
}
