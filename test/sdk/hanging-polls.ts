import { randomFrom } from "../bench/random.ts";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

/** What goes wrong with queries, each as a share of all of them. */
export interface Trouble {
  /** Reset, or HTTP 500. */
  readonly faults: number;
  /** Without a response, for ever. */
  readonly hanging: number;
}

/** Waits for tasks that were generated at once and take 2 to 6 s, on a service that responds to a query after 50 ms. In virtual time. */
export async function waitsUnder(count: number, { faults, hanging }: Trouble, seed = 1) {
  const [chance, jitter, duration] = [randomFrom(seed), randomFrom(seed + 1), randomFrom(seed + 2)];
  const durations = Array.from({ length: count }, () => 2_000 + 4_000 * duration());
  const doneAfterMs = (taskid: string) => durations[Number(taskid.slice(2))] ?? 0;
  const fateOf = (taskid: string): Fate => {
    if (chance() < hanging) return "hangs";
    if (chance() < faults) return chance() < 0.5 ? "lost" : "broken";
    return { doneAfterMs: doneAfterMs(taskid) };
  };
  const { tasks, pass, elapsed, queries, seen } = serviceOnAClock(fateOf, { clock: { random: jitter } });
  const delays: number[] = [];
  const wait = async (task: ReturnType<typeof tasks>[number]) => {
    await task.wait();
    delays.push(elapsed() - doneAfterMs(task.taskid));
  };
  await pass(Promise.all(tasks(count).map(wait)));
  delays.sort((a, b) => a - b);
  const delay = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  return {
    arrived: delays.length,
    /** From a task's end until its wait has ended, in milliseconds. */
    p50: delay(0.5),
    p99: delay(0.99),
    allDone: elapsed(),
    queriesPerTask: queries.length / count,
    mostInFlight: seen().mostInFlight,
  };
}
