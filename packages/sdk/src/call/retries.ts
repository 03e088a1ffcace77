import type { Answer } from "../errors/errors.ts";
import type { Time } from "../time/clock.ts";
import { isCreditsOut, isEnvelope } from "./envelope.ts";

/** How often and when requests are sent again. */
export interface RetryOptions {
  /**
   * How many times a request is sent again: a generation only while it provably was not sent, or after HTTP 429; queries,
   * deletions and requests for results, which are safe to repeat, also when their answer was lost.
   * @default 4
   */
  readonly retries?: number | undefined;
  /**
   * Statuses after which a generation is also sent again. What they mean at this service is not documented; 503 counts only
   * with a Retry-After.
   * @default []
   */
  readonly resendGenerationAfter?: readonly (421 | 425 | 503)[] | undefined;
}

/** Decides about sending again. Each answers a delay in milliseconds, or undefined where the request is not sent again. */
export interface Retries {
  afterAnswer(answer: Answer, attempts: number, paid: boolean): number | undefined;
  afterFailure(attempts: number, paid: boolean): number | undefined;
  /** An answer came: the budget recovers. */
  succeeded(): void;
}

const firstDelayMs = 250;
const longestDelayMs = 10_000;
/** A service that asks for more than this wants no other try now. */
const longestRetryAfterMs = 60_000;
/** Retries of safe requests that a client may spend before answers have come: a service that is down sees no storm. */
const fullBudget = 20;
/** What each answer gives back. */
const budgetPerAnswer = 0.2;

/** Creates the policy of one client. */
export function createRetries(
  { retries = 4, resendGenerationAfter = [] }: RetryOptions,
  { random }: Pick<Time, "random">,
): Retries {
  let budget = fullBudget;
  // Full jitter: clients that failed together do not come back together.
  const backoff = (attempts: number) => random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempts);
  const spend = (paid: boolean) => {
    if (paid) return true;
    if (budget < 1) return false;
    budget--;
    return true;
  };
  return {
    afterAnswer(answer, attempts, paid) {
      const { status, retryAfterMs } = answer;
      const allowed = paid
        ? mayResend(answer, resendGenerationAfter)
        : status === 429 || (status >= 500 && status !== 501 && !isEnvelope(answer));
      if (!allowed || isCreditsOut(answer) || attempts > retries) return undefined;
      if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) return undefined;
      return spend(paid) ? (retryAfterMs ?? backoff(attempts)) : undefined;
    },
    afterFailure: (attempts, paid) => (attempts <= retries && spend(paid) ? backoff(attempts) : undefined),
    succeeded: () => void (budget = Math.min(fullBudget, budget + budgetPerAnswer)),
  };
}

function mayResend({ status, retryAfterMs }: Answer, after: readonly number[]): boolean {
  if (status === 429) return true;
  return after.includes(status) && (status !== 503 || retryAfterMs !== undefined);
}
