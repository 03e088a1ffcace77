import type { Hide } from "../call/hide-key.ts";
import type { Retries } from "../call/retries.ts";
import type { Emit, Report } from "../errors/events.ts";
import type { Check, Task } from "../task/task.ts";
import type { Time } from "../time/clock.ts";

/** Sends a GET request for a result, without following redirects and without the API key. */
export type ResultGet = (url: URL, request: ResultRequest) => Promise<ResultResponse>;

/** A request for a result, without its URL. */
export interface ResultRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether the host may be this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The maximum number of bytes. The reader of the body rejects a longer one. */
  readonly maxBytes: number;
}

/** The used part of a response to a request for a result. Names of headers are given in lower case. */
export interface ResultResponse extends Pick<Response, "status" | "body"> {
  readonly headers: Pick<Headers, "get">;
}

/** Dependencies of fetching results. */
export interface ResultContext {
  readonly get: ResultGet;
  readonly time: Time;
  readonly emit: Emit;
  readonly report: Report;
  /** Checks a task without reporting a failure, because the call that needs its results reports it. */
  readonly check: (task: Task, signal: AbortSignal | undefined) => Promise<Check>;
  /** The same policy and the same budget as for queries. */
  readonly retries: Retries;
  /** Hides the API key in texts. Some services put it into result URLs. */
  readonly hide: Hide;
  /** The base URL. If its host is this machine or in a private network, so may be those of results. */
  readonly baseUrl: string;
}

/** The contexts of tasks. A task is plain data to its user, so the client's part is kept apart from it. */
export const contexts: WeakMap<Task, ResultContext> = new WeakMap();

/** Sets the context for fetching a task's results. */
export function rememberContext(task: Task, context: ResultContext): void {
  contexts.set(task, context);
}
