import type { RetryOptions } from "../call/retries.ts";
import type { OnEvent } from "../errors/events.ts";
import type { OptionTypes } from "../errors/options.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationStore } from "../store/store.ts";
import type { RequestHeaders, RequestOptions, StateOptions } from "../task/task.ts";
import type { Clock } from "../time/clock.ts";
import type { Fetch } from "../call/fetch.ts";
import type { PollingOptions } from "../wait/poll-limit.ts";

/**
 * A function that is called and awaited before each generation is sent. If it throws, the call
 * rejects with its error.
 *
 * @param about The generation.
 * @param about.kind The kind of its results: video or image.
 * @param about.model The model.
 * @param about.resultCount The number of results that the form requests.
 */
export type BeforeGenerate = (
  form: Form<Model>,
  about: { readonly kind: Kind; readonly model: Model; readonly resultCount: number },
) => unknown;

/** Options of a client that say how it reaches the service. */
export interface ClientOptions {
  /**
   * The API key, or a function that returns it for each call. Without one, `baseUrl` must be your
   * server that holds it.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the service. @default MEDIAGEN_BASE_URL of the environment */
  readonly baseUrl?: string | undefined;
  /**
   * Headers of every request to the service: for a gateway, or for tracing. Requests for results do
   * not have them. With an API key, an `authorization` header is rejected, because the key is sent
   * in its place.
   * @default {}
   */
  readonly headers?: RequestHeaders | undefined;
  /**
   * Whether the base URL may be an http URL of another machine: everybody on the way can read the
   * key.
   * @default false
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Whether the client may run in a browser, where a key is public and a lost generation is resent.
   * @default false
   */
  readonly allowBrowser?: boolean | undefined;
  /**
   * The fetch function for every request, called as `fetch(url, init)`: undici's or node-fetch's
   * with a proxy, for example. If it rejects, the outcome of a generation is unknown, unless you
   * pass `fetchSendsOnce`.
   * @default the runtime's fetch; with `@mediagen/sdk/node` on Node, node:http sends instead
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Whether your `fetch` sends each request at most once and follows no redirect. A refused
   * connection then proves that nothing was billed, as with the runtime's own fetch. If it does
   * retry, a generation can be billed twice.
   * @default false, or true without `fetch`
   */
  readonly fetchSendsOnce?: boolean | undefined;
  /**
   * The timeout of each attempt of a query or deletion, in milliseconds. The polls of a wait have a
   * shorter one: eight times the duration of recent polls, at least 1 s. It doubles after each poll
   * of the task that timed out.
   * @default 60_000
   */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * The timeout of a generation with its uploads, in milliseconds. After it, the outcome is
   * unknown.
   * @default 600_000
   */
  readonly generateTimeoutMs?: number | undefined;
}

/** Options of `createMediaGen`. */
export interface MediaGenOptions extends ClientOptions, StateOptions, RetryOptions, PollingOptions {
  /**
   * Called before each generation is sent, with the form, its model and the number of results that
   * it requests. Throw to reject the generation. It is not called if an idempotency key finds its
   * task, which costs nothing.
   */
  readonly beforeGenerate?: BeforeGenerate | undefined;
  /**
   * The store that records generations before they are sent: `fileStore`, `memoryStore`, or your
   * own.
   */
  readonly store?: GenerationStore | undefined;
  /**
   * Called synchronously for each event: for logs, metrics and traces. With `MEDIAGEN_LOG=1`, each
   * is printed to stderr as well. Without a listener, `storeFailed` and `lateTask` are printed,
   * because no call reports them.
   */
  readonly onEvent?: OnEvent | undefined;
  /**
   * The clock of waits, delays and timeouts, for tests: `emulator.client` has one. What it lacks is
   * the runtime's own, except `steady`, which is `now` if that is given.
   * @default the runtime's clock and timers
   */
  readonly clock?: Partial<Clock> | undefined;
}

/** Options of `generate`. */
export interface GenerateOptions extends RequestOptions {
  /**
   * Fields that the service accepts and its description does not contain. They are sent unchecked.
   */
  readonly extraFields?:
    | Readonly<Record<string, string | number | boolean | Blob | readonly Blob[]>>
    | undefined;
  /**
   * Your own key for this generation, such as an order number. The same key returns the same task,
   * in every process with the same store. The client needs a `store`. A client without an API key
   * sends the idempotency key to your own server instead, in the header `idempotency-key`. A key
   * that is present and undefined is rejected.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether the model and its form are sent without being checked against the service's
   * description, because the model is newer than this SDK. A form that would be billed without its
   * files is still rejected.
   * @default false
   */
  readonly unchecked?: boolean | undefined;
}

export const generateOptions: OptionTypes<GenerateOptions> = {
  idempotencyKey: "any",
  extraFields: "any",
  unchecked: "boolean",
  headers: "any",
  signal: "signal",
};

const ofStatuses: OptionTypes<NonNullable<StateOptions["statuses"]>> = {
  succeeded: "numbers",
  failed: "numbers",
};

/**
 * The options of a client. Each entry point knows `agent` of `node`, so that programs can share
 * them.
 */
export const clientOptions: OptionTypes<Record<keyof MediaGenOptions | "agent", unknown>> = {
  apiKey: "key",
  baseUrl: "any",
  headers: "any",
  allowHttp: "boolean",
  allowBrowser: "boolean",
  fetch: "function",
  fetchSendsOnce: "boolean",
  agent: "any",
  queryTimeoutMs: "limit",
  generateTimeoutMs: "limit",
  retries: "number",
  resendGenerationAfter: "numbers",
  maxQueriesInFlight: "limit",
  statuses: ofStatuses,
  classify: "function",
  beforeGenerate: "function",
  store: "store",
  onEvent: "function",
  clock: "options",
};
