import { randomFrom } from "../bench/random.ts";

/**
 * Something that may happen next, in one of several ways. The first way is the one without a fault.
 */
export interface Event {
  readonly name: string;
  /** The process that it happens in; undefined if it happens elsewhere, as in the network. */
  readonly process?: Process | undefined;
  readonly ways: readonly Way[];
}

/** One way in which an event may happen. A way of weight 0 is impossible. */
export interface Way {
  readonly name: string;
  readonly weight: number;
  readonly run: () => void;
}

/**
 * A process of the machine: it may be paused, and it may crash. Its clients and its store
 * connection end with it.
 */
export interface Process {
  readonly name: string;
  /** How far its clock is ahead of the others. */
  readonly skewMs: number;
  isPaused: boolean;
  isDead: boolean;
}

interface Sleeper {
  readonly until: number;
  readonly process: Process;
  readonly wake: () => void;
}

/** Decides what happens: by a seed, by the decisions of an earlier run, or by both. */
export class Decisions {
  readonly made: number[] = [];
  /** How many ways there were at each decision. */
  readonly counts: number[] = [];
  readonly #script: readonly number[];
  readonly #random: (() => number) | undefined;

  /** @param seed decides after the end of the script; without one, the first way does */
  constructor(seed: number | undefined, script: readonly number[] = []) {
    this.#script = script;
    this.#random = seed === undefined ? undefined : randomFrom(seed);
  }

  /** Returns a number from 0 up to but not including 1. */
  random(): number {
    return this.#random?.() ?? 0.5;
  }

  /** Chooses one of some possibilities by their weights. */
  choose<T extends { readonly weight: number }>(possible: readonly T[]): T {
    const random = this.random() * possible.reduce((sum, { weight }) => sum + weight, 0);
    let index = 0;
    let sum = possible[0]?.weight ?? 0;
    while (this.#random && sum <= random && index < possible.length - 1)
      sum += possible[++index]?.weight ?? 0;
    const scripted = this.#script[this.made.length];
    if (scripted !== undefined) index = Math.min(scripted, possible.length - 1);
    this.made.push(index);
    this.counts.push(possible.length);
    const chosen = possible[index];
    if (!chosen) throw new Error("there is nothing to choose from");
    return chosen;
  }
}

/** How far a clock may be ahead of the others: by more than any timeout of the SDK. */
const skews = [0, 86_400_000, -86_400_000].map((ms, index) => ({
  ms,
  weight: index === 0 ? 4 : 1,
}));

/** A world of processes in virtual time, in which one thing happens at a time. */
export class World {
  readonly decisions: Decisions;
  readonly trace: string[] = [];
  readonly processes: Process[] = [];
  now = 1_800_000_000_000;
  isCalm = false;
  readonly #isPrompt: boolean;
  readonly #events = new Set<Event>();
  readonly #sleepers = new Set<Sleeper>();

  /** @param isPrompt whether time passes only if nothing else can happen */
  constructor(decisions: Decisions, isPrompt = false) {
    this.decisions = decisions;
    this.#isPrompt = isPrompt;
  }

  /** Starts a process. */
  start(name: string, mayBeSkewed = true): Process {
    const skewMs = mayBeSkewed ? this.decisions.choose(skews).ms : 0;
    const process = { name, skewMs, isPaused: false, isDead: false };
    this.processes.push(process);
    return process;
  }

  /** From now on, nothing fails any more. */
  calmDown(): void {
    this.isCalm = true;
    for (const process of this.processes) process.isPaused = false;
  }

  /** Adds something that may happen next. It happens once. */
  add(event: Event): void {
    if (!event.process?.isDead) this.#events.add(event);
  }

  /** Returns a promise that an event settles. It never does if its process has died. */
  happens<T>(
    name: string,
    process: Process,
    ways: (settle: PromiseWithResolvers<T>) => readonly Way[],
  ): Promise<T> {
    const promise = Promise.withResolvers<T>();
    // The caller may no longer wait for it.
    promise.promise.catch(() => undefined);
    this.add({ name: `${process.name}: ${name}`, process, ways: ways(promise) });
    return promise.promise;
  }

  /** Sleeps in virtual time. */
  sleep(process: Process, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (process.isDead) return;
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { until: this.now + ms, process, wake: resolve };
      this.#sleepers.add(sleeper);
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Ends a process: what it waits for never comes. */
  kill(process: Process): void {
    process.isDead = true;
    for (const sleeper of this.#sleepers)
      if (sleeper.process === process) this.#sleepers.delete(sleeper);
    for (const event of this.#events) if (event.process === process) this.#events.delete(event);
  }

  /** Lets one thing happen. Returns false if nothing can. */
  step(others: readonly Event[]): boolean {
    const isReady = ({ process }: { readonly process?: Process | undefined }) => !process?.isPaused;
    const pending = [...this.#events].filter(isReady);
    const sleepers = [...this.#sleepers].filter(isReady);
    // When nothing fails, nothing is slow either.
    const mayPass = sleepers.length > 0 && !((this.isCalm || this.#isPrompt) && pending.length > 0);
    const ready = [...pending, ...(mayPass ? [this.#timePasses(sleepers)] : []), ...others];
    const possible = ready.flatMap((event) => {
      const ways = event.ways.filter(({ weight }, index) =>
        this.isCalm ? index === 0 && weight > 0 : weight > 0,
      );
      // Time passes when little else is left to do; faults are rarer than what works.
      const ofTime = pending.length === 0 ? 4 : 0.5;
      const weight = event.name === timePasses ? ofTime : (ways[0]?.weight ?? 0);
      return ways.length > 0 ? [{ event, ways, weight }] : [];
    });
    if (possible.length === 0) return false;
    const { event, ways } = this.decisions.choose(possible);
    const way = this.decisions.choose(ways);
    this.#events.delete(event);
    this.trace.push(`${event.name}: ${way.name}`);
    way.run();
    return true;
  }

  #timePasses(sleepers: readonly Sleeper[]): Event {
    const run = () => {
      const next = sleepers.reduce((one, other) => (other.until < one.until ? other : one));
      this.#sleepers.delete(next);
      this.now = Math.max(this.now, next.until);
      next.wake();
    };
    return { name: timePasses, ways: [{ name: "to the next timer", weight: 1, run }] };
  }
}

const timePasses = "time passes";

/** Resolves when all code that can run has run. */
export const idle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
