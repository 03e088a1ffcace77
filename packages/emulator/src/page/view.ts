import type { Context } from "../service/context.ts";
import { previewUrl } from "../service/downloads.ts";
import type { Emulator } from "../service/emulator-types.ts";
import { faultEffects } from "../service/faults.ts";
import { progressAt, resultsAt } from "../service/task.ts";

/** Maximum number of tasks and of calls on the page. */
const shown = 100;

/**
 * Returns a function that returns the data of the page as plain JSON: the latest tasks and calls,
 * newest first.
 */
export function createView(emulator: Emulator, context: Context): () => unknown {
  const { behaviour, clock, faults, statuses } = context;
  const operations = [...context.operations.values()];
  const numberOf = createNumbering();
  const tasks = (now: number) =>
    emulator.tasks
      .slice(-shown)
      .reverse()
      .map((task) => ({
        ...task,
        status: statuses[task.state],
        progress: progressAt(task, now),
        results: Array.from({ length: resultsAt(task, now, behaviour) }, (_, index) =>
          previewUrl(context, task, index + 1),
        ),
      }));
  const calls = () =>
    emulator.calls
      .map((call) => ({ ...call, number: numberOf(call) }))
      .slice(-shown)
      .reverse();
  return () => {
    const now = clock.now();
    return {
      now,
      clock: clock.mode,
      credits: emulator.credits,
      charged: emulator.charges.length,
      count: emulator.tasks.length,
      tasks: tasks(now),
      calls: calls(),
      faults: faults.list(),
      faultNames: Object.keys(faultEffects),
      faultTargets: [
        ...new Set(operations.map(({ verb }) => verb)),
        "download",
        ...operations.map(({ operation }) => operation),
      ],
    };
  };
}

/**
 * Returns a function that numbers objects in the order of their first use, so that the page can
 * detect new ones.
 */
function createNumbering(): (one: object) => number {
  const numbers = new WeakMap<object, number>();
  let last = 0;
  return (one) => {
    const number = numbers.get(one) ?? ++last;
    numbers.set(one, number);
    return number;
  };
}
