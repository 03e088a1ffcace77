import { type Connection, createCall, createRawClient, type RawClient, type Subject } from "../call/call.ts";
import { taskidIn } from "../call/envelope.ts";
import { rememberHide } from "../call/hide-key.ts";
import { createRetries } from "../call/retries.ts";
import { checkNumbers } from "../errors/check-numbers.ts";
import { InvalidRequestError } from "../errors/errors.ts";
import type { Issue } from "../errors/issue.ts";
import { createTell } from "../events.ts";
import { readBody, type ReadFields, readForm } from "../form/form.ts";
import { type Form, listModels, type Model, type ModelInfo, operationOf } from "../form/model.ts";
import type { ResultGet } from "../result/copy.ts";
import { webGet } from "../result/web-get.ts";
import type { FileInput } from "../spec/file-input.ts";
import { type Kind, kinds, type Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { ImageQueryFields, VideoQueryFields } from "../spec/types.gen.ts";
import type {
  AnyTask,
  CallOptions,
  DeleteFields,
  Deletions,
  Records,
  Task,
  TaskJSON,
  TaskRecord,
  WaitOptions,
} from "../task/task.ts";
import { shareTimer, sleep, sleepBy, type SleepReason, type Time } from "../time/clock.ts";
import { createPlaces } from "../time/semaphore.ts";
import { isPrivate } from "../transport/address.ts";
import { type Send, type Transport, webTransport } from "../transport/transport.ts";
import { readState } from "../wait/state.ts";
import { readBaseUrl } from "./base-url.ts";
import { refuseBrowser } from "./browser.ts";
import { generate } from "./generate.ts";
import type { MediaGenOptions } from "./options.ts";
import { TaskHandle, readTask, type TaskHost } from "./task-handle.ts";
import { settle, type Settled } from "../wait/settle.ts";
import { createScheduler } from "../wait/scheduler.ts";
import { open, type Book, type Recovery } from "../journal/journal.ts";

/** What a query takes beside the task, by kind. */
export interface QueryFields {
  /** What the query of a video task takes. */
  readonly video: VideoQueryFields;
  /** What the query of an image task takes. */
  readonly image: ImageQueryFields;
}

/** How to generate. */
export interface GenerateOptions extends CallOptions {
  /** Fields that the service takes and its description does not show; they are sent unchecked. */
  readonly extraFields?: Readonly<Record<string, string | number | boolean | FileInput>> | undefined;
  /**
   * A key of yours for this generation, such as an order's number. The same key gives the same task, in every process with
   * the same journal: it is generated once. Two files of one name, type and size count as the same.
   */
  readonly once?: string | undefined;
}

/** How to make a task from its id alone. */
export interface TaskOptions {
  /**
   * How many results the task's form asked for.
   * @default 1
   */
  readonly results?: number | undefined;
}

/** What one can ask of one kind. */
export interface KindClient<K extends Kind> {
  /**
   * Generates: creates one paid task and answers it. It is sent again only where it provably was not sent or was turned away
   * with HTTP 429, and where `resendGenerationAfter` says so.
   *
   * @throws {@link InvalidRequestError} a bad field; nothing was sent
   * @throws {@link InsufficientCreditsError} the balance does not cover it
   * @throws {@link ServiceError} the service refused
   * @throws {@link ConnectionError} the service was not reached and nothing was sent
   * @throws {@link OutcomeUnknownError} no usable answer came: a task may exist and may have been paid; with a key in
   *   `once`, each time until `resolve` settles it
   */
  generate<M extends Model<K>>(model: M, form: Form<M>, options?: GenerateOptions): Promise<Task<K>>;
  /**
   * Answers a task's record as it is now.
   *
   * @throws {@link ServiceError} the service refused
   * @throws {@link ConnectionError} there was no whole answer; querying again is safe
   */
  query(taskid: string, options?: QueryFields[K] & CallOptions): Promise<Records[K]>;
  /**
   * Deletes tasks. What happens for unknown ids is not documented by the service.
   *
   * @throws {@link ServiceError} the service refused
   * @throws {@link ConnectionError} there was no whole answer; deleting again is safe
   */
  delete(taskids: readonly string[], options?: DeleteFields[K] & CallOptions): Promise<Deletions[K]>;
  /** The task of an id, to check or wait for. */
  task(taskid: string, options?: TaskOptions): Task<K>;
}

/** The client of the Media Generation Service. */
export interface MediaGen {
  /** What one can ask of videos. */
  readonly video: KindClient<"video">;
  /** What one can ask of images. */
  readonly image: KindClient<"image">;
  /**
   * The task of what `JSON.stringify(task)` gave, in this or another process.
   *
   * @throws {@link InvalidRequestError} it is not such a task, or one of another service
   */
  task(saved: TaskJSON): AnyTask;
  /**
   * Waits for tasks of either kind and gives each as soon as it is done, in that order; the failure of one is its own. Leaving
   * the loop ends the waits that are left, and loses no task.
   *
   * @throws the signal's reason, at once, when it aborts
   * @throws {@link InvalidRequestError} `timeoutMs` is no time
   */
  settle<T extends Task>(tasks: Iterable<T>, options?: WaitOptions<T["kind"]>): AsyncIterable<Settled<T>>;
  /**
   * What the journal knows of generations at this service: tasks to resume, and generations whose outcome is unknown. It
   * waits up to 15 seconds where another process may have just ended.
   *
   * @throws {@link InvalidRequestError} the client has no journal
   */
  recover(options?: CallOptions): Promise<Recovery>;
  /**
   * Settles a generation of unknown outcome, by what you found at the service, and answers its task.
   *
   * @throws {@link InvalidRequestError} the journal has no such generation, or knows its outcome
   */
  resolve(id: string, resolution: { readonly taskid: string }): Promise<AnyTask>;
  /**
   * Settles a generation of unknown outcome of which you found no task.
   *
   * @throws {@link InvalidRequestError} the journal has no such generation, or knows its outcome
   */
  resolve(id: string, resolution: "not created"): Promise<undefined>;
  /** What is wrong with a form, without sending it; an empty list where nothing is. */
  validate<M extends Model>(model: M, form: Form<M>, options?: Pick<GenerateOptions, "extraFields">): readonly Issue[];
  /** The origin of the base URL, which tasks carry. */
  readonly origin: string;
  /** Every generation model of the service's description; `listModels` gives them without a client. */
  readonly models: readonly ModelInfo[];
  /** The raw openapi-fetch client, typed by the service's description; it opens no envelope and checks no field. */
  readonly http: RawClient;
}

/**
 * Creates a client.
 *
 * @throws {@link InvalidRequestError} there is no usable base URL, or this is a browser
 */
export function createMediaGen(options: MediaGenOptions = {}): MediaGen {
  const { fetch } = options;
  const send: Send = (url, init) => (fetch ? fetch(new Request(url, init)) : globalThis.fetch(url, init));
  return createClient(options, webTransport(send), webGet(send));
}

/** Creates a client on a transport; results are fetched by `get`. */
export function createClient(options: MediaGenOptions, transport: Transport, get: ResultGet): MediaGen {
  refuseBrowser(options.allowBrowser ?? false);
  checkNumbers("createMediaGen: there is no client", options, [
    "timeoutMs",
    "generateTimeoutMs",
    "headersTimeoutMs",
    "stallTimeoutMs",
    "connectTimeoutMs",
    "retries",
  ]);
  const baseUrl = readBaseUrl(options.baseUrl ?? environment("MEDIAGEN_BASE_URL"), options.allowHttp ?? false);
  const apiKey = options.apiKey ?? environment("MEDIAGEN_API_KEY");
  const { now = Date.now, random = Math.random } = options;
  const steady = options.now ?? (() => performance.now());
  const shared = (why: SleepReason) =>
    shareTimer({ steady, sleep: (ms, signal) => (options.sleep ?? sleep)(ms, signal, why) });
  const timers = { pause: shared("pause"), deadline: shared("deadline"), limit: shared("limit") };
  const alarm: Time["alarm"] = (ms, ring, why = "pause") => timers[why](ms, ring);
  const time: Time = { now, steady, random, alarm, sleep: sleepBy(alarm) };
  const tell = createTell(options.onEvent);
  const connection: Connection = {
    baseUrl,
    transport,
    apiKey: typeof apiKey === "function" ? async () => apiKey() : apiKey,
    hideOf: rememberHide(),
    time,
    tell,
    retries: createRetries(options, time),
    timeouts: {
      callMs: options.timeoutMs ?? 60_000,
      generateMs: options.generateTimeoutMs ?? 600_000,
      headersMs: options.headersTimeoutMs ?? 300_000,
      stallMs: options.stallTimeoutMs ?? 30_000,
    },
  };
  const { origin } = new URL(baseUrl);
  const call = createCall(connection);
  // The cast: a task's kind decides its type, which a constructor cannot say. A function, because the journal resumes too.
  function resume(saved: TaskJSON): AnyTask {
    return new TaskHandle(readTask(saved, origin), host) as AnyTask;
  }
  const book = options.journal?.[open]({ time, origin, tell, resume });
  const generateHost = {
    call,
    time,
    origin,
    book,
    beforeGenerate: options.beforeGenerate,
    enter: createPlaces(options.maxGenerationsInFlight ?? Infinity),
  };
  /** Tasks whose end was told, however often they are checked. */
  const ended = new WeakSet<Task>();
  const host: TaskHost = {
    ...time,
    scheduler: createScheduler(options, time),
    results: { get, time, tell, retries: connection.retries, privateBase: isPrivate(new URL(baseUrl)) },
    async check(task, partial, { signal, patienceMs }) {
      const record = await query(task, { signal }, patienceMs);
      const status: unknown = (record as object as Record<string, unknown>)[operations[task.kind].statusField];
      const known = typeof status === "number" ? status : undefined;
      const read = readState(record, known, task.results, partial, options);
      if (read.state !== "pending" && !ended.has(task)) {
        ended.add(task);
        const { kind, model, taskid, createdAt } = task;
        const at = time.now();
        tell({
          type: "settled",
          kind,
          model,
          taskid,
          state: read.state,
          status: known,
          at,
          durationMs: createdAt && at - createdAt,
        });
        await book?.ended([task], read.state);
      }
      return { record, status: known, ...read };
    },
    async delete(kind, taskids, { signal, ...further }) {
      const operation = operations[kind].delete;
      const body = bodyFor(operation, { taskids }, further);
      const deleted = taskids.map((taskid) => ({ kind, taskid }));
      const data = await call(operation, body, { subject: { kind }, signal });
      await book?.ended(deleted, "deleted");
      // The cast: the service documents what a deletion answers.
      return data as object as Deletions[typeof kind];
    },
  };
  async function query<K extends Kind>(
    subject: Subject & { readonly kind: K; readonly taskid: string },
    given: QueryFields[K] & CallOptions,
    patienceMs?: number,
  ): Promise<Records[K]> {
    const { kind, taskid } = subject;
    const { signal, ...further } = given;
    const operation = operations[kind].query;
    const data = await call(operation, bodyFor(operation, { taskid }, further), { subject, signal, patienceMs });
    // The cast: the service documents the record; only what the SDK itself needs of it is made sure here.
    return { ...data, taskid: taskidIn(data) ?? taskid, url: addressesIn(data["url"]) } as TaskRecord as Records[K];
  }
  function bookOf(method: string): Book {
    if (book) return book;
    throw new InvalidRequestError(`${method}: nothing was noted`, [
      { field: "journal", got: "nothing", allowed: "a journal, given to createMediaGen" },
    ]);
  }
  function kindClient<K extends Kind>(kind: K): KindClient<K> {
    return {
      async generate(model, form, { extraFields, once, signal } = {}) {
        const operation = operationOf(model, [kind]);
        const wire = valid(`generate ${model}`, readForm(operation.body, form, extraFields));
        const task = await generate({ kind, model, form, operation, wire, once, signal }, generateHost);
        // The cast: the kind of what is generated is the kind that was asked for, also where its key had it already.
        return new TaskHandle(task as TaskJSON & { kind: typeof kind }, host);
      },
      query: (taskid, given) => query({ kind, taskid }, given ?? {}),
      delete: (taskids, given) => host.delete(kind, taskids, given ?? {}),
      // The cast: the kind of what is read is the kind that was given.
      task: (taskid, { results = 1 } = {}) =>
        new TaskHandle(readTask({ version: 1, kind, taskid, origin, results }, origin) as TaskJSON & { kind: K }, host),
    };
  }
  let http: RawClient | undefined;
  return {
    video: kindClient("video"),
    image: kindClient("image"),
    task: resume,
    settle,
    recover: async (given) => bookOf("recover").recover(given),
    // The cast: what it answers follows from what was found out, which only overloads can say.
    resolve: (async (id, found) => bookOf("resolve").resolve(id, found)) as MediaGen["resolve"],
    validate(model, form, { extraFields } = {}) {
      try {
        return readForm(operationOf(model, kinds).body, form, extraFields).issues;
      } catch (error) {
        if (error instanceof InvalidRequestError) return error.issues;
        throw error;
      }
    },
    origin,
    get models() {
      return listModels();
    },
    get http() {
      return (http ??= createRawClient(connection));
    },
  };
}

function valid(subject: string, { wire, issues }: ReadFields): ReadFields["wire"] {
  if (issues.length > 0) throw new InvalidRequestError(`${subject}: nothing was sent`, issues);
  return wire;
}

/** A JSON body of what a method takes first and of its options, which must not say it again. */
function bodyFor(operation: Operation, first: object, further: object): ReadFields["wire"] {
  const twice = Object.keys(further).filter((field) => field in first);
  const issues = twice.map((field) => ({
    field: `options.${field}`,
    got: "a second value",
    allowed: "only the method's first argument",
  }));
  const read = readBody(operation.body, { ...further, ...first });
  return valid(operation.id, { wire: read.wire, issues: [...issues, ...read.issues] });
}

/** The result addresses of a record; one model or another may answer a single one without a list. */
function addressesIn(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === "string" && one !== "");
}

function environment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name] || undefined; // There is no process in browsers.
  } catch {
    return undefined; // Deno asks for a permission; without it there is no environment.
  }
}
