import { invalidRequest } from "../errors/errors.ts";
import { mustBe, returnedTask } from "../errors/issue.ts";
import type { Records, Task, WaitOptions } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { readWaitOptions } from "./wait.ts";

/** The outcome of the wait for one of several tasks: a record if `ok` is true, otherwise an error. */
export type WaitOutcome<T extends Task = Task> = T extends Task
  ?
      | {
          /** Whether the task has succeeded. */
          readonly ok: true;
          /** The task that was waited for. */
          readonly task: T;
          /** The record with the task's results. */
          readonly record: Records[T["kind"]];
        }
      | {
          /** Whether the task has succeeded. */
          readonly ok: false;
          /** The task that was waited for. */
          readonly task: T;
          /** The error that `task.wait()` rejected with. */
          readonly error: unknown;
        }
  : never;

/**
 * Waits for tasks and yields an outcome for each as soon as it finishes. A task that fails does not end the loop.
 * Leaving the loop ends the other waits. No task is lost: you can wait for each again.
 *
 * @param tasks The tasks, of either kind and of any client.
 * @param options The options of each wait. `waitTimeoutMs` counts from the start of the loop.
 * @returns An async iterable of one outcome for each task, in the order in which they finish.
 * @throws The signal's reason, immediately, if the signal aborts
 * @throws An {@link InvalidRequestError} if one is not a task, or an option is not valid
 * @example
 * for await (const outcome of waitEach(tasks)) {
 *   if (outcome.ok) console.log(outcome.record.url);
 *   else console.error(outcome.task.taskid, outcome.error);
 * }
 */
export async function* waitEach<T extends Task>(
  tasks: Iterable<T>,
  options: WaitOptions<T["kind"]> = {},
): AsyncGenerator<WaitOutcome<T>, void, undefined> {
  for await (const { outcome } of outcomesOf("waitEach", tasks, options)) yield outcome;
}

/**
 * Waits for all tasks. A task that fails does not reject the promise: its outcome has the error.
 *
 * @param tasks The tasks, of either kind and of any client.
 * @param options The options of each wait.
 * @returns One outcome for each task, in input order.
 * @throws The signal's reason, immediately, if the signal aborts
 * @throws An {@link InvalidRequestError} if one is not a task, or an option is not valid
 * @example
 * const outcomes = await waitAll(tasks);
 * console.log(`${outcomes.filter(({ ok }) => ok).length} of ${outcomes.length} succeeded`);
 */
export async function waitAll<T extends Task>(
  tasks: Iterable<T>,
  options: WaitOptions<T["kind"]> = {},
): Promise<readonly WaitOutcome<T>[]> {
  const outcomes: WaitOutcome<T>[] = [];
  for await (const { index, outcome } of outcomesOf("waitAll", tasks, options)) outcomes[index] = outcome;
  return outcomes;
}

/** An outcome, and the position of its task in the input. */
interface Finished<T extends Task> {
  readonly index: number;
  readonly outcome: WaitOutcome<T>;
}

async function* outcomesOf<T extends Task>(
  subject: "waitEach" | "waitAll",
  tasks: Iterable<T>,
  given: WaitOptions<T["kind"]>,
): AsyncGenerator<Finished<T>, void, undefined> {
  const reject = (field: string, value: unknown, expected: string) =>
    invalidRequest(subject, field, "invalid", mustBe(expected, value));
  if (typeof tasks?.[Symbol.iterator] !== "function") throw reject("tasks", tasks, "a list of tasks");
  const options = readWaitOptions(given);
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const stop = new AbortController();
  const finished: Finished<T>[] = [];
  let wake = () => {};
  let count = 0;
  let running = 0;
  try {
    for (const task of tasks) {
      const index = count++;
      if (typeof task?.wait !== "function") throw reject(`tasks[${index}]`, task, returnedTask);
      running++;
      const finish = (outcome: object) => {
        running--;
        // The cast: the two callers below pass a record with `ok: true`, and an error with `ok: false`.
        finished.push({ index, outcome: { task, ...outcome } as WaitOutcome<T> });
        wake();
      };
      task.wait({ ...options, signal: stop.signal }).then(
        (record) => finish({ ok: true, record }),
        (error: unknown) => finish({ ok: false, error }),
      );
    }
    while (running > 0 || finished.length > 0) {
      if (finished.length === 0) await orAbort(new Promise<void>((resolve) => (wake = resolve)), signal);
      for (const one of finished.splice(0)) {
        signal.throwIfAborted();
        yield one;
      }
    }
  } finally {
    stop.abort();
  }
}
