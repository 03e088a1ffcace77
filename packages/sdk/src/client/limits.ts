import type { Kind } from "../spec/operation.ts";
import type { WaitOptions } from "../task/task.ts";
import type { Release } from "../time/semaphore.ts";

/** The most that a client may spend. */
export interface Budget {
  /**
   * The maximum number of generations.
   * @default Infinity
   */
  readonly generations?: number | undefined;
  /**
   * The maximum number of results that their forms request.
   * @default Infinity
   */
  readonly results?: number | undefined;
}

/** Limits on the tasks of a client. */
export interface LimitOptions {
  /**
   * The most that the client may spend as long as it lives. Generations that are created or of unknown outcome count.
   * Those that are rejected or never sent do not. A generation that exceeds it rejects with `BudgetError` before
   * anything is sent.
   */
  readonly budget?: Budget | undefined;
  /**
   * The maximum number of unfinished tasks that this client has created. Further generations wait in order. A task
   * counts until a check or a wait sees its end, it is deleted, or 30 minutes have passed since its creation. While a
   * generation waits, the client polls the tasks that no call waits for.
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

/** A task that can be polled until its end without emitting errors. */
export interface WaitableTask extends TaskName {
  waitSilently(options: Pick<WaitOptions, "signal" | "waitTimeoutMs">): Promise<unknown>;
}

/** Called once a generation has ended, with its task or its error. */
export type Leave = (task?: TaskName, error?: unknown) => void;

/** The limits of a client, and of those that share them. */
export interface Limits {
  /**
   * Waits until a generation may be sent, then for its turn with `acquire`.
   *
   * @throws A {@link BudgetError} if the budget is used up
   */
  enter(generation: Entering, acquire: () => Promise<Release>): Promise<Leave>;
  /** Registers the handle of a new task, by which it can be polled. Never throws. */
  opened(task: WaitableTask): void;
  /** Registers a wait for a task, so that the task is not polled here too. */
  waited(task: TaskName, wait: Promise<unknown>): void;
  /** Removes a task that has ended or was deleted. */
  ended(task: TaskName): void;
}

/** Limits that are loaded at the first generation. */
export interface LazyLimits {
  readonly load: () => Promise<Limits>;
  /** Returns the limits, once they are loaded. */
  readonly loaded: () => Limits | undefined;
}
