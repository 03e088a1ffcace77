import {
  AuthenticationError,
  ConnectionError,
  InsufficientCreditsError,
  NotFoundError,
  OutcomeUnknownError,
} from "@mediagen/sdk/node";
import type { BatchSummary, StopReason } from "./options.ts";

/** Thrown instead of sending a line after the batch has stopped. The next run starts the line. */
export class NotStarted extends Error {}

/** Limits the number of tasks that a run creates. Rejected generations do not count. */
export class TaskLimit {
  #left: number;
  readonly #reserved = new Set<Promise<void>>();

  constructor(limit: number) {
    this.#left = limit;
  }

  get isReached(): boolean {
    return this.#left < 1 && this.#reserved.size === 0;
  }

  /**
   * Waits for a free task and reserves it. The returned function says whether it was used.
   * Undefined if none is left.
   */
  async reserve(): Promise<((isUsed: boolean) => void) | undefined> {
    while (this.#left < 1 && this.#reserved.size > 0) await Promise.race(this.#reserved);
    if (this.#left < 1) return undefined;
    this.#left--;
    let wake: () => void;
    const reserved = new Promise<void>((resolve) => (wake = resolve));
    this.#reserved.add(reserved);
    return (isUsed) => {
      if (!this.#reserved.delete(reserved)) return;
      if (!isUsed) this.#left++;
      wake();
    };
  }
}

/** Decides when a batch stops sending, because all further lines would fail in the same way. */
export class StopRules {
  readonly #limit: number;
  #rejectedInARow = 0;
  #hasAccepted = false;
  /** Set once the batch sends nothing more. */
  stop: Required<Pick<BatchSummary, "stopped" | "error">> | undefined;

  /** More rejected generations in a row than `limit` stop the batch. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  recordAccepted(): void {
    this.#hasAccepted = true;
    this.#rejectedInARow = 0;
  }

  /** Records the error of a generation. Returns whether its line counts as not started. */
  recordError(error: unknown): boolean {
    if (error instanceof NotStarted) return true;
    const reason = reasonIn(error);
    if (!reason || !(error instanceof Error)) return false;
    this.#rejectedInARow++;
    if (this.#isEnough(reason, error))
      this.stop ??= { stopped: reason, error: { name: error.name, message: error.message } };
    return this.stop !== undefined && reason !== "unknown";
  }

  #isEnough(reason: StopReason, error: Error): boolean {
    if (reason === "credits" || (error instanceof AuthenticationError && error.status === 401))
      return true;
    // After a form was accepted, the error may be temporary, or only about this line or model.
    return (reason !== "unknown" && !this.#hasAccepted) || this.#rejectedInARow > this.#limit;
  }
}

/**
 * Returns the reason to stop the batch after an error. Undefined if the error is only about its
 * line.
 */
function reasonIn(error: unknown): StopReason | undefined {
  if (error instanceof InsufficientCreditsError) return "credits";
  if (error instanceof AuthenticationError || error instanceof NotFoundError) return "rejected";
  if (error instanceof ConnectionError) return "unreachable";
  // Without a status or a cause, the outcome was unknown before this run: nothing was sent now.
  const isNew =
    error instanceof OutcomeUnknownError &&
    (error.status !== undefined || error.cause !== undefined);
  return isNew ? "unknown" : undefined;
}
