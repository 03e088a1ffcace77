import type { GenerateOptions, KindClient, MediaGen } from "../client/client.ts";
import {
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  messageOf,
  OutcomeUnknownError,
  ServiceError,
} from "../errors/errors.ts";
import { type Form, kindOf, type Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import type { CallOptions, Check, Records, Task, TaskJSON } from "../task/task.ts";
import { createDurations, worthOfQueryMs } from "../wait/durations.ts";
import { timeoutOf } from "../wait/wait.ts";

/**
 * The mark of one order, in a store that all workers share and that outlives them: some lines on the store of the queue. It is
 * what keeps an order from being generated twice, however often the queue hands it out.
 */
export interface GenerationMark {
  /**
   * Sets the mark where there is none, in one act, and answers what was there before: nothing, `"begun"`, or the task that was
   * kept. Of any number of calls for one order, one alone may answer nothing.
   */
  begin(): Promise<"begun" | TaskJSON | undefined>;
  /** Keeps the task at the mark. */
  keep(task: TaskJSON): Promise<void>;
  /** Takes the mark away, in one act, unless it keeps a task: a step that was overtaken must not clear what another one has paid for. */
  clear(): Promise<void>;
}

/** How to generate as a step of a queue. */
export interface GenerateStepOptions extends Omit<GenerateOptions, "once"> {
  /** The mark of the order, in the store that all workers share. */
  readonly mark: GenerationMark;
}

/** There is a task, of this step or of one before it: check it. */
export interface StepCreated {
  /** The mark has the task. */
  readonly outcome: "created";
  /** The task, for `media.task`. */
  readonly task: TaskJSON;
  /** After how long to check it, in milliseconds. */
  readonly afterMs: number;
}

/** There may be a task: set the order aside for a person. It is never sent while its mark is there. */
export interface StepUnknown {
  /** The mark stays. */
  readonly outcome: "unknown";
  /** What is known of it. */
  readonly why: string;
}

/** It was not sent, or turned away by HTTP 429: run the step again. */
export interface StepAgain {
  /** The mark is taken away. */
  readonly outcome: "again";
  /** What went wrong. */
  readonly why: string;
  /** After how long to run it again, in milliseconds. */
  readonly afterMs: number;
}

/** Nothing was created, and the step alone cannot change that. */
export interface StepNotCreated {
  /**
   * The balance does not cover it, so that it may run again when there are credits; or the form is wrong or the service refused it,
   * as it would again. The mark is taken away.
   */
  readonly outcome: "creditsOut" | "refused";
  /** What the service or the check of the form said. */
  readonly why: string;
}

/** What comes after a generate step, by `outcome`, as plain JSON. */
export type GenerateStep = StepCreated | StepUnknown | StepAgain | StepNotCreated;

/** How to check as a step of a queue. */
export interface CheckStepOptions extends CallOptions {
  /**
   * How old a task may become, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How much delay of a result one query is worth, in milliseconds: four times as much makes half as many queries.
   * @default 85
   */
  readonly worthOfQueryMs?: number | undefined;
  /**
   * The present time in milliseconds since 1970.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** The task is not finished: check it again. */
export interface StepPending {
  /** There are no results yet, or not all. */
  readonly state: "pending";
  /** What the task is now: it holds what the check has learned. */
  readonly task: TaskJSON;
  /** After how long to check it, in milliseconds. */
  readonly afterMs: number;
}

/** There is no reason to check the task again. */
export interface StepEnded<K extends Kind = Kind> {
  /** `overdue` is a task that is older than it may become and not finished. It is not lost: a later check may see its results. */
  readonly state: "succeeded" | "failed" | "overdue";
  /** The record that says so. */
  readonly record: Records[K];
}

/** What comes after a check step, by `state`, as plain JSON. */
export type CheckStep<K extends Kind = Kind> = StepPending | StepEnded<K>;

/** After how long to try again where the service was not reached or did not say. */
const againMs = 5_000;

/**
 * Generates as a step of a queue that may run any step twice: it is sent only by the step that set the mark. It answers what
 * comes next and does not sleep beyond the client's own `retries`. A worker that ends in the middle leaves a mark that says so,
 * and the step that runs next answers `unknown`; if that worker was only slow, its task is at the mark later.
 *
 * @throws {@link MediaGenError} the task was created and the mark could not keep it; the message names it
 * @throws what the mark, `beforeGenerate` or the signal throws before anything was sent
 */
export async function generateStep<M extends Model>(
  media: MediaGen,
  model: M,
  form: Form<M>,
  { mark, ...options }: GenerateStepOptions,
): Promise<GenerateStep> {
  const found = await mark.begin();
  if (found === "begun") return { outcome: "unknown", why: "a worker was about to send it, and noted no answer" };
  if (found !== undefined) return created(found);
  let task: TaskJSON;
  try {
    // The cast: the model decides the kind, which the compiler cannot follow.
    const client = media[kindOf(model)] as KindClient<Kind>;
    task = (await client.generate<Model>(model, form, options)).toJSON();
  } catch (error) {
    if (error instanceof OutcomeUnknownError) return { outcome: "unknown", why: error.message };
    await mark.clear();
    return afterNothing(error);
  }
  try {
    await mark.keep(task);
  } catch (cause) {
    throw new MediaGenError(
      `the task ${task.taskid} was created and its mark could not keep it (${messageOf(cause)}). Keep it by hand.`,
      { cause },
    );
  }
  return created(task);
}

/**
 * Checks a task once as a step of a queue, and answers what comes next. The older a task is, the later its next check.
 *
 * @throws {@link ServiceError} the service refused the query
 * @throws {@link ConnectionError} there was no whole answer; running the step again is safe
 * @throws {@link InvalidRequestError} `timeoutMs` is no time
 */
export async function checkStep<K extends Kind>(task: Task<K>, options: CheckStepOptions = {}): Promise<CheckStep<K>> {
  const { signal, now = Date.now, worthOfQueryMs: worth } = options;
  const timeoutMs = timeoutOf(options);
  const { state, record }: Check<K> = await task.check({ signal });
  if (state !== "pending") return { state, record };
  // Where it is not known, as of a task that a person found, it is as old as its first check; else it would stay young for ever.
  const createdAt = task.createdAt ?? now();
  const ageMs = now() - createdAt;
  if (ageMs >= timeoutMs) return { state: "overdue", record };
  return { state, task: { ...task.toJSON(), createdAt }, afterMs: nextCheckMs(ageMs, worth) };
}

function created(task: TaskJSON): GenerateStep {
  return { outcome: "created", task, afterMs: nextCheckMs(0) };
}

function nextCheckMs(ageMs: number, worth: number = worthOfQueryMs): number {
  const age = Math.max(0, ageMs);
  // Nothing is learned here: one worker sees each task only now and then.
  const durations = createDurations();
  return Math.ceil(durations.nextQuery(age, worth) - age);
}

/** What comes next where an error proves that there is no task. */
function afterNothing(error: unknown): GenerateStep {
  if (error instanceof InsufficientCreditsError) return { outcome: "creditsOut", why: error.message };
  if (error instanceof ServiceError && error.status === 429)
    return { outcome: "again", why: error.message, afterMs: error.retryAfterMs ?? againMs };
  if (error instanceof ConnectionError) return { outcome: "again", why: error.message, afterMs: againMs };
  if (error instanceof ServiceError || error instanceof InvalidRequestError)
    return { outcome: "refused", why: error.message };
  throw error;
}
