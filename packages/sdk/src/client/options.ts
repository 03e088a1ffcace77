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

/** Called before each generation is sent, and awaited. What it throws is thrown by the call, and nothing is sent. */
export type BeforeGenerate = (form: Form<Model>, about: { readonly kind: Kind; readonly model: Model }) => unknown;

/** How a client reaches the service. */
export interface ClientOptions {
  /**
   * The API key, or a function that returns it for each call. Without one, `baseUrl` is your own server that holds it.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The URL of the service.
   * @default MEDIAGEN_BASE_URL of the environment
   */
  readonly baseUrl?: string | undefined;
  /**
   * Headers of every request to the service: for a gateway, or for tracing. Requests for results do not have them. The API key
   * replaces an `authorization`, so that this one is sent only without a key, to your own server.
   * @default {}
   */
  readonly headers?: RequestHeaders | undefined;
  /**
   * Whether the base URL may be http to another machine, where everybody on the way can read the key.
   * @default false
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Whether the client may run in a browser, where a key is public and a lost generation may be resent.
   * @default false
   */
  readonly allowBrowser?: boolean | undefined;
  /**
   * The fetch function that every request goes through, called as `fetch(url, init)`: undici's or node-fetch's with a proxy, for
   * example. Unless `fetchSendsOnce`, a generation that it rejects is of unknown outcome.
   * @default globalThis.fetch
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Whether your `fetch` sends each request at most once and follows no redirect. Its rejections then prove what those of the
   * runtime's own would: that a refused connection cost nothing, for example. If it does retry, a generation can be billed twice.
   * @default false, or true without `fetch`
   */
  readonly fetchSendsOnce?: boolean | undefined;
  /**
   * How long an attempt of a query or deletion may take, in milliseconds. A poll of a wait gets less of it: ten times as long as
   * polls usually take, at least 0.5 s, and twice as long after each poll of its task that took too long.
   * @default 60_000
   */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * How long a generation may take with its uploads, in milliseconds. When it passes, the outcome is unknown: be generous.
   * @default 600_000 (10 minutes)
   */
  readonly generateTimeoutMs?: number | undefined;
  /**
   * How long it may take until a response begins once the request has left, and how long an upload may stall (with
   * `@mediagen/sdk/node`), in milliseconds. When it passes, a generation's outcome is unknown: be generous, because on a slow
   * network an upload moves in steps of megabytes. Engines that do not report when an upload has left only limit the complete call.
   * @default 300_000 (5 minutes)
   */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * How long a response that has begun may stall, in milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
}

/** How to create a client. */
export interface MediaGenOptions extends ClientOptions, StateOptions, RetryOptions, SchedulerOptions, LimitOptions {
  /** Called before each generation is sent. What it throws vetoes the generation. */
  readonly beforeGenerate?: BeforeGenerate | undefined;
  /**
   * How many generations may be sent at once; the others wait in order. A generation counts until its response has arrived, not
   * until its task has ended.
   * @default Infinity
   */
  readonly maxGenerationsInFlight?: number | undefined;
  /** Where generations are recorded before they are sent: `fileStore`, `memoryStore`, or your own. */
  readonly store?: GenerationStore | undefined;
  /** Called for each event, at once: for metrics and traces. The log has the events too, whether or not there is a listener. */
  readonly onEvent?: OnEvent | undefined;
  /**
   * Where the log goes: an object with `error`, `warn`, `info` and `debug`, each called with one line of text.
   * @default console
   */
  readonly logger?: Logger | undefined;
  /**
   * How much is logged: `error`, what no call returns or throws; `warn`, what you may have to act on; `info`, what has happened;
   * `debug`, the polls of waits too. No line contains the key or a prompt.
   * @default MEDIAGEN_LOG of the environment, or else "warn"
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Returns the present time in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * Sleeps for the milliseconds, and rejects when the signal aborts. Virtual time may skip a `pause` and let it pass the `deadline`
   * of a wait. A `limit` is on something real, and a `background` sleep must not keep the process alive.
   * @default a timer
   */
  readonly sleep?: ((ms: number, signal: AbortSignal, reason: SleepReason) => Promise<void>) | undefined;
  /**
   * Returns a number from 0 to below 1, for the jitter of waits.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined;
}
