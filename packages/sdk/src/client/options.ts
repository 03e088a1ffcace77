import type { RetryOptions } from "../call/retries.ts";
import type { OnEvent } from "../events.ts";
import type { Journal } from "../journal/journal.ts";
import type { SleepReason } from "../time/clock.ts";
import type { Fetch } from "../transport/transport.ts";
import type { SchedulerOptions } from "../wait/scheduler.ts";
import type { StateOptions } from "../wait/state.ts";
import type { BeforeGenerate } from "./generate.ts";

/** How to create a client. */
export interface MediaGenOptions extends StateOptions, RetryOptions, SchedulerOptions {
  /**
   * The API key, or a function that gives it for each call. Without one, `baseUrl` is a server of yours that holds it.
   * @default MEDIAGEN_API_KEY of the environment
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the service is reached.
   * @default MEDIAGEN_BASE_URL of the environment
   */
  readonly baseUrl?: string | undefined;
  /**
   * Whether the base URL may be http to another machine, where whoever is on the way reads the key.
   * @default false
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Whether the client may be created in a browser, where a key is public and a lost generation may be sent again.
   * @default false
   */
  readonly allowBrowser?: boolean | undefined;
  /**
   * The fetch function that every request goes through; it gets a Request.
   * @default globalThis.fetch
   */
  readonly fetch?: Fetch | undefined;
  /**
   * How long an attempt of a query or deletion may take, in milliseconds. The queries of waits begin with 10 s of it, and
   * get twice as long after each that failed.
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a generation may take with its uploads, in milliseconds. When it passes, the outcome is unknown: be generous.
   * @default 600_000 (10 minutes)
   */
  readonly generateTimeoutMs?: number | undefined;
  /**
   * How long it may take until an answer begins once the request has left, and how long an upload (of the Node door) may
   * stand still, in milliseconds. When it passes, a generation's outcome is unknown: be generous, for on a slow network an
   * upload moves in steps of megabytes. Where the engine does not tell when an upload has left, only the whole call is limited.
   * @default 300_000 (5 minutes)
   */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * How long an answer that has begun may stand still, in milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /** Is asked before each generation is sent, and awaited: what it throws is the caller's, and nothing is sent. */
  readonly beforeGenerate?: BeforeGenerate | undefined;
  /**
   * How many generations may be on their way at once; the others wait in order. One is on its way until it is answered, not
   * until its task has ended.
   * @default Infinity
   */
  readonly maxGenerationsInFlight?: number | undefined;
  /** Where generations are noted before they are sent: `fileJournal` of `@mediagen/sdk/node`, or `createJournal` of a log of yours. */
  readonly journal?: Journal | undefined;
  /**
   * Is told of what happens, at once: for logs, measures and traces.
   * @default console.error, for what no call can answer or throw
   */
  readonly onEvent?: OnEvent | undefined;
  /**
   * The present time in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * Sleeps for the milliseconds, and rejects when the signal aborts. Virtual time may skip a `pause` and let it pass the
   * `deadline` of a wait, but a `limit` is on something real.
   * @default a timer
   */
  readonly sleep?: ((ms: number, signal: AbortSignal, why: SleepReason) => Promise<void>) | undefined;
  /**
   * A number from 0 to below 1, for the jitter of waits.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined;
}
