import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import type { Emit } from "../errors/emit.ts";
import type { Failures } from "../errors/failures.ts";
import { ServiceError } from "../errors/response-errors.ts";
import { describeValue, invalid, type Issue } from "../errors/issue.ts";
import { messageIn } from "../errors/last-record.ts";
import { rememberContext, type ResultContext } from "../result/context.ts";
import { isObject } from "../spec/is-object.ts";
import { withoutUndefined } from "../spec/without-undefined.ts";
import type { Kind } from "../spec/operation.ts";
import { codes, kinds, operations } from "../spec/operations.gen.ts";
import type {
  RequestOptions,
  Check,
  DeleteFields,
  Deletions,
  PartialResult,
  Records,
  State,
  Task,
  TaskJSON,
  WaitOptions,
} from "../task/task.ts";
import { settlingMs } from "../wait/pace.ts";
import { readState, type StateOptions } from "../wait/state.ts";
import type { Suspicion } from "../wait/suspicion.ts";
import { type RecordedCheck, waitFor, type WaitHost } from "../wait/wait.ts";
import type { LazyLimits } from "./limits.ts";
import type { Tasks } from "./tasks.ts";

/** Dependencies of `TaskHandle`. */
export interface TaskHost extends WaitHost {
  readonly emit: Emit;
  readonly failures: Failures;
  /** Dependencies of fetching results. The key is for the service alone, so it is not sent. */
  readonly results: ResultContext;
  readonly tasks: Tasks;
  readonly states: StateOptions;
  readonly suspicion: Suspicion;
  readonly limits: LazyLimits | undefined;
}

/** The handle of a task: its data, and its methods on a client. */
export class TaskHandle<out K extends Kind = Kind> implements Task<K> {
  declare readonly kind: K;
  declare readonly taskid: string;
  declare readonly model: string | undefined;
  declare readonly origin: string;
  declare readonly resultCount: number;
  declare readonly createdAt: number | undefined;
  declare readonly initialUrl: string | undefined;
  declare readonly generationId: string | undefined;
  declare readonly requestId: string | undefined;
  #record: Records[K] | undefined;
  #partial: PartialResult | undefined;
  #isDeleted = false;
  /** Whether its end was emitted, however often it is checked. */
  #hasEnded = false;
  readonly #host: TaskHost;

  constructor(json: Omit<TaskJSON, "version"> & { readonly kind: K }, host: TaskHost) {
    const { kind, taskid, model, origin, resultCount, createdAt, initialUrl, generationId, requestId } = json;
    // Only these: saved JSON may have others, which could replace a method.
    Object.assign(this, { kind, taskid, model, origin, resultCount, createdAt, initialUrl, generationId, requestId });
    this.#partial = json.partial;
    this.#host = host;
    rememberContext(this, host.results);
  }

  get record(): Records[K] | undefined {
    return this.#record;
  }

  check(options: RequestOptions = {}): Promise<Check<K>> {
    return this.#reported(operations[this.kind].query.id, async () => {
      try {
        const { recorded, mayHaveFailed: _, ...check } = await this.#check(options);
        await recorded;
        // The cast: only a union can say that a final state has a record.
        return check as Check<K>;
      } catch (error) {
        if (!this.#isUnsettled(error)) throw error;
        return { state: "pending", status: undefined, record: undefined, requestId: error.requestId };
      }
    });
  }

  /** Returns whether the service may not know the task yet. */
  #isUnsettled(error: unknown): error is ServiceError {
    const ageMs = this.#host.time.now() - (this.createdAt ?? -Infinity);
    const isRejection = error instanceof ServiceError && error.code === codes.failure;
    return isRejection && ageMs < settlingMs && !this.#isDeleted;
  }

  async #check(options: RequestOptions, pollTimeoutMs?: number): Promise<RecordedCheck<K>> {
    const { tasks, states } = this.#host;
    const { record, response } = await tasks.query(this, options, pollTimeoutMs);
    const raw: unknown = (record as object as Record<string, unknown>)[operations[this.kind].statusField];
    const status = typeof raw === "number" ? raw : undefined;
    const { state, partial, isKnown } = readState(record, status, this.resultCount, this.#partial, states);
    this.#record = record;
    this.#partial = partial;
    const mayHaveFailed = state === "pending" && !isKnown && this.#mayHaveFailed(status, messageIn(record));
    const requestId = response.requestId?.();
    return { state, status, record, requestId, mayHaveFailed, recorded: this.#end(state, status, options.signal) };
  }

  #mayHaveFailed(status: number | undefined, message: string): boolean {
    const { emit, suspicion, time } = this.#host;
    if (status === undefined || !suspicion.check(this, status, message)) return false;
    const { kind, model, taskid } = this;
    if (suspicion.isNew(status))
      emit("taskMayHaveFailed", () => ({ kind, model, taskid, status, message, at: time.now() }));
    return true;
  }

  async #end(state: State, status: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (state === "pending" || this.#hasEnded) return;
    this.#hasEnded = true;
    const { emit, limits, tasks, time } = this.#host;
    limits?.loaded()?.ended(this);
    const { kind, model, taskid, createdAt } = this;
    const at = time.now();
    const durationMs = createdAt && Math.round(at - createdAt);
    emit("settled", () => ({ kind, model, taskid, state, status, at, durationMs }));
    if (this.generationId === undefined) return;
    await tasks.writeToStore((recording) => recording.end(this.toJSON(), state), signal);
  }

  wait(options: WaitOptions<K> = {}): Promise<Records[K]> {
    return this.#reported("wait", () => {
      const wait = this.waitSilently(options);
      this.#host.limits?.loaded()?.waited(this, wait);
      return wait;
    });
  }

  /** Waits without emitting errors. */
  waitSilently(options: WaitOptions<K>): Promise<Records[K]> {
    const check = (signal: AbortSignal, pollTimeoutMs: number) => this.#check({ signal }, pollTimeoutMs);
    return waitFor(this, check, options, this.#host);
  }

  delete(options: DeleteFields[K] & RequestOptions = {}): Promise<Deletions[K]> {
    const { id } = operations[this.kind].delete;
    return this.#reported(id, async () => {
      const deletion = await this.#host.tasks.delete(this.kind, [this.taskid], options);
      this.#isDeleted = true;
      return deletion;
    });
  }

  #reported<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const { kind, model, taskid, generationId } = this;
    return this.#host.failures.report({ operation, kind, model, taskid, generationId }, run);
  }

  toJSON(): TaskJSON {
    const { kind, taskid, origin, resultCount, model, createdAt, initialUrl, generationId, requestId } = this;
    const known = { model, createdAt, initialUrl, generationId, requestId, partial: this.#partial };
    return { version: 2, kind, taskid, origin, resultCount, ...withoutUndefined(known) };
  }
}

/** Returns a saved task if it is complete and of this origin; rejects it otherwise. */
export function readTask(saved: TaskJSON, origin: string): TaskJSON {
  if (!isObject(saved) || saved instanceof Promise) {
    const expected = "the parsed JSON of a task (for an id, use media.video.task or media.image.task)";
    throw invalidRequest("media.task", "saved", "wrongType", describeValue(saved), expected);
  }
  const issues: Issue[] = [];
  const expect = (field: keyof TaskJSON, holds: boolean, expected: string, problem?: string) => {
    const code = saved[field] === undefined ? "missing" : problem ? "notAllowed" : "wrongType";
    if (!holds) issues.push(invalid(field, code, describeValue(saved[field]), expected, { problem }));
  };
  expect("version", saved.version === 2, "2");
  expect("kind", kinds.includes(saved.kind), kinds.join(" or "));
  expect("taskid", typeof saved.taskid === "string" && saved.taskid !== "", "a task id");
  expect("resultCount", Number.isSafeInteger(saved.resultCount) && saved.resultCount > 0, "a whole number, at least 1");
  expect(
    "createdAt",
    saved.createdAt === undefined || Number.isFinite(saved.createdAt),
    "a time in milliseconds, or nothing",
  );
  for (const field of ["model", "initialUrl", "requestId", "generationId"] as const)
    expect(field, saved[field] === undefined || typeof saved[field] === "string", "text, or nothing");
  expect(
    "partial",
    saved.partial === undefined || saved.partial.count < saved.resultCount,
    "fewer results than requested, or nothing",
  );
  expect(
    "origin",
    saved.origin === origin,
    `${origin}, this client's origin (change it if both reach the same service)`,
    saved.origin && `${describeValue(saved.origin)} is not that of this client`,
  );
  rejectIssues("task", issues);
  return saved;
}
