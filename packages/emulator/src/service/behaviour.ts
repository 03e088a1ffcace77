import { createRandom } from "./random.ts";

/**
 * Settings for everything that the service does not document and the emulator must decide. None of them is a fact of
 * the service: an app whose tests pass with other values too does not depend on undocumented behaviour.
 */
export interface Behaviour {
  /**
   * Whether requests are rejected for mistakes that the service might tolerate: fields that the document does not have, and
   * text in place of a number. Calls list these mistakes in any case.
   * @default false
   */
  readonly strict: boolean;
  /**
   * The status integers in records, or `"scrambled"` for integers drawn from the seed.
   * @default { pending: 0, running: 1, succeeded: 2, failed: 3 }
   */
  readonly statuses: Statuses | "scrambled";
  /**
   * The outcome of a query or deletion of an unknown id: a failure, or a success that does nothing.
   * @default "fail"
   */
  readonly unknownIds: "fail" | "ignore";
  /**
   * The HTTP status of a call with a wrong API key, or none. Its envelope is that of a failure, also under HTTP 200.
   * @default 401
   */
  readonly wrongKeyStatus: number;
  /**
   * The HTTP status of a call to an unknown path. Its envelope is that of a failure.
   * @default 404
   */
  readonly unknownPathStatus: number;
  /**
   * The HTTP status of a call of an operation with a method other than POST. Its envelope is that of a failure.
   * @default 405
   */
  readonly wrongMethodStatus: number;
  /**
   * The order in which several results arrive: all at once or one by one.
   * @default "together"
   */
  readonly resultsArrive: "together" | "one by one";
  /**
   * The price of each second of a video, in credits.
   * @default 10
   */
  readonly creditsPerVideoSecond: number;
  /**
   * The price of an image, in credits.
   * @default 5
   */
  readonly creditsPerImage: number;
  /**
   * The time that a task is pending, in milliseconds.
   * @default 1_000
   */
  readonly pendingMs: number;
  /**
   * The time that a task runs per second of its video, in milliseconds.
   * @default 1_000
   */
  readonly runningMsPerVideoSecond: number;
  /**
   * The time that a task runs per image, in milliseconds.
   * @default 1_500
   */
  readonly runningMsPerImage: number;
  /**
   * The factor by which a task takes longer if its prompt contains `#slow`.
   * @default 20
   */
  readonly slowFactor: number;
  /**
   * The time by which each query advances an `auto` clock, in milliseconds.
   * @default 2_000
   */
  readonly queryMovesMs: number;
  /**
   * The time for which the URL of a result is valid after the query that returned it, in milliseconds.
   * @default 86_400_000 (a day)
   */
  readonly linksLiveMs: number;
  /**
   * The HTTP status of a URL that has expired.
   * @default 403
   */
  readonly expiredLinkStatus: number;
  /**
   * The usual time until the response to a generation, in milliseconds. The task is created before.
   * @default 0
   */
  readonly generateLatencyMs: number;
  /**
   * The usual time until the response to a query or deletion, in milliseconds.
   * @default 0
   */
  readonly queryLatencyMs: number;
  /**
   * The usual time until the response to a download begins, in milliseconds.
   * @default 0
   */
  readonly downloadLatencyMs: number;
  /**
   * The variation of latencies. With 0.5, two thirds of the responses take between 0.6 and 1.6 times as long as usual.
   * @default 0
   */
  readonly latencyJitter: number;
  /**
   * The maximum number of calls of operations per minute; others get HTTP 429 with Retry-After. 0 is no limit.
   * @default 0
   */
  readonly callsPerMinute: number;
  /**
   * The maximum number of concurrent calls of operations; others get HTTP 429 with Retry-After. 0 is no limit.
   * @default 0
   */
  readonly callsAtOnce: number;
  /**
   * The maximum size of a request body, in bytes.
   * @default 67_108_864 (64 MiB)
   */
  readonly bodyLimit: number;
  /**
   * The maximum length of a text field without a documented bound, in characters.
   * @default 100_000
   */
  readonly textLimit: number;
  /**
   * The maximum number of pixels of a picture without a documented bound on its size.
   * @default 4096 * 4096
   */
  readonly pixelLimit: number;
  /**
   * The longer side of a picture whose form sets no size, in pixels.
   * @default 1024
   */
  readonly imageSide: number;
  /**
   * The width divided by the height of a video whose form sets no usable ratio.
   * @default 16 / 9
   */
  readonly videoRatio: number;
  /**
   * The shorter side of a video whose form sets no resolution, in pixels.
   * @default 720
   */
  readonly videoSide: number;
  /**
   * The frames per second of a video whose form sets none.
   * @default 24
   */
  readonly videoFps: number;
  /**
   * The length of a video whose form sets none, in seconds.
   * @default 5
   */
  readonly videoSeconds: number;
  /**
   * The number of calls that `emulator.calls` keeps, the latest ones.
   * @default 1_000
   */
  readonly callsKept: number;
}

/** The status integer of each state. */
export interface Statuses {
  /** The status of a task that has not started. */
  readonly pending: number;
  /** The status of a task that is running. */
  readonly running: number;
  /** The status of a task whose results are complete. */
  readonly succeeded: number;
  /** The status of a task that has failed. */
  readonly failed: number;
}

/** Returns the statuses of a behaviour; scrambled ones are four different integers below 1,000. */
export function statusesOf({ statuses }: Behaviour, seed: number): Statuses {
  if (statuses !== "scrambled") return statuses;
  const random = createRandom(seed ^ 0x5eed);
  const drawn = new Set<number>();
  while (drawn.size < 4) drawn.add(Math.floor(random() * 1_000));
  const [pending = 0, running = 0, succeeded = 0, failed = 0] = drawn;
  return { pending, running, succeeded, failed };
}

/** Words in a prompt that control the task. */
export const magicWords = {
  /** The task fails. */
  fail: "#fail",
  /** The task takes longer. */
  slow: "#slow",
  /** The generation fails for insufficient credits. */
  credits: "#credits",
} as const;
