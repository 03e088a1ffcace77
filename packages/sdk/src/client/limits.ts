import type { Kind } from "../spec/operation.ts";
import type { WaitOptions } from "../task/task.ts";
import type { Release } from "../time/semaphore.ts";

/** How many generations and results a client pays for at most. */
export interface Budget {
  /**
   * Number of generations.
   * @default Infinity
   */
  readonly generations?: number | undefined;
  /**
   * Number of results that their forms request.
   * @default Infinity
   */
  readonly results?: number | undefined;
}

/** How many tasks a client pays for, and how many of them may be unfinished at once. */
export interface LimitOptions {
  /**
   * What the client may pay for as long as it lives. Generations that are created or of unknown outcome count; those that are
   * rejected or never sent do not. What exceeds it rejects with `BudgetError` before anything is sent.
   */
  readonly budget?: Budget | undefined;
  /**
   * How many tasks that this client has created may be unfinished at once; further generations wait in order. A task counts until a
   * check or a wait sees its end, it is deleted, or 30 minutes have passed since its creation. While a generation waits, the client
   * polls the tasks that nobody waits for.
   * @default Infinity
   */
  readonly maxTasksInFlight?: number | undefined;
}

/** A generation that is about to be sent. */
export interface Entering {
  readonly model: string;
  readonly resultCount: number;
  readonly signal: AbortSignal | undefined;
}

/** The name of a task. */
export interface TaskName {
  readonly kind: Kind;
  readonly taskid: string;
}

/** A task that can be polled until its end without emitting what that rejects with. */
export interface PolledTask extends TaskName {
  poll(options: Pick<WaitOptions, "signal" | "waitTimeoutMs">): Promise<unknown>;
}

/** Called once a generation has ended: with its task, or with what it rejects with. */
export type Leave = (task?: TaskName, error?: unknown) => void;

/** The limits of a client, and of those that share them. */
export interface Limits {
  /**
   * Waits until a generation may be sent. `acquire` waits for its turn then.
   *
   * @throws {@link BudgetError} the budget is used up
   */
  enter(generation: Entering, acquire: () => Promise<Release>): Promise<Leave>;
  /** Takes the handle of a new task, by which it can be polled. Never throws. */
  opened(task: PolledTask): void;
  /** Takes a wait for a task, which sees its end without being polled here too. */
  waited(task: TaskName, wait: Promise<unknown>): void;
  /** Takes a task that has ended or was deleted. */
  ended(task: TaskName): void;
}

/** Limits that are loaded at the first generation. */
export interface LazyLimits {
  readonly load: () => Promise<Limits>;
  /** Returns the limits, once they are loaded. */
  readonly loaded: () => Limits | undefined;
}
