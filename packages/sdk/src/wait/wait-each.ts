import { invalidRequest } from "../errors/errors.ts";
import { readOptions } from "../errors/options.ts";
import { mustBe, notLost, returnedTask } from "../errors/issue.ts";
import type { Records, Task, WaitOptions } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { waitOptions } from "./wait.ts";

/**
 * The outcome of the wait for one of several tasks: a record if `ok` is true, otherwise an error.
 */
export type WaitOutcome<T extends Task = Task> = T extends Task
  ?
      | { readonly ok: true; readonly task: T; readonly record: Records[T["kind"]] }
      | { readonly ok: false; readonly task: T; readonly error: unknown }
  : never;

/**
 * Waits for tasks and yields an outcome for each as soon as it finishes. A task that fails does not
 * end the loop. Leaving the loop ends the other waits. No task is lost: you can wait for each
 * again.
 *
 * @param tasks The tasks, of either kind and of any client.
 * @param options The options of each wait. `waitTimeoutMs` counts from the start of the loop.
 * @returns An async iterable of one outcome for each task, in the order in which they finish.
 * @throws The signal's reason, immediately, if the signal aborts
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
  const { outcomes, signal, stop } = startWaits("waitEach", tasks, options);
  const finished: WaitOutcome<T>[] = [];
  let wake = () => {};
  for (const outcome of outcomes)
    outcome.then((one) => {
      finished.push(one);
      wake();
    });
  try {
    for (let left = outcomes.length; left > 0; left--) {
      if (finished.length === 0)
        await orAbort(new Promise<void>((resolve) => (wake = resolve)), signal);
      signal?.throwIfAborted();
      yield* finished.splice(0, 1);
    }
  } finally {
    stop();
  }
}

/**
 * Waits for all tasks. A task that fails does not reject the promise: its outcome has the error.
 *
 * @param tasks The tasks, of either kind and of any client.
 * @returns One outcome for each task, in input order.
 * @throws The signal's reason, immediately, if the signal aborts
 * @example
 * const outcomes = await waitAll(tasks);
 * console.log(`${outcomes.filter(({ ok }) => ok).length} of ${outcomes.length} succeeded`);
 */
export async function waitAll<T extends Task>(
  tasks: Iterable<T>,
  options: WaitOptions<T["kind"]> = {},
): Promise<readonly WaitOutcome<T>[]> {
  const { outcomes, signal, stop } = startWaits("waitAll", tasks, options);
  return orAbort(Promise.all(outcomes), signal).finally(stop);
}

function startWaits<T extends Task>(
  subject: string,
  tasks: Iterable<T>,
  given: WaitOptions<T["kind"]>,
) {
  const { signal, ...options } = readOptions("wait", given, waitOptions, notLost);
  const list = [...tasks];
  const other = list.findIndex((task) => typeof task?.wait !== "function");
  if (other >= 0)
    throw invalidRequest(subject, `tasks[${other}]`, "invalid", mustBe(returnedTask, list[other]));
  signal?.throwIfAborted();
  const stop = new AbortController();
  const waitFor = async (task: T) => {
    // The casts: `ok` says which of the two it is, and a type of many tasks has an outcome of each.
    const wait = task.wait({ ...options, signal: stop.signal }) as Promise<Records[T["kind"]]>;
    return wait.then(
      (record) => ({ ok: true, task, record }) as WaitOutcome<T>,
      (error: unknown) => ({ ok: false, task, error }) as WaitOutcome<T>,
    );
  };
  return { outcomes: list.map(waitFor), signal, stop: () => stop.abort() };
}
