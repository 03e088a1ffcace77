import { InvalidRequestError } from "./errors.ts";
import { describeValue, type Issue } from "./fields.ts";
import { waitFor, type WaitHost, type WaitOptions } from "./wait.ts";
import { kinds, type Kind } from "./operation.ts";
import type { ResultContext, ResultOptions, ResultSource } from "./result.ts";
import type { PartialResult, State } from "./state.ts";
import type { ImageDeleteFields, ImageDeletion, ImageTask, VideoDeleteFields, VideoDeletion, VideoTask } from "./types.gen.ts";

/** The records of both kinds, as a query answers them. */
export interface Records {
  /** The record of a video task. */
  readonly video: VideoTask;
  /** The record of an image task. */
  readonly image: ImageTask;
}

/** What a deletion takes beside the tasks, by kind. */
export interface DeleteFields {
  /** What the deletion of video tasks takes. */
  readonly video: VideoDeleteFields;
  /** What the deletion of image tasks takes. */
  readonly image: ImageDeleteFields;
}

/** What a deletion answers, by kind. */
export interface Deletions {
  /** What the deletion of video tasks answers. */
  readonly video: VideoDeletion;
  /** What the deletion of image tasks answers. */
  readonly image: ImageDeletion;
}

/** The record of a task of either kind. */
export type TaskRecord = Records[Kind];

/** What every call takes last. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What one query told about a task. */
export interface Check<K extends Kind = Kind> {
  /** Our reading of the record. */
  readonly state: State;
  /** The raw status; what its values mean is not documented by the service. */
  readonly status: number | undefined;
  /** The record, as the service answered it. */
  readonly record: Records[K];
}

/** What a generation answered: the id, and the address where it named one. */
export interface Created {
  /** The task's id. */
  readonly taskid: string;
  /** Some models name an address at once; whether the result is there already is not documented by the service. */
  readonly url?: string;
}

/** A task as plain JSON: everything that resumes it in another process or on another machine. */
export interface TaskJSON {
  /** The version of this JSON. */
  readonly version: 1;
  /** What the task makes. */
  readonly kind: Kind;
  /** The id, as the generation answered it. */
  readonly taskid: string;
  /** The origin of the base URL that the task was generated at. */
  readonly origin: string;
  /** How many results the task's form asked for. */
  readonly results: number;
  /** The model, where this task was generated here. */
  readonly model?: string;
  /** When the task was generated, in milliseconds since 1970. */
  readonly createdAt?: number;
  /** What the generation answered. */
  readonly created?: Created;
  /** Fewer results than asked for, where the last check showed that. */
  readonly partial?: PartialResult;
}

/** What a task needs of its client. */
export interface TaskHost extends WaitHost {
  /** How results are fetched; the key is for the service alone, so it is not sent. */
  readonly results: ResultContext;
  check<K extends Kind>(
    task: Task<K>,
    partial: PartialResult | undefined,
    options: CallOptions & { readonly patienceMs?: number },
  ): Promise<Check<K> & { readonly partial: PartialResult | undefined }>;
  delete<K extends Kind>(kind: K, taskids: readonly string[], options: DeleteFields[K] & CallOptions): Promise<Deletions[K]>;
}

const contexts = new WeakMap<Task, ResultContext>();

/** How a task's results are fetched. */
export function resultContextOf(task: Task): ResultContext {
  const context = contexts.get(task);
  if (!context) throw new TypeError("this is no task of a client's");
  return context;
}

/** The results of a task, by its last record or one check. */
export async function sourcesOf(task: Task, signal: AbortSignal | undefined): Promise<readonly ResultSource[]> {
  const { url } = task.record ?? (await task.check({ signal })).record;
  if (url.length === 0) {
    const issue = { field: "task", got: `${task.taskid} without results`, allowed: "a task that has succeeded: wait for it first" };
    throw new InvalidRequestError("download: there is nothing to download", [issue]);
  }
  const renew = (index: number) => async () => (await task.check({ signal })).record.url[index];
  return url.map((address, index) => ({ task, index, count: url.length, address, renew: renew(index) }));
}

/**
 * A generated task. It is plain data with three verbs: keep `JSON.stringify(task)`, and `media.task(JSON.parse(text))`
 * gives it back in any process.
 */
export class Task<out K extends Kind = Kind> {
  /** What the task makes. */
  readonly kind: K;
  /** The id, as the generation answered it. */
  readonly taskid: string;
  /** The model; undefined where the task was made from its id alone. */
  readonly model: string | undefined;
  /** The origin of the base URL that the task was generated at. */
  readonly origin: string;
  /** How many results the form asked for. */
  readonly results: number;
  /** When the task was generated, in milliseconds since 1970; undefined where it was made from its id alone. */
  readonly createdAt: number | undefined;
  /** What the generation answered; undefined where the task was made from its id alone. */
  readonly created: Created | undefined;
  #record: Records[K] | undefined;
  #partial: PartialResult | undefined;
  readonly #host: TaskHost;

  /** @internal */
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
    contexts.set(this, host.results);
  }

  /** The record that the last check of this handle answered; undefined before the first. */
  get record(): Records[K] | undefined {
    return this.#record;
  }

  /**
   * Queries the task once and reads its state, without sleeping: for queues and workflow engines.
   *
   * @throws {@link ServiceError} the service refused the query
   * @throws {@link ConnectionError} there was no whole answer; checking again is safe
   */
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

  /**
   * Checks until the task has succeeded and answers its record: until there are as many result addresses as the form asked
   * for, or fewer that have not changed over three checks. A failure is known only by `statuses` or `classify` of the client;
   * without them a failed task ends in the deadline.
   *
   * @throws {@link TaskFailedError} the task failed, by `statuses` or `classify` of the client
   * @throws {@link WaitTimeoutError} the deadline passed; the task is not lost
   * @throws {@link ServiceError} the service refused five queries in a row
   */
  wait(options: WaitOptions<K> = {}): Promise<Records[K]> {
    return waitFor(this, (signal, patienceMs) => this.#check({ signal, patienceMs }), options, this.#host);
  }

  /**
   * The task's results in memory, each with its media type by its bytes. On Node, `download` of `@mediagen/sdk/node` brings
   * them to disk.
   *
   * @throws {@link InvalidRequestError} there is no result yet
   * @throws {@link ServiceError} a result's server refused, or its address may not be fetched
   * @throws {@link ConnectionError} a result did not arrive whole; asking again is safe
   */
  async blobs(options: ResultOptions = {}): Promise<readonly Blob[]> {
    const sources = await sourcesOf(this, options.signal);
    // Only who fetches results loads what it takes.
    const { readBlobs } = await import("./result.ts");
    return readBlobs(sources, this.#host.results, options);
  }

  /**
   * Deletes the task. Whether that stops or refunds a running task is not documented by the service.
   *
   * @throws {@link ServiceError} the service refused
   */
  delete(options: DeleteFields[K] & CallOptions = {}): Promise<Deletions[K]> {
    return this.#host.delete(this.kind, [this.taskid], options);
  }

  /** The task as plain JSON; `media.task` takes it back, in any process. */
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
  expect("createdAt", saved?.createdAt === undefined || Number.isFinite(saved.createdAt), "a time in milliseconds, or nothing");
  expect("created", saved?.created === undefined || typeof saved.created.taskid === "string", "what the generation answered, or nothing");
  expect("partial", saved?.partial === undefined || saved.partial.count < saved.results, "fewer results than asked for, or nothing");
  expect("origin", saved?.origin === origin, `${origin}, this client's origin (change it if both reach the same service)`);
  if (issues.length > 0) throw new InvalidRequestError("task: this is no task of this client", issues);
  return saved;
}
