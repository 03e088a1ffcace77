import { checkNumbers } from "../errors/check-numbers.ts";
import { BudgetError, ConnectionError, InvalidRequestError, StoreError } from "../errors/errors.ts";
import { InsufficientCreditsError, OutcomeUnknownError, ServiceError } from "../errors/response-errors.ts";
import type { Form, Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { CallOptions, Records, Task, TaskJSON } from "../task/task.ts";
import { Durations, worthOfQueryMs } from "../wait/durations.ts";
import type { GenerateOptions, MediaGen } from "./media-gen.ts";

/** How to generate as a step of a queue. */
export interface GenerateStepOptions extends GenerateOptions {
  /** The key of the order. It keeps an order from being generated twice, however often the queue runs the step. */
  readonly idempotencyKey: string;
}

/** There is a task, of this step or of an earlier one: check it. */
export interface StepCreated {
  /** How the step ended. */
  readonly outcome: "created";
  /** The task, for `media.task`. */
  readonly task: TaskJSON;
  /** After how long to check it, in milliseconds. */
  readonly afterMs: number;
}

/** There may be a task: set the order aside for a person. It is never sent until `media.resolve` settles it. */
export interface StepUnknown {
  /** How the step ended. */
  readonly outcome: "unknown";
  /** What is known of it. */
  readonly reason: string;
  /** The id of the generation, for `media.resolve`. */
  readonly generationId: string | undefined;
}

/** It was not sent, or turned away by HTTP 429: run the step again. */
export interface StepAgain {
  /** How the step ended. */
  readonly outcome: "again";
  /** What went wrong. */
  readonly reason: string;
  /** After how long to run it again, in milliseconds. */
  readonly afterMs: number;
}

/** Nothing was created, and the step alone cannot change that. */
export interface StepNotCreated {
  /**
   * `creditsOut`: the balance or the client's budget does not cover it. It may run again when there are credits, or by another
   * client. `rejected`: the form is not valid, or the service rejected it, as it would again.
   */
  readonly outcome: "creditsOut" | "rejected";
  /** What the service or the check of the form said. */
  readonly reason: string;
}

/** What follows a generate step, by `outcome`, as plain JSON. */
export type GenerateStep = StepCreated | StepUnknown | StepAgain | StepNotCreated;

/** How to check as a step of a queue. */
export interface CheckStepOptions extends CallOptions {
  /**
   * How old a task may become, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * Returns the present time in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** The task is not finished: check it again. */
export interface StepPending {
  /** There are no results yet, or not all. */
  readonly state: "pending";
  /** The task with what the check has learned. */
  readonly task: TaskJSON;
  /** After how long to check it, in milliseconds. */
  readonly afterMs: number;
}

/** There is no reason to check the task again. */
export type StepEnded<K extends Kind = Kind> =
  | {
      /** How the task has ended. */
      readonly state: "succeeded" | "failed";
      /** The record that says so. */
      readonly record: Records[K];
    }
  | {
      /** The task is unfinished and older than it may become. It is not lost: a later check may see its results. */
      readonly state: "overdue";
      /** The last record; undefined if the service does not know the task yet. */
      readonly record: Records[K] | undefined;
    };

/** What follows a check step, by `state`, as plain JSON. */
export type CheckStep<K extends Kind = Kind> = StepPending | StepEnded<K>;

/** After how long to try again if the service was not reached or did not say. */
const againMs = 5_000;

/**
 * Generates as a step of a queue that may run any step twice, and returns what follows. It stands on the client's store and does
 * not sleep beyond the client's own `retries`, unless another worker is sending the same order.
 *
 * @throws {@link InvalidRequestError} the client has no store
 * @throws what `beforeGenerate` or the signal throws before anything was sent
 *
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
    const task = await media.generate(model, form, options);
    return { outcome: "created", task: task.toJSON(), afterMs: nextCheckMs(0) };
  } catch (error) {
    return afterFailure(error);
  }
}

/**
 * Checks a task once as a step of a queue, and returns what follows. The older a task is, the later its next check.
 *
 * @throws {@link ServiceError} the service rejected the query
 * @throws {@link ConnectionError} there was no complete response; it is safe to run the step again
 * @throws {@link InvalidRequestError} `maxAgeMs` is no time
 *
 * @example
 * const step = await checkStep(media.task(job.data));
 * if (step.state === "pending") await queue.add("check", step.task, { delay: step.afterMs });
 */
export async function checkStep<K extends Kind>(task: Task<K>, options: CheckStepOptions = {}): Promise<CheckStep<K>> {
  const { signal, now = Date.now, maxAgeMs = 30 * 60_000 } = options;
  checkNumbers("checkStep", { maxAgeMs }, ["maxAgeMs"]);
  const { state, record } = await task.check({ signal });
  if (state !== "pending") return { state, record };
  // A task that a person found is as old as its first check; otherwise it would stay young for ever.
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

/** What follows an error of a generation. */
function afterFailure(error: unknown): GenerateStep {
  if (error instanceof OutcomeUnknownError) {
    return { outcome: "unknown", reason: error.message, generationId: error.generationId };
  }
  if (!(error instanceof Error)) throw error;
  const { message: reason } = error;
  if (error instanceof InsufficientCreditsError || error instanceof BudgetError)
    return { outcome: "creditsOut", reason };
  if (error instanceof ServiceError && error.status === 429) {
    return { outcome: "again", reason, afterMs: error.retryAfterMs ?? againMs };
  }
  if (error instanceof StoreError && error.taskMayExist) return { outcome: "unknown", reason, generationId: undefined };
  if (error instanceof ConnectionError || error instanceof StoreError)
    return { outcome: "again", reason, afterMs: againMs };
  const isMistake =
    error instanceof InvalidRequestError && error.issues.some(({ field }) => field === "idempotencyKey");
  if (error instanceof ServiceError || (error instanceof InvalidRequestError && !isMistake))
    return { outcome: "rejected", reason };
  throw error;
}
