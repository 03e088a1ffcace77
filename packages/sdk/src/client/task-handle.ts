import { InvalidRequestError, invalidRequest } from "../errors/errors.ts";
import { ServiceError } from "../errors/response-errors.ts";
import type { Failures } from "../errors/failures.ts";
import { describeValue, invalid, type Issue } from "../errors/issue.ts";
import { rememberContext, type ResultContext } from "../result/context.ts";
import { isObject } from "../spec/is-object.ts";
import type { Kind } from "../spec/operation.ts";
import { codes, kinds, operations } from "../spec/operations.gen.ts";
import type {
  RequestOptions,
  Check,
  DeleteFields,
  Deletions,
  PartialResult,
  Records,
  Task,
  TaskJSON,
  WaitOptions,
} from "../task/task.ts";
import { settlingMs } from "../wait/pace.ts";
import { type RecordedCheck, waitFor, type WaitHost } from "../wait/wait.ts";
import type { LazyLimits } from "./limits.ts";

/** What a check by the client has found out, and what the task has to remember of it. */
export type CheckOfClient<K extends Kind> = RecordedCheck<K> & { readonly partial: PartialResult | undefined };

/** What a task needs of its client. */
export interface TaskHost extends WaitHost {
  /** How results are fetched; the key is for the service alone, so it is not sent. */
  readonly results: ResultContext;
  readonly failures: Failures;
  readonly limits: LazyLimits | undefined;
  check<K extends Kind>(
    task: Task<K>,
    partial: PartialResult | undefined,
    options: RequestOptions & { readonly patienceMs?: number },
  ): Promise<CheckOfClient<K>>;
  delete<K extends Kind>(
    kind: K,
    taskids: readonly string[],
    options: DeleteFields[K] & RequestOptions,
  ): Promise<Deletions[K]>;
}

/** The handle of a task: its data, and its verbs on a client. */
export class TaskHandle<out K extends Kind = Kind> implements Task<K> {
  readonly kind: K;
  readonly taskid: string;
  readonly model: string | undefined;
  readonly origin: string;
  readonly resultCount: number;
  readonly createdAt: number | undefined;
  readonly initialUrl: string | undefined;
  readonly generationId: string | undefined;
  readonly requestId: string | undefined;
  #record: Records[K] | undefined;
  #partial: PartialResult | undefined;
  #isDeleted = false;
  readonly #host: TaskHost;

  constructor(json: Omit<TaskJSON, "version"> & { readonly kind: K }, host: TaskHost) {
    this.kind = json.kind;
    this.taskid = json.taskid;
    this.model = json.model;
    this.origin = json.origin;
    this.resultCount = json.resultCount;
    this.createdAt = json.createdAt;
    this.initialUrl = json.initialUrl;
    this.generationId = json.generationId;
    this.requestId = json.requestId;
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
        const { recorded, ...check } = await this.#check(options);
        await recorded;
        // The cast: only a union can say that what is final has a record.
        return check as Check<K>;
      } catch (error) {
        if (!this.#isUnsettled(error)) throw error;
        return { state: "pending", status: undefined, record: undefined, requestId: error.requestId };
      }
    });
  }

  /** Whether the service may not know the task yet. */
  #isUnsettled(error: unknown): error is ServiceError {
    const ageMs = this.#host.now() - (this.createdAt ?? -Infinity);
    const isRejection = error instanceof ServiceError && error.code === codes.failure;
    return isRejection && ageMs < settlingMs && !this.#isDeleted;
  }

  async #check(options: RequestOptions & { readonly patienceMs?: number }): Promise<RecordedCheck<K>> {
    const { partial, ...check } = await this.#host.check(this, this.#partial, options);
    this.#partial = partial;
    this.#record = check.record;
    return check;
  }

  wait(options: WaitOptions<K> = {}): Promise<Records[K]> {
    return this.#reported("wait", () => {
      const wait = this.poll(options);
      this.#host.limits?.loaded()?.waited(this, wait);
      return wait;
    });
  }

  /** Waits without emitting what that rejects with. */
  poll(options: WaitOptions<K>): Promise<Records[K]> {
    const check = (signal: AbortSignal, patienceMs: number) => this.#check({ signal, patienceMs });
    return waitFor(this, check, options, this.#host);
  }

  delete(options: DeleteFields[K] & RequestOptions = {}): Promise<Deletions[K]> {
    const { id } = operations[this.kind].delete;
    return this.#reported(id, async () => {
      const deletion = await this.#host.delete(this.kind, [this.taskid], options);
      this.#isDeleted = true;
      return deletion;
    });
  }

  #reported<T>(operation: string, run: () => Promise<T>): Promise<T> {
    const { kind, model, taskid, generationId } = this;
    return this.#host.failures.of({ operation, kind, model, taskid, generationId }, run);
  }

  toJSON(): TaskJSON {
    const { kind, taskid, origin, resultCount, model, createdAt, initialUrl, generationId, requestId } = this;
    const partial = this.#partial;
    return {
      version: 2,
      kind,
      taskid,
      origin,
      resultCount,
      ...(model === undefined ? {} : { model }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(initialUrl === undefined ? {} : { initialUrl }),
      ...(generationId === undefined ? {} : { generationId }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(partial === undefined ? {} : { partial }),
    };
  }
}

/** Returns what was saved of a task, if it is complete and of this origin. */
export function readTask(saved: TaskJSON, origin: string): TaskJSON {
  if (!isObject(saved) || saved instanceof Promise) {
    const expected = "the parsed JSON of a task (for an id, use media.video.task or media.image.task)";
    throw invalidRequest("media.task", "saved", "wrongType", describeValue(saved), expected);
  }
  const issues: Issue[] = [];
  const expect = (field: keyof TaskJSON, holds: boolean, expected: string, problem?: string) => {
    const code = saved[field] === undefined ? "missing" : problem ? "notAllowed" : "wrongType";
    if (!holds) issues.push(invalid(field, code, describeValue(saved[field]), expected, problem ? { problem } : {}));
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
    "fewer results than asked for, or nothing",
  );
  expect(
    "origin",
    saved.origin === origin,
    `${origin}, this client's origin (change it if both reach the same service)`,
    saved.origin && `${describeValue(saved.origin)} is not that of this client`,
  );
  if (issues.length > 0) throw new InvalidRequestError("task", issues);
  return saved;
}
