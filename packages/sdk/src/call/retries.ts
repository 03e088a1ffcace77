import { mayPass, type ServiceResponse } from "../errors/errors.ts";
import type { Time } from "../time/clock.ts";
import { isCreditsOut, isEnvelope, isRejection, isStatusAlone } from "./envelope.ts";

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

/**
 * Decides about retries. Each method returns a delay in milliseconds, or undefined if the request is not retried.
 */
export interface Retries {
  afterResponse(response: ServiceResponse, attempts: number, paid: boolean): number | undefined;
  afterFailure(attempts: number, paid: boolean): number | undefined;
  /** Called when a response has arrived: the budget recovers. */
  succeeded(): void;
}

const firstDelayMs = 250;
const longestBackoffMs = 10_000;
/** A longer Retry-After means that the service wants no retry now. */
const longestRetryAfterMs = 60_000;
/** The retry budget of a client for safe requests. It prevents a storm of retries while the service is down. */
const fullBudget = 20;
/** The part of a retry that each response returns to the budget. */
const budgetPerResponse = 0.2;

/** Creates the retry policy of one client. */
export function createRetries(
  { retries = 4, resendGenerationAfter = [] }: RetryOptions,
  { random }: Pick<Time, "random">,
): Retries {
  let budget = fullBudget;
  // Full jitter: clients that failed together do not come back together.
  const backoff = (attempts: number) => random() * Math.min(longestBackoffMs, firstDelayMs * 2 ** attempts);
  const spend = (paid: boolean) => {
    if (paid) return true;
    if (budget < 1) return false;
    budget--;
    return true;
  };
  return {
    afterResponse(response, attempts, paid) {
      const { status, retryAfterMs } = response;
      const allowed = paid
        ? mayResend(response, resendGenerationAfter)
        : status === 429 || (mayPass(status) && !isEnvelope(response));
      if (!allowed || isCreditsOut(response) || attempts > retries) return undefined;
      if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) return undefined;
      return spend(paid) ? (retryAfterMs ?? backoff(attempts)) : undefined;
    },
    afterFailure: (attempts, paid) => (attempts <= retries && spend(paid) ? backoff(attempts) : undefined),
    succeeded: () => void (budget = Math.min(fullBudget, budget + budgetPerResponse)),
  };
}

function mayResend(response: ServiceResponse, after: readonly number[]): boolean {
  const { status, retryAfterMs } = response;
  if (status === 503) return after.includes(status) && retryAfterMs !== undefined && isStatusAlone(response);
  return (status === 429 || after.includes(status)) && isRejection(response);
}
