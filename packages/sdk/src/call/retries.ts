import { mayPass } from "../errors/errors.ts";
import { codes } from "../spec/operations.gen.ts";
import { type Answer, isSuccess, mayHoldTask, type Verdict } from "./answer.ts";
import { NeverSentError } from "./evidence.ts";
import type { UsedKeys } from "./hide-key.ts";

/** Options for the retries of requests. */
export interface RetryOptions {
  /**
   * The maximum number of retries of a request. A generation is retried only if it provably was not sent, or after HTTP
   * 429. Queries, deletions and requests for results are safe to repeat, and are also retried after a lost response.
   * @default 4
   */
  readonly retries?: number | undefined;
  /**
   * HTTP statuses after which a generation is retried as well. What they mean at this service is not documented. 503
   * counts only with a Retry-After header.
   * @default []
   */
  readonly resendGenerationAfter?: readonly (421 | 425 | 503)[] | undefined;
}

/** The outcome of one attempt: a response, with its verdict if the request is paid, or the reason why there is none. */
export interface Tried {
  readonly answer?: Answer;
  readonly verdict?: Verdict | undefined;
  /** Whether the request had an API key. */
  readonly hasKey?: boolean;
  readonly error?: unknown;
  /** Hide the keys that the client had used by then. */
  readonly keys: UsedKeys;
}

const firstDelayMs = 250;
const longestBackoffMs = 10_000;
/** A longer Retry-After means that the service wants no retry now. */
const longestRetryAfterMs = 60_000;
/** The retry budget of a client for safe requests. It prevents a storm of retries while the service is down. */
const fullBudget = 20;
/** The part of a retry that each response returns to the budget. */
const budgetPerResponse = 0.2;

/** The retry policy of one client. */
export class Retries {
  readonly #options: RetryOptions;
  readonly #random: () => number;
  #budget = fullBudget;

  constructor(options: RetryOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** Returns the delay before the next attempt of a call, in milliseconds; undefined if there must be none. */
  delayAfter(tried: Tried, attempts: number, isPaid: boolean): number | undefined {
    const isAllowed = isPaid ? this.#mayResend(tried) : mayRepeat(tried);
    return isAllowed ? this.nextDelay(attempts, isPaid, tried.answer?.retryAfterMs) : undefined;
  }

  /** Returns the delay before the next attempt of a request that may be repeated; undefined if it was repeated often enough. */
  nextDelay(attempts: number, isPaid: boolean, retryAfterMs?: number): number | undefined {
    if (attempts > (this.#options.retries ?? 4) || (retryAfterMs ?? 0) > longestRetryAfterMs) return undefined;
    if (!isPaid && this.#budget < 1) return undefined;
    if (!isPaid) this.#budget--;
    // Full jitter: clients that failed together do not come back together.
    return retryAfterMs ?? this.#random() * Math.min(longestBackoffMs, firstDelayMs * 2 ** attempts);
  }

  /** Called when a response has arrived: the budget recovers. */
  succeeded(): void {
    this.#budget = Math.min(fullBudget, this.#budget + budgetPerResponse);
  }

  /** Only what provably created no task is retried. */
  #mayResend({ answer, verdict, error }: Tried): boolean {
    if (!answer) return error instanceof NeverSentError && !error.isFinal;
    const { status, retryAfterMs, redirected } = answer;
    const after: readonly number[] = [429, ...(this.#options.resendGenerationAfter ?? [])];
    if (!after.includes(status)) return false;
    // Only the caller knows what 503 means at this service, and only without an envelope.
    if (status === 503) return retryAfterMs !== undefined && !redirected && !mayHoldTask(answer);
    return verdict === "rejected";
  }
}

/** Queries and deletions are safe to repeat. */
function mayRepeat({ answer, error }: Tried): boolean {
  if (!answer) return !(error instanceof NeverSentError && error.isFinal);
  const { status, envelope } = answer;
  if (envelope?.code === codes.insufficientCredits) return false;
  // A success that cannot be read counts as no response.
  return status === 429 || (!envelope && (isSuccess(status) || mayPass(status)));
}
