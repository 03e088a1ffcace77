import type { RetryOptions } from "../call/retries.ts";
import type { Logger, LogLevel } from "../errors/logger.ts";
import type { OnEvent } from "../errors/events.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationStore } from "../store/store.ts";
import type { RequestHeaders } from "../task/task.ts";
import type { SleepReason } from "../time/clock.ts";
import type { Fetch } from "../transport/fetch.ts";
import type { SchedulerOptions } from "../wait/scheduler.ts";
import type { StateOptions } from "../wait/state.ts";
import type { LimitOptions } from "./limits.ts";

/**
 * A function that is called and awaited before each generation is sent. If it throws, nothing is sent and the call
 * rejects with its error.
 */
export type BeforeGenerate = (form: Form<Model>, about: { readonly kind: Kind; readonly model: Model }) => unknown;

/** Options of a client that say how it reaches the service. */
export interface ClientOptions {
  /**
   * The API key, or a function that returns it for each call. Without a key, `baseUrl` must be your own server that
   * holds it.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The URL of the service.
   * @default MEDIAGEN_BASE_URL of the environment
   */
  readonly baseUrl?: string | undefined;
  /**
   * Headers of every request to the service: for a gateway, or for tracing. Requests for results do not have them. With
   * an API key, an `authorization` header is rejected, because the key is sent in its place.
   * @default {}
   */
  readonly headers?: RequestHeaders | undefined;
  /**
   * Whether the base URL may be an http URL of another machine. Everybody between the two machines can then read the
   * key.
   * @default false
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Whether the client may run in a browser, where a key is public and a lost generation may be resent.
   * @default false
   */
  readonly allowBrowser?: boolean | undefined;
  /**
   * The fetch function for every request, called as `fetch(url, init)`: undici's or node-fetch's with a proxy, for
   * example. Unless you pass `fetchSendsOnce`, a generation that it rejects is of unknown outcome.
   * @default the runtime's fetch; with `@mediagen/sdk/node` on Node, node:http sends instead
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Whether your `fetch` sends each request at most once and follows no redirect. A refused connection then proves that
   * nothing was billed, as with the runtime's own fetch. If it does retry, a generation can be billed twice.
   * @default false, or true without `fetch`
   */
  readonly fetchSendsOnce?: boolean | undefined;
  /**
   * The timeout of each attempt of a query or deletion, in milliseconds. The timeout of a poll of a wait is shorter:
   * ten times as long as polls usually take, at least 0.5 s. It doubles after each poll of the task that timed out.
   * @default 60_000
   */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * The timeout of a generation with its uploads, in milliseconds. When it passes, the outcome is unknown, so be
   * generous.
   * @default 600_000 (10 minutes)
   */
  readonly generateTimeoutMs?: number | undefined;
  /**
   * The maximum time from the end of a request until its response begins, in milliseconds. With `@mediagen/sdk/node` it
   * is also the maximum time for which an upload may stall. When it passes, a generation's outcome is unknown, so be
   * generous: on a slow network, an upload moves in steps of megabytes. Runtimes that do not report when an upload has
   * ended ignore it.
   * @default 300_000 (5 minutes)
   */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * The maximum time for which a response that has begun may stall, in milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
}

/** Options of `createMediaGen`. */
export interface MediaGenOptions extends ClientOptions, StateOptions, RetryOptions, SchedulerOptions, LimitOptions {
  /**
   * Called before each generation is sent, with the form and its model. May be async. Throw to reject the generation.
   */
  readonly beforeGenerate?: BeforeGenerate | undefined;
  /**
   * The maximum number of generations that are sent at once. The others wait in order. A generation counts until its
   * response has arrived, not until its task has ended.
   * @default Infinity
   */
  readonly maxGenerationsInFlight?: number | undefined;
  /** The store that records generations before they are sent: `fileStore`, `memoryStore`, or your own. */
  readonly store?: GenerationStore | undefined;
  /**
   * Called synchronously for each event: for metrics and traces. The log has the events too, with or without a
   * listener.
   */
  readonly onEvent?: OnEvent | undefined;
  /**
   * The destination of the log: an object with `error`, `warn`, `info` and `debug`, each called with one line of text.
   * @default console
   */
  readonly logger?: Logger | undefined;
  /**
   * The most detailed level that is logged. `error` logs problems that no call returns or throws. `warn` adds what you
   * may have to act on, `info` what has happened, and `debug` the polls of waits. No line contains the key or a prompt.
   * @default MEDIAGEN_LOG of the environment, or else "warn"
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * The function that returns the current time, in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * The function that sleeps. It rejects when the signal aborts. Virtual time may skip a `pause`, and may let it pass
   * the `deadline` of a wait. A `limit` times something real. A `background` sleep must not keep the process alive.
   * @default a timer
   */
  readonly sleep?: ((ms: number, signal: AbortSignal, reason: SleepReason) => Promise<void>) | undefined;
  /**
   * The function that returns a number from 0 up to but not including 1, for the jitter of waits.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined;
}
