import {
  createMediaGen,
  type GenerationEntry,
  type GenerationStore,
  type MediaGenEvent,
  type MediaGenOptions,
  memoryStore,
  type SleepReason,
} from "@mediagen/sdk";
import { expect, onTestFinished, TestRunner } from "vitest";

/** What the service responds to one request. */
export type Reply = (request: Request) => Response | Promise<Response>;

export const origin = "http://localhost";

/** A success with data. */
export const success = (data: object): Response => Response.json({ code: 1000, msg: "", data });
/** A success with a task. */
export const created = (taskid: string): Response => success({ taskid, url: [`${origin}/1.png`] });
export const rejection = (): Response => Response.json({ code: 9999, msg: "no" });
export const lost = (): Response => new Response("", { status: 500 });
export const forever = (): Promise<Response> => new Promise(() => undefined);
/** A fetch that rejects with this. */
export const fails =
  (thrown: unknown): Reply =>
  () =>
    Promise.reject(thrown);
/** A function that throws this. */
export const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};
/** What Node's fetch rejects with if its cause has these fields. */
export const fetchError = (fields: object, message = "fetch failed"): TypeError =>
  new TypeError(message, { cause: Object.assign(new Error("why"), fields) });
export const connectionRefused: TypeError = fetchError({
  code: "ECONNREFUSED",
  syscall: "connect",
});
export const neverSent: Reply = fails(connectionRefused);

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * Virtual time: the earliest sleeper wakes when the clock is moved on. Sleeps for other reasons
 * than those given never end.
 */
export class FakeClock {
  now = 1_800_000_000_000;
  readonly #asleep = new Set<Sleeper>();
  readonly #passing: readonly SleepReason[];
  #isStopped = false;

  constructor(passing: readonly SleepReason[]) {
    this.#passing = passing;
  }

  sleep(ms: number, signal: AbortSignal, reason: SleepReason): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { until: this.now + ms, wake: resolve };
      if (this.#passing.includes(reason) && !this.#isStopped) this.#asleep.add(sleeper);
      const abort = () => {
        this.#asleep.delete(sleeper);
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** Lets all sleep for ever. */
  stop(): void {
    this.#isStopped = true;
    this.#asleep.clear();
  }

  /** Wakes the earliest sleeper; false if all are awake. */
  moveOn(): boolean {
    let next: Sleeper | undefined;
    for (const sleeper of this.#asleep) if (!next || sleeper.until < next.until) next = sleeper;
    if (!next) return false;
    this.#asleep.delete(next);
    this.now = Math.max(this.now, next.until);
    next.wake();
    return true;
  }
}

export interface FakeOptions extends MediaGenOptions {
  /** How long each request takes on the client's clock. */
  readonly latencyMs?: number;
  /** Which sleeps end, as soon as nothing else is left to do. */
  readonly passing?: readonly SleepReason[];
  /**
   * Whether its store is that of other clients of one process. Otherwise it has a handle of its
   * own, as another process has.
   */
  readonly sharesProcess?: boolean;
}

let clients = 0;

/**
 * A client of a service that replies in the given order, the last reply for ever; without replies
 * each request creates a task. It has a clock of its own, on which pauses take no real time, and
 * deadlines and limits never pass.
 */
export function clientOf(
  replies: readonly Reply[] = [],
  {
    latencyMs = 0,
    passing = ["pause", "background"],
    clock: own,
    sharesProcess,
    store,
    ...options
  }: FakeOptions = {},
) {
  const client = ++clients;
  const clock = new FakeClock(passing);
  // A sender that a test leaves, as if it was killed, would renew its record for ever, as fast as
  // it can: also during later files.
  if (TestRunner.getCurrentTest()) onTestFinished(() => clock.stop());
  const events: MediaGenEvent[] = [];
  const pauses: number[] = [];
  let sent = 0;
  let isMoving = false;
  // Others may still have something to do now: time passes when all wait.
  const moveOn = () => {
    isMoving = clock.moveOn();
    if (isMoving) setImmediate(moveOn);
  };
  const media = createMediaGen({
    baseUrl: origin,
    apiKey: "sk-canary",
    retries: 0,
    clock: {
      now: () => clock.now,
      random: () => 0.5,
      sleep: (ms, signal, reason) => {
        if (reason === "pause") pauses.push(ms);
        if (!isMoving) setImmediate(moveOn);
        isMoving = true;
        return clock.sleep(ms, signal, reason);
      },
      ...own,
    },
    fetch: async (url, init) => {
      clock.now += latencyMs;
      const reply = replies[Math.min(sent++, replies.length - 1)];
      if (reply) return reply(new Request(url, init));
      // A query returns the record of the task that it is about.
      const { taskid = `t-${client}-${sent}` } =
        typeof init.body === "string" ? (JSON.parse(init.body) as { taskid?: string }) : {};
      return created(taskid);
    },
    fetchSendsOnce: true,
    onEvent: (event) => void events.push(event),
    ...(store && { store: sharesProcess ? store : { ...store } }),
    ...options,
  });
  return {
    media,
    events,
    /** How long the client has paused, each time. */
    pauses,
    /** Generates an image of the prompt. */
    generate: (idempotencyKey?: string, prompt = "A fox", signal?: AbortSignal) =>
      media.image.generate(
        "imgmodelz",
        { prompt },
        { ...(idempotencyKey !== undefined && { idempotencyKey }), signal },
      ),
    /** How many requests were sent. */
    sent: () => sent,
    now: () => clock.now,
  };
}

/** Resolves to what a call rejects with, or to what it resolves to. */
export const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: unknown) => error);

/** Resolves when everything that is ready has run. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

/**
 * A store in memory that several clients share, that can fail or wait at each step, and that shows
 * what it holds.
 */
export function sharedStore() {
  const memory = memoryStore();
  const written: GenerationEntry[] = [];
  let before: (record: GenerationEntry) => unknown = () => undefined;
  const store: GenerationStore = {
    ...memory,
    async write(record) {
      await before(record);
      const result = await memory.write(record);
      if (result.written) written.push(record);
      return result;
    },
  };
  return {
    ...store,
    /** Sets what happens before each write: it may throw, or wait. */
    beforeWrite: (next: (record: GenerationEntry) => unknown) => void (before = next),
    /**
     * The states in the order in which they were written, without those that only renew a record.
     */
    states: () =>
      written.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]),
    written: () => written,
    text: () => JSON.stringify(written),
  };
}

export type SharedStore = ReturnType<typeof sharedStore>;

/**
 * A client whose generation is being sent, until `respond` is called. It can no longer renew its
 * entry, as if it had been killed: others take it for dead.
 */
export async function silentSender() {
  const store = sharedStore();
  const response = gate<Response>();
  const client = clientOf([() => response.promise], { store });
  const task = errorOf(client.generate("order-1"));
  await expect.poll(() => store.states()).toContain("sending");
  const { id = "", attempt } = store.written()[0] ?? {};
  const cannotRenew = (entry: GenerationEntry) => {
    if (entry.attempt === attempt && entry.state === "sending")
      throw new Error("the network is down");
  };
  store.beforeWrite(cannotRenew);
  return { ...client, store, task, respond: response.resolve, id, cannotRenew };
}

/** A promise with its own resolve function, to hold a step. */
export const gate = <T = void>(): PromiseWithResolvers<T> => Promise.withResolvers<T>();
