import type { Records, Task, WaitOptions } from "../task/task.ts";
import { orAbort } from "../time/clock.ts";
import { timeoutOf } from "./wait.ts";

/** How the wait for one of several tasks came out: there is a record or an error. */
export type Settled<T extends Task = Task> = T extends Task
  ? | {
        /** The task that has succeeded. */
        readonly task: T;
        /** Its record. */
        readonly record: Records[T["kind"]];
        /** There is none. */
        readonly error?: undefined;
      }
    | {
        /** The task whose wait has ended without a result. */
        readonly task: T;
        /** There is none. */
        readonly record?: undefined;
        /** What its wait rejected with. */
        readonly error: unknown;
      }
  : never;

/** Waits for tasks and gives each as soon as it is done. */
export async function* settle<T extends Task>(
  tasks: Iterable<T>,
  options: WaitOptions<T["kind"]> = {},
): AsyncGenerator<Settled<T>, void, undefined> {
  timeoutOf(options);
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const waits = new Set<AbortController>();
  const ended: Settled<T>[] = [];
  let wake = () => {};
  try {
    for (const task of tasks) {
      // A signal each: many listeners on one make a list, and each that comes or goes walks along it.
      const wait = new AbortController();
      waits.add(wait);
      const end = (outcome: object) => {
        waits.delete(wait);
        // The cast: whether there is a record or an error is the callers' below.
        ended.push({ task, ...outcome } as Settled<T>);
        wake();
      };
      task.wait({ ...options, signal: wait.signal }).then(
        (record) => end({ record }),
        (error: unknown) => end({ error }),
      );
    }
    while (waits.size > 0 || ended.length > 0) {
      if (ended.length === 0) await orAbort(new Promise<void>((resolve) => (wake = resolve)), signal);
      for (const outcome of ended.splice(0)) {
        signal.throwIfAborted();
        yield outcome;
      }
    }
  } finally {
    for (const wait of waits) wait.abort();
  }
}
