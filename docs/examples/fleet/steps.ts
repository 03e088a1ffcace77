import {
  checkStep,
  download,
  generateStep,
  type GenerateStep,
  InvalidRequestError,
  type MediaGen,
  ServiceError,
  type TaskJSON,
} from "@mediagen/sdk/node";
import type { Order } from "./order.ts";

/** The signals that end the steps of a worker that has to end. */
export interface StopSignals {
  /** Aborts checks and downloads: they are safe to repeat. */
  readonly check: AbortSignal;
  /** Aborts generations. One that is being sent then is of unknown outcome. */
  readonly generate: AbortSignal;
}

/** A step that begins, or has ended with an outcome: for metrics and the log. */
export interface StepReport {
  readonly step: "generate" | "check";
  /** The id of the order. */
  readonly order: string;
  readonly outcome: "begun" | GenerateStep["outcome"] | CheckResult["state"] | "stopped" | "threw";
  /** The error that a step threw. The step is run again. */
  readonly error?: unknown;
}

/** Options of `createSteps`. */
export interface StepOptions {
  readonly media: MediaGen;
  /** The directory for results, with one for each order in it. */
  readonly directory: string;
  readonly stop?: StopSignals | undefined;
  readonly onStep?: ((report: StepReport) => void) | undefined;
}

/** The result of a check. */
export type CheckResult =
  | { readonly state: "pending"; readonly task: TaskJSON; readonly afterMs: number }
  | { readonly state: "succeeded" | "failed" | "overdue" };

/** The age of an unfinished task at which a person has to look at it. */
const maxAgeMs = 30 * 60_000;
/** The worker ended before anything was sent: another one takes the order. */
const notSent: GenerateStep = { outcome: "again", reason: "the worker ended before it sent the order", afterMs: 0 };

/** Creates the two steps of a worker, which do the same on every queue. */
export function createSteps({ media, directory, stop, onStep = () => undefined }: StepOptions) {
  return {
    /** Generates an order once, however often it is called. */
    async generate(order: Order): Promise<GenerateStep> {
      const report = (outcome: StepReport["outcome"], error?: unknown) =>
        onStep({ step: "generate", order: order.id, outcome, error });
      const options = { idempotencyKey: order.id, signal: stop?.generate };
      report("begun");
      try {
        const step = await generateStep(media, order.model, order.form, options);
        report(step.outcome);
        return step;
      } catch (error) {
        // Once a byte has left, an abort is an outcome: unknown. It only throws if nothing was sent.
        const isStopped = stop?.generate.aborted && error === stop.generate.reason;
        // An earlier order had the same id and another form.
        const isMistake = error instanceof InvalidRequestError;
        report(isStopped ? "stopped" : isMistake ? "rejected" : "threw", error);
        if (isStopped) return notSent;
        if (isMistake) return { outcome: "rejected", reason: error.message };
        throw error;
      }
    },

    /** Checks an order's task once, and downloads its results if there are any. */
    async check(order: string, saved: TaskJSON): Promise<CheckResult> {
      const report = (outcome: StepReport["outcome"], error?: unknown) =>
        onStep({ step: "check", order, outcome, error });
      const options = { signal: stop?.check };
      const ageMs = Date.now() - (saved.createdAt ?? Date.now());
      report("begun");
      try {
        const task = media.task(saved);
        const step = await checkStep(task, { ...options, maxAgeMs });
        if (step.state === "succeeded") await download(task, `${directory}/${order}`, { ...options, overwrite: true });
        report(step.state);
        return step;
      } catch (error) {
        // The service responds, and does not give the task: it may have been deleted.
        const isOverdue = error instanceof ServiceError && error.code !== undefined && ageMs >= maxAgeMs;
        report(stop?.check.aborted ? "stopped" : isOverdue ? "overdue" : "threw", error);
        if (stop?.check.aborted) return { state: "pending", task: saved, afterMs: 0 };
        if (isOverdue) return { state: "overdue" };
        throw error;
      }
    },
  };
}
