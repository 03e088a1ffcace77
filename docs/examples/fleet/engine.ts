import type { GenerationStore, MediaGen } from "@mediagen/sdk/node";
import { within } from "./health.ts";
import { log } from "./log.ts";
import { findMistakes, type Order, type UnknownOrder } from "./order.ts";
import type { Settings } from "./settings.ts";
import type { StepOptions } from "./steps.ts";

/** A queue with its server. The programs know only this of BullMQ or pg-boss. */
export interface Engine {
  readonly store: GenerationStore;
  /** Adds orders, if the ids and the forms of all of them are valid. */
  submit(orders: readonly Order[]): Promise<void>;
  /** Starts a worker. */
  work(options: StepOptions): Promise<Work>;
  /** Returns the orders of unknown outcome. */
  unknown(): Promise<readonly UnknownOrder[]>;
  /** Settles an order of unknown outcome by its task at the service, or by none, and runs it again. */
  settle(media: MediaGen, id: string, taskid: string | undefined): Promise<void>;
  /** Returns the orders and checks that are not run again by themselves. */
  failed(): Promise<readonly FailedStep[]>;
  /** Runs the failed steps of an order again. Returns false if it has none. */
  retry(id: string): Promise<boolean>;
  /** Returns the number of jobs in each queue, by state. */
  depths(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>>;
  /** Returns whether the credits are out, and orders wait until one of them is accepted again. */
  isPaused(): Promise<boolean>;
  /** Rejects if the queue's server cannot be reached. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** A worker of an engine. */
export interface Work {
  /** Pauses all workers for a time: the service has returned HTTP 429. */
  throttle(ms: number): Promise<unknown>;
  /** Takes no more jobs, and resolves when those in flight have ended. */
  stop(): Promise<unknown>;
}

/** A step that is not run again by itself. */
export interface FailedStep {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
}

/** Connects to the queue of the settings. Only its packages have to be installed. */
export async function openEngine(settings: Settings): Promise<Engine> {
  const isRedis = settings.queueUrl.startsWith("redis");
  const { open } = isRedis ? await import("./bullmq.ts") : await import("./pg-boss.ts");
  // The text of the queue's own errors is safe to log: it contains no job.
  const engine = await open(settings, ({ name, message }) => log("error", "queue", { error: name, message }));
  // BullMQ itself would wait for Redis forever.
  await within(10_000, engine.ping()).catch((cause: unknown) => {
    throw new Error(`The queue's server ${new URL(settings.queueUrl).host} does not respond.`, { cause });
  });
  return {
    ...engine,
    async submit(orders) {
      const mistakes = findMistakes(orders);
      if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
      await engine.submit(orders);
    },
  };
}
