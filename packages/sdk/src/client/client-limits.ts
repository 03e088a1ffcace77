import { OutcomeUnknownError } from "../errors/response-errors.ts";
import type { Time } from "../time/clock.ts";
import type { Release } from "../time/semaphore.ts";
import type { Entering, Leave, LimitOptions, Limits, WaitableTask, TaskName } from "./limits.ts";
import { Spending } from "./spending.ts";
import { TasksInFlight } from "./tasks-in-flight.ts";

/** The limits in a client's options. They are loaded at the first generation, and only if they are set. */
export class ClientLimits implements Limits {
  readonly #spending: Spending;
  /** Without `maxTasksInFlight` no task is kept. */
  readonly #tasks: TasksInFlight | undefined;

  /** A limit that is not among the `given` is that of the `other` client. */
  constructor(
    { budget = {}, maxTasksInFlight: most = Infinity }: LimitOptions,
    time: Pick<Time, "steady">,
    given: LimitOptions = {},
    other?: Limits,
  ) {
    const kept = other instanceof ClientLimits ? other : undefined;
    this.#spending = kept && !given.budget ? kept.#spending : new Spending(budget);
    const own = most < Infinity ? new TasksInFlight(most, time) : undefined;
    this.#tasks = kept && !given.maxTasksInFlight ? kept.#tasks : own;
  }

  async enter(generation: Entering, acquire: () => Promise<Release>): Promise<Leave> {
    const undo: (() => void)[] = [];
    try {
      // First the budget: what exceeds it does not have to wait for a place.
      const settle = await this.#spending.reserve(generation);
      undo.push(() => settle(false));
      const place = await this.#tasks?.enter(generation.signal);
      undo.push(() => place?.leave());
      const release = await acquire();
      return (task, error) => {
        release();
        // A server that knows the key of an earlier generation returns its task, which has been counted.
        const isNew = task && (place?.take(task) ?? true);
        if (!task) place?.leave();
        settle(isNew || error instanceof OutcomeUnknownError);
      };
    } catch (error) {
      for (const step of undo) step();
      throw error;
    }
  }

  opened(task: WaitableTask): void {
    this.#tasks?.opened(task);
  }

  waited(task: TaskName, wait: Promise<unknown>): void {
    this.#tasks?.waited(task, wait);
  }

  ended(task: TaskName): void {
    this.#tasks?.ended(task);
  }
}
