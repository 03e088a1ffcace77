import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, type Issue } from "../errors/issue.ts";
import type { ResultContext } from "../result/copy.ts";
import { rememberContext, sourcesOf } from "../result/sources.ts";
import { type Kind, kinds } from "../spec/operation.ts";
import type {
  CallOptions,
  Check,
  Created,
  DeleteFields,
  Deletions,
  PartialResult,
  Records,
  ResultOptions,
  Task,
  TaskJSON,
  WaitOptions,
} from "../task/task.ts";
import { waitFor, type WaitHost } from "../wait/wait.ts";

/** What a task needs of its client. */
export interface TaskHost extends WaitHost {
  /** How results are fetched; the key is for the service alone, so it is not sent. */
  readonly results: ResultContext;
  check<K extends Kind>(
    task: Task<K>,
    partial: PartialResult | undefined,
    options: CallOptions & { readonly patienceMs?: number },
  ): Promise<Check<K> & { readonly partial: PartialResult | undefined }>;
  delete<K extends Kind>(
    kind: K,
    taskids: readonly string[],
    options: DeleteFields[K] & CallOptions,
  ): Promise<Deletions[K]>;
}

/** The handle of a task: its data, and its verbs on a client. */
export class TaskHandle<out K extends Kind = Kind> implements Task<K> {
  readonly kind: K;
  readonly taskid: string;
  readonly model: string | undefined;
  readonly origin: string;
  readonly results: number;
  readonly createdAt: number | undefined;
  readonly created: Created | undefined;
  #record: Records[K] | undefined;
  #partial: PartialResult | undefined;
  readonly #host: TaskHost;

  constructor(json: Omit<TaskJSON, "version"> & { readonly kind: K }, host: TaskHost) {
    this.kind = json.kind;
    this.taskid = json.taskid;
    this.model = json.model;
    this.origin = json.origin;
    this.results = json.results;
    this.createdAt = json.createdAt;
    this.created = json.created;
    this.#partial = json.partial;
    this.#host = host;
    rememberContext(this, host.results);
  }

  get record(): Records[K] | undefined {
    return this.#record;
  }

  check(options: CallOptions = {}): Promise<Check<K>> {
    const { signal } = options;
    return this.#check({ signal });
  }

  async #check(options: CallOptions & { readonly patienceMs?: number }): Promise<Check<K>> {
    const { partial, ...check } = await this.#host.check(this, this.#partial, options);
    this.#partial = partial;
    this.#record = check.record;
    return check;
  }

  wait(options: WaitOptions<K> = {}): Promise<Records[K]> {
    return waitFor(this, (signal, patienceMs) => this.#check({ signal, patienceMs }), options, this.#host);
  }

  async blobs(options: ResultOptions = {}): Promise<readonly Blob[]> {
    const sources = await sourcesOf(this, options.signal);
    // Only who fetches results loads what it takes.
    const { readBlobs } = await import("../result/blobs.ts");
    return readBlobs(sources, this.#host.results, options);
  }

  delete(options: DeleteFields[K] & CallOptions = {}): Promise<Deletions[K]> {
    return this.#host.delete(this.kind, [this.taskid], options);
  }

  toJSON(): TaskJSON {
    const { kind, taskid, origin, results, model, createdAt, created } = this;
    const partial = this.#partial;
    return {
      version: 1,
      kind,
      taskid,
      origin,
      results,
      ...(model === undefined ? {} : { model }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(created === undefined ? {} : { created }),
      ...(partial === undefined ? {} : { partial }),
    };
  }
}

/** What was saved of a task, if it is whole and of this origin. */
export function readTask(saved: TaskJSON, origin: string): TaskJSON {
  const issues: Issue[] = [];
  const expect = (field: keyof TaskJSON, holds: boolean, allowed: string) => {
    if (!holds) issues.push({ field, got: describeValue(saved?.[field]), allowed });
  };
  expect("version", saved?.version === 1, "1");
  expect("kind", kinds.includes(saved?.kind), kinds.join(" or "));
  expect("taskid", typeof saved?.taskid === "string" && saved.taskid !== "", "a task id");
  expect("results", Number.isSafeInteger(saved?.results) && saved.results > 0, "a whole number, at least 1");
  expect("model", saved?.model === undefined || typeof saved.model === "string", "a model, or nothing");
  expect(
    "createdAt",
    saved?.createdAt === undefined || Number.isFinite(saved.createdAt),
    "a time in milliseconds, or nothing",
  );
  expect(
    "created",
    saved?.created === undefined || typeof saved.created.taskid === "string",
    "what the generation answered, or nothing",
  );
  expect(
    "partial",
    saved?.partial === undefined || saved.partial.count < saved.results,
    "fewer results than asked for, or nothing",
  );
  expect(
    "origin",
    saved?.origin === origin,
    `${origin}, this client's origin (change it if both reach the same service)`,
  );
  if (issues.length > 0) throw new InvalidRequestError("task: this is no task of this client", issues);
  return saved;
}
