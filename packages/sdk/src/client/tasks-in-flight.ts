import type { Time } from "../time/clock.ts";
import { Semaphore } from "../time/semaphore.ts";
import { defaultWaitTimeoutMs } from "../wait/wait.ts";
import type { WaitableTask, TaskName } from "./limits.ts";

/** A task that has been created and is not known to have ended. */
interface InFlight {
  readonly leave: () => void;
  /** The time, by the steady clock, until which it counts if nobody sees its end. It counts for the default timeout of a wait. */
  readonly until: number;
  /** The handle that it is polled by, once there is one. */
  task: WaitableTask | undefined;
  /** The number of the caller's waits that poll it. */
  waits: number;
  /** Ends the polls of this class. */
  polling: AbortController | undefined;
}

/** A generation's place among the tasks in flight. */
export interface Place {
  /** Keeps the place for a new task until it ends. Gives the place back and returns false if the task already has one. */
  take(task: TaskName): boolean;
  /** Gives the place to another generation. */
  leave(): void;
}

/** Limits how many tasks are unfinished at once. While a generation waits for a place, it polls the tasks that nobody waits for. */
export class TasksInFlight {
  readonly #places: Semaphore;
  readonly #time: Pick<Time, "steady">;
  readonly #tasks = new Map<string, InFlight>();
  /** The number of generations that wait for a place. */
  #waiting = 0;

  constructor(max: number, time: Pick<Time, "steady">) {
    this.#places = new Semaphore(max);
    this.#time = time;
  }

  /** Waits for a place, in order; rejects with the signal's reason when it aborts. */
  async enter(signal: AbortSignal | undefined): Promise<Place> {
    this.#waiting++;
    try {
      if (this.#places.isFull) this.#poll();
      const leave = await this.#places.acquire(signal);
      const until = this.#time.steady() + defaultWaitTimeoutMs;
      const take = (task: TaskName) => {
        const isNew = !this.#tasks.has(keyOf(task));
        if (isNew) this.#tasks.set(keyOf(task), { leave, until, task: undefined, waits: 0, polling: undefined });
        else leave();
        return isNew;
      };
      return { leave, take };
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) for (const task of this.#tasks.values()) stop(task);
    }
  }

  /** Registers the handle of a new task. */
  opened(task: WaitableTask): void {
    const inFlight = this.#tasks.get(keyOf(task));
    if (!inFlight) return;
    inFlight.task = task;
    this.#poll();
  }

  /** Registers the caller's wait. */
  waited(task: TaskName, wait: Promise<unknown>): void {
    const inFlight = this.#tasks.get(keyOf(task));
    if (!inFlight) return;
    inFlight.waits++;
    stop(inFlight);
    const end = () => {
      inFlight.waits--;
      this.#poll();
    };
    wait.then(end, end);
  }

  /** Removes a task that has ended or was deleted. */
  ended(task: TaskName): void {
    const inFlight = this.#tasks.get(keyOf(task));
    if (!inFlight) return;
    this.#tasks.delete(keyOf(task));
    stop(inFlight);
    inFlight.leave();
  }

  /** Polls the tasks that nobody waits for, if a generation waits for one of them to end. */
  #poll(): void {
    if (this.#waiting === 0) return;
    for (const inFlight of this.#tasks.values()) {
      const { task, waits, polling, until } = inFlight;
      if (!task || waits > 0 || polling) continue;
      const controller = new AbortController();
      inFlight.polling = controller;
      const waitTimeoutMs = Math.max(0, until - this.#time.steady());
      // However it ends, also by its deadline or because the service does not know the task: it counts no longer.
      const end = () => controller.signal.aborted || this.ended(task);
      task.waitSilently({ signal: controller.signal, waitTimeoutMs }).then(end, end);
    }
  }
}

function stop(inFlight: InFlight): void {
  inFlight.polling?.abort();
  inFlight.polling = undefined;
}

function keyOf({ kind, taskid }: TaskName): string {
  return `${kind} ${taskid}`;
}
