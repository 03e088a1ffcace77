import {
  download,
  InsufficientCreditsError,
  InvalidRequestError,
  type MediaGen,
  MediaGenError,
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
  readonly outcome: "begun" | GenerateResult["outcome"] | CheckResult["state"] | "again" | "stopped" | "threw";
  /** The error of the step. */
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

/** The result of a generation. A step that is safe to repeat, and may succeed later, throws instead. */
export type GenerateResult =
  | { readonly outcome: "created"; readonly task: TaskJSON }
  | { readonly outcome: "creditsOut" | "rejected" | "unknown"; readonly reason: string };

/** The result of a check. */
export type CheckResult =
  | { readonly state: "pending"; readonly task: TaskJSON; readonly afterMs: number }
  | { readonly state: "succeeded" | "failed" | "overdue" };

/** The age of an unfinished task at which a person has to look at it. */
const maxAgeMs = 30 * 60_000;

/** Reads what becomes of an order from the error of its generation; undefined for an error of your own code. */
export function failureOf(error: unknown): "again" | "creditsOut" | "rejected" | "unknown" | undefined {
  if (!MediaGenError.is(error)) return undefined;
  // The form is not valid, or an earlier order had the same id and another form.
  if (error instanceof InvalidRequestError) return "rejected";
  if (error.billed !== "no") return "unknown";
  if (error instanceof InsufficientCreditsError) return "creditsOut";
  return error.isRetryable ? "again" : "rejected";
}

/** Creates the two steps of a worker, which do the same on every queue. */
export function createSteps({ media, directory, stop, onStep = () => undefined }: StepOptions) {
  const reportOf =
    (step: StepReport["step"], order: string) =>
    (outcome: StepReport["outcome"], error?: unknown): void =>
      onStep({ step, order, outcome, error });

  return {
    /** Generates an order once, however often it is called. */
    async generate(order: Order): Promise<GenerateResult> {
      const report = reportOf("generate", order.id);
      report("begun");
      try {
        const options = { idempotencyKey: order.id, signal: stop?.generate };
        const task = await media.generate(order.model, order.form, options);
        report("created");
        return { outcome: "created", task: task.toJSON() };
      } catch (error) {
        const outcome = failureOf(error);
        // Once a byte has left, an abort is an outcome: unknown. The signal's reason is only thrown if nothing was sent.
        report(outcome ?? (stop?.generate.aborted ? "stopped" : "threw"), error);
        if (!outcome || outcome === "again") throw error;
        return { outcome, reason: String(error) };
      }
    },

    /** Checks an order's task once, and downloads its results if there are any. */
    async check(order: string, saved: TaskJSON): Promise<CheckResult> {
      const report = reportOf("check", order);
      const isOld = Date.now() - (saved.createdAt ?? 0) >= maxAgeMs;
      report("begun");
      try {
        const task = media.task(saved);
        const options = { signal: stop?.check };
        const { state, afterMs } = await task.check(options);
        if (state === "succeeded") await download(task, `${directory}/${order}`, { ...options, overwrite: true });
        report(state === "pending" && isOld ? "overdue" : state);
        if (state !== "pending") return { state };
        return isOld ? { state: "overdue" } : { state, task: task.toJSON(), afterMs };
      } catch (error) {
        // The service responds, and does not give the task: it may have been deleted.
        const isOverdue = error instanceof ServiceError && error.code !== undefined && isOld;
        report(isOverdue ? "overdue" : stop?.check.aborted ? "stopped" : "threw", error);
        if (isOverdue) return { state: "overdue" };
        throw error;
      }
    },
  };
}
