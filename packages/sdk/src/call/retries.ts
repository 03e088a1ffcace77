import { mayRepeat, mayResend, type Tried } from "../money/response.ts";

/** Options for the retries of requests. */
export interface RetryOptions {
  /**
   * The maximum number of retries of a request. A generation is retried only if it provably was not
   * sent, or after HTTP 429. Queries, deletions and requests for results are safe to repeat, and
   * are also retried after a lost response.
   * @default 4
   */
  readonly retries?: number | undefined;
  /**
   * HTTP statuses after which a generation is retried as well. Their meaning here is not
   * documented. 503 needs a Retry-After header.
   * @default []
   */
  readonly resendGenerationAfter?: readonly (421 | 425 | 503)[] | undefined;
}

const firstDelayMs = 250;
const longestBackoffMs = 10_000;
/** A longer Retry-After means that the service wants no retry now. */
const longestRetryAfterMs = 60_000;
/**
 * The retry budget of a client for safe requests. It prevents a storm of retries while the service
 * is down.
 */
const fullBudget = 20;
const budgetPerResponse = 0.2;

export class Retries {
  readonly #options: RetryOptions;
  readonly #random: () => number;
  #budget = fullBudget;

  constructor(options: RetryOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  mayRepeat(tried: Tried, isPaid: boolean): boolean {
    return isPaid ? mayResend(tried, this.#options.resendGenerationAfter) : mayRepeat(tried);
  }

  /**
   * Returns the delay before the next attempt of a request that may be repeated; undefined if it
   * was repeated often enough.
   */
  nextDelay(attempts: number, isPaid: boolean, retryAfterMs?: number): number | undefined {
    const isSpent = !isPaid && this.#budget < 1;
    if (
      isSpent ||
      attempts > (this.#options.retries ?? 4) ||
      (retryAfterMs ?? 0) > longestRetryAfterMs
    )
      return undefined;
    if (!isPaid) this.#budget--;
    // Full jitter, also after the time that the service names: clients that failed together do not
    // come back together.
    const jitterMs = this.#random() * Math.min(longestBackoffMs, firstDelayMs * 2 ** attempts);
    return (retryAfterMs ?? 0) + jitterMs;
  }

  succeeded(): void {
    this.#budget = Math.min(fullBudget, this.#budget + budgetPerResponse);
  }
}
