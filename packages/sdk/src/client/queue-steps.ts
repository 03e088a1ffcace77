import { readOptions } from "../errors/read-options.ts";
import { BudgetError, ConnectionError, InvalidRequestError, invalidRequest, StoreError } from "../errors/errors.ts";
import { describeValue, nothingWasSent, returnedTask } from "../errors/issue.ts";
import { InsufficientCreditsError, OutcomeUnknownError, ServiceError } from "../errors/response-errors.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { CallOptions, Records, Task, TaskJSON } from "../task/task.ts";
import { Durations, worthOfQueryMs } from "../wait/durations.ts";
import type { GenerateOptions, MediaGen } from "./media-gen.ts";

/** Options of `generateStep`. */
export interface GenerateStepOptions extends GenerateOptions {
  /** The key of the order. An order is generated only once, however often the queue runs the step. */
  readonly idempotencyKey: string;
}

/** Result of a step: there is a task, from this run or an earlier one. Check it next. */
export interface StepCreated {
  /** The outcome of the step. */
  readonly outcome: "created";
  /** The task, for `media.task`. */
  readonly task: TaskJSON;
  /** The delay before the check, in milliseconds. */
  readonly afterMs: number;
}

/**
 * Result of a step: there may be a task. Set the order aside for a person. The order is not sent until `media.resolve`
 * settles it.
 */
export interface StepUnknown {
  /** The outcome of the step. */
  readonly outcome: "unknown";
  /** The reason why the outcome is unknown. */
  readonly reason: string;
  /** The id of the generation, for `media.resolve`. Undefined if its record could not be read. */
  readonly generationId: string | undefined;
}

/** Result of a step: the form was not sent, or was rejected with HTTP 429. Run the step again. */
export interface StepAgain {
  /** The outcome of the step. */
  readonly outcome: "again";
  /** The reason why it has to run again. */
  readonly reason: string;
  /** The delay before the next run, in milliseconds. */
  readonly afterMs: number;
}

/** Result of a step: no task was created, and running the step again does not help by itself. */
export interface StepNotCreated {
  /**
   * The outcome of the step. `creditsOut`: the balance or the client's budget does not cover the form; run it again when
   * there are credits, or with another client. `rejected`: the form is not valid, or the service rejected it and would
   * reject it again. It is also the outcome if a certificate or a proxy's rules prevent every connection.
   */
  readonly outcome: "creditsOut" | "rejected";
  /** The reason, from the service or from the check of the form. */
  readonly reason: string;
}

/** Result of `stepError`, by `outcome`, as plain JSON. */
export type StepError = StepUnknown | StepAgain | StepNotCreated;

/** Result of `generateStep`, by `outcome`, as plain JSON. */
export type GenerateStep = StepCreated | StepError;

/** Options of `checkStep`. */
export interface CheckStepOptions extends CallOptions {
  /**
   * The maximum age of a task, in milliseconds. An unfinished task that is older is `overdue`.
   * @default 1_800_000 (30 minutes)
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * The function that returns the current time, in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** Result of a check: the task is not finished. Check it again. */
export interface StepPending {
  /** The state: there are no results yet, or not all of them. */
  readonly state: "pending";
  /** The task with what the check has learned. Save it in place of the one before. */
  readonly task: TaskJSON;
  /** The delay before the next check, in milliseconds. */
  readonly afterMs: number;
}

/** Result of a check: there is no reason to check the task again. */
export type StepEnded<K extends Kind = Kind> =
  | {
      /** The final state of the task. */
      readonly state: "succeeded" | "failed";
      /** The record that the state was read from. */
      readonly record: Records[K];
    }
  | {
      /** The task is unfinished and older than `maxAgeMs`. It is not lost: a later check may find its results. */
      readonly state: "overdue";
      /** The last record; undefined if the service does not know the task yet. */
      readonly record: Records[K] | undefined;
    };

/** Result of `checkStep`, by `state`, as plain JSON. */
export type CheckStep<K extends Kind = Kind> = StepPending | StepEnded<K>;

const ofCheckStep: Readonly<Record<keyof CheckStepOptions, true>> = { signal: true, maxAgeMs: true, now: true };
const checkStepOptionNames = Object.keys(ofCheckStep);

/** The delay before another try if the service was not reached or did not request one. */
const againMs = 5_000;

/**
 * Generates as a step of a queue that may run any step twice. It needs a client with a store. It does not sleep longer
 * than the client's own `retries`, unless another worker is sending the same order.
 *
 * @param form The fields of the model's form. The compiler checks them if the model is a literal.
 * @returns What to do next: check the task, run the step again, or set the order aside. Failures that a queue can
 *   handle are outcomes, not errors.
 * @throws An {@link InvalidRequestError} if there is no key or no store, or the key was used with another form
 * @throws The error of `beforeGenerate` or the signal's reason, before anything was sent
 * @example
 * const step = await generateStep(media, order.model, order.form, { idempotencyKey: order.id });
 * if (step.outcome === "created") await queue.add("check", step.task, { delay: step.afterMs });
 */
export async function generateStep<M extends string>(
  media: MediaGen,
  model: M,
  form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
  options: GenerateStepOptions,
): Promise<GenerateStep> {
  try {
    // Without its key, each run of the step would be billed. The cast: without types, a caller may leave the options out.
    if ((options as GenerateOptions | undefined)?.idempotencyKey === undefined)
      throw invalidRequest(model, "idempotencyKey", "missing", "nothing", "the id of the order", nothingWasSent);
    const task = await media.generate(model, form, options);
    return { outcome: "created", task: task.toJSON(), afterMs: nextCheckMs(0) };
  } catch (error) {
    const step = isMistake(error) ? undefined : stepError(error);
    if (step) return step;
    throw error;
  }
}

/**
 * Checks a task once, as a step of a queue. The older a task is, the longer the delay before its next check.
 *
 * @returns What to do next: check again after a delay, or handle the end of the task.
 * @throws A {@link ServiceError} if the service rejected the query
 * @throws A {@link ConnectionError} if there was no complete response; it is safe to run the step again
 * @throws An {@link InvalidRequestError} if it is not a task, or an option is not valid
 * @example
 * const step = await checkStep(media.task(job.data));
 * if (step.state === "pending") await queue.add("check", step.task, { delay: step.afterMs });
 */
export async function checkStep<K extends Kind>(task: Task<K>, options: CheckStepOptions = {}): Promise<CheckStep<K>> {
  const { signal, now = Date.now, maxAgeMs = 30 * 60_000 } = readOptions("checkStep", options, checkStepOptionNames);
  if (typeof task?.check !== "function")
    throw invalidRequest("checkStep", "task", "wrongType", describeValue(task), returnedTask);
  const { state, record } = await task.check({ signal });
  if (state !== "pending") return { state, record };
  // A task that a person found is as old as its first check; otherwise it would stay young forever.
  const createdAt = task.createdAt ?? now();
  const ageMs = now() - createdAt;
  if (ageMs >= maxAgeMs) return { state: "overdue", record };
  return { state, task: { ...task.toJSON(), createdAt }, afterMs: nextCheckMs(ageMs) };
}

function nextCheckMs(ageMs: number): number {
  const age = Math.max(0, ageMs);
  // Nothing is learned here: one worker sees each task only now and then.
  return Math.ceil(new Durations().nextQuery(age, worthOfQueryMs) - age);
}

/**
 * Says whether a step of a workflow engine may run again after an error of `generate`. `generateStep` uses it. Call it
 * if your step calls `generate` itself.
 *
 * @param error The error that `generate` rejected with.
 * @returns What to do next: run the step again after a delay, fail it for good, or set it aside because a task may
 *   exist. Undefined for any other error, such as one of your own code. With an `idempotencyKey`, it is safe to run the
 *   step again then.
 * @example
 * try {
 *   await media.generate(order.model, order.form, { idempotencyKey: order.id });
 * } catch (error) {
 *   const next = stepError(error);
 *   if (next?.outcome !== "again") throw error;
 *   await new Promise((resolve) => setTimeout(resolve, next.afterMs));
 * }
 */
export function stepError(error: unknown): StepError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message: reason } = error;
  if (error instanceof OutcomeUnknownError) return { outcome: "unknown", reason, generationId: error.generationId };
  if (error instanceof InsufficientCreditsError || error instanceof BudgetError)
    return { outcome: "creditsOut", reason };
  if (error instanceof ServiceError && error.status === 429)
    return { outcome: "again", reason, afterMs: error.retryAfterMs ?? againMs };
  if (error instanceof StoreError && error.taskMayExist) return { outcome: "unknown", reason, generationId: undefined };
  // A retry would meet the same certificate or the same rules of a proxy.
  const { isFinal } = Object(error.cause) as { readonly isFinal?: boolean };
  if ((error instanceof ConnectionError && !isFinal) || error instanceof StoreError)
    return { outcome: "again", reason, afterMs: againMs };
  if (error instanceof ConnectionError || error instanceof ServiceError || error instanceof InvalidRequestError)
    return { outcome: "rejected", reason };
  return undefined;
}

/** Returns whether the program is wrong, not the order: there is no store, or the key was used with another form. */
export function isMistake(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.issues.some(({ field }) => field === "idempotencyKey");
}
