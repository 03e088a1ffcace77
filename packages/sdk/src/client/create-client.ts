import { createCall } from "../call/call.ts";
import { readHeaders } from "../call/headers.ts";
import { type Hide, rememberHide } from "../call/hide-key.ts";
import { createRetries } from "../call/retries.ts";
import { invalidRequest } from "../errors/errors.ts";
import { ServiceError } from "../errors/response-errors.ts";
import { createEmit, createLog } from "../errors/emit.ts";
import { checkOptions } from "../errors/check-options.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { Failures } from "../errors/failures.ts";
import { readForm, type WireFields } from "../form/form.ts";
import { type Form, kindOf, type Model, operationOf } from "../form/model.ts";
import type { ResultContext } from "../result/context.ts";
import { isBlob } from "../spec/file.ts";
import type { Bounds, Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Recorded, Resolution } from "../store/recovery.ts";
import type { GenerationStore } from "../store/store.ts";
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { Semaphore } from "../time/semaphore.ts";
import { isPrivate } from "../transport/address.ts";
import { Scheduler } from "../wait/scheduler.ts";
import { generate, type GenerateHost } from "./generate.ts";
import type { GenerateOptions, KindClient, MediaGen, Recovery } from "./media-gen.ts";
import { generateOptionNames } from "./option-names.ts";
import type { MediaGenOptions } from "./options.ts";
import { checkFunctions, atLeastOne, readAccess, readLogLevel, readStates, readTimeouts } from "./settings.ts";
import { createLimits, createRecording, createTime, type LazyRecording } from "./parts.ts";
import { readTask, TaskHandle, type TaskHost } from "./task-handle.ts";
import { type Runtime, webRuntime } from "./runtime.ts";
import { Tasks, valid } from "./tasks.ts";

/**
 * Creates a client that sends with the runtime's fetch.
 *
 * @throws {@link InvalidRequestError} an option is not valid, or this is a browser
 *
 * @example
 * const media = createMediaGen({ baseUrl: "https://media.example", apiKey: "..." });
 */
export function createMediaGen(options: MediaGenOptions = {}): MediaGen {
  return createClient(options, webRuntime(options));
}

/** Creates a client on a runtime. */
export function createClient(options: MediaGenOptions, runtime: Runtime): MediaGen {
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options);
  checkFunctions("createMediaGen", options);
  const timeouts = readTimeouts("createMediaGen", options);
  const time = createTime(options);
  const log = createLog(options.logger, readLogLevel("createMediaGen", options));
  const emit = createEmit(options.onEvent, log);
  const retries = createRetries(options, time);
  const failures = new Failures(emit, time);
  const { transport, get } = runtime;
  const hideOf = rememberHide();
  // Results are requested without a key. Their URLs may contain the one that their record was requested with.
  let hide: Hide = (text) => text;
  const connection = { baseUrl, transport, apiKey, headers, hideOf: (key: string | undefined) => (hide = hideOf(key)) };
  const call = createCall({ ...connection, time, timeouts, emit, failures, retries });
  const { origin } = new URL(baseUrl);
  const { store, beforeGenerate } = options;
  const recording = store && createRecording(runtime, { store, time, origin, emit });
  const limits = createLimits(options, time);
  const tasks = new Tasks({ call, emit, time, recording, states: readStates("createMediaGen", options), limits });
  const privateBase = isPrivate(new URL(baseUrl));
  const results: ResultContext = { get, time, emit, failures, retries, hide: (text) => hide(text), privateBase };
  const host: TaskHost = {
    ...time,
    failures,
    scheduler: new Scheduler(options, time),
    results,
    limits,
    check: (task, partial, given) => tasks.check(task, partial, given),
    delete: (kind, taskids, given) => tasks.delete(kind, taskids, given),
  };
  const semaphore = new Semaphore(atLeastOne("maxGenerationsInFlight", options));
  const enter: GenerateHost["enter"] = async (generation) => {
    const acquire = () => semaphore.acquire(generation.signal);
    return limits ? (await limits.load()).enter(generation, acquire) : acquire();
  };
  const hasKey = apiKey !== undefined;
  return assemble({ call, time, log, origin, enter, beforeGenerate, recording, hasKey }, tasks, host, recording, store);
}

function assemble(
  generating: GenerateHost,
  tasks: Tasks,
  host: TaskHost,
  recording: LazyRecording | undefined,
  store: GenerationStore | undefined,
): MediaGen {
  const { origin } = generating;
  const { failures } = host;
  // The cast: a task's kind decides its type, which a constructor cannot say.
  const open = (task: TaskJSON) => new TaskHandle(task, host) as AnyTask;
  const resume = (saved: TaskJSON) => open(readTask(saved, origin));
  const generateAny = async (kind: Kind, model: Model, form: Form<Model>, options: GenerateOptions = {}) => {
    const { idempotencyKey, onUploadProgress, signal } = options;
    checkOptions(model, options, generateOptionNames, nothingWasSent);
    // By it, a server that holds the key recognises what a browser or a proxy resends. Pages over http have no randomUUID.
    const idempotency = !generating.hasKey && { "idempotency-key": idempotencyKey ?? crypto.randomUUID?.() };
    const headers = readHeaders(model, { ...idempotency, ...options.headers }, nothingWasSent);
    const { operation, wire } = await orAbort(prepare(kind, model, form, options), signal);
    // Nothing may throw once the task is paid for.
    const checked = { kind, model, form, operation, wire, idempotencyKey, onUploadProgress, signal, headers };
    const task = new TaskHandle(await generate(checked, generating), host);
    host.limits?.loaded()?.opened(task);
    return task as AnyTask;
  };
  const generateReported = (kind: Kind | undefined, model: Model, form: Form<Model>, options?: GenerateOptions) => {
    const operation = (kind && operations[kind].generate[model]?.id) ?? "generate";
    return failures.of({ operation, kind, model }, async () =>
      generateAny(kind ?? kindOf(model), model, form, options),
    );
  };
  const kindClient = <K extends Kind>(kind: K): KindClient<K> => ({
    // The casts: what is generated or created is of the kind that was requested, and an unchecked model is any text.
    generate: (model: string, form: object, options?: GenerateOptions) =>
      generateReported(kind, model as Model, form as Form<Model>, options) as Promise<Task<K>>,
    query: (taskid, options = {}) =>
      failures.of({ operation: operations[kind].query.id, kind, taskid }, () => tasks.query({ kind, taskid }, options)),
    delete: (taskids, options = {}) =>
      failures.of({ operation: operations[kind].delete.id, kind }, () => tasks.delete(kind, taskids, options)),
    task: (taskid, { resultCount = 1 } = {}) =>
      resume({ version: 2, kind, taskid, origin, resultCount }) as ReturnType<KindClient<K>["task"]>,
  });
  return {
    video: kindClient("video"),
    image: kindClient("image"),
    // The casts: a model known only at run time is checked at run time, and its form with it.
    generate: (model, form, options) => generateReported(undefined, model as Model, form as Form<Model>, options),
    task: resume,
    recover: (options = {}) =>
      failures.of({ operation: "recover" }, async () =>
        toRecovery(await (await storeOf(recording, "recover")()).recover(options), open),
      ),
    // The cast: what it returns follows from the resolution, which only overloads can say.
    resolve: ((id: string, resolution: Resolution, { signal }: CallOptions = {}) =>
      failures.of({ operation: "resolve", generationId: id }, async () => {
        const exists = (kind: Kind, taskid: string) => isKnown(tasks, kind, taskid, signal);
        const task = await (await storeOf(recording, "resolve")()).resolve(id, resolution, exists, { signal });
        return task && open(task);
      })) as MediaGen["resolve"],
    find: (taskid, options = {}) =>
      failures.of({ operation: "find", taskid }, async () => {
        const task = await (await storeOf(recording, "find")()).find(taskid, options);
        return task && open(task);
      }),
    origin,
    store,
  };
}

/** Reads a form as it is sent, and rejects what is wrong with it. */
async function prepare(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  { extraFields, unchecked }: GenerateOptions,
): Promise<{ readonly operation: Operation; readonly wire: WireFields }> {
  if (unchecked) {
    const { readUnchecked } = await import("../form/unchecked.ts");
    const { operation, ...read } = readUnchecked(kind, model, form, extraFields);
    return { operation, wire: await withFiles(String(model), {}, valid(String(model), read)) };
  }
  const operation = operationOf(model, [kind]);
  const wire = valid(model, readForm(operation.body, form, extraFields));
  return { operation, wire: await withFiles(model, operation.body, wire) };
}

/** Rejects what is wrong with the bytes of files. */
async function withFiles(subject: string, bounds: Bounds, wire: WireFields): Promise<WireFields> {
  if (!Object.values(wire).flat().some(isBlob)) return wire;
  const { checkFiles } = await import("../form/check-files.ts");
  return valid(subject, { wire, issues: await checkFiles(bounds, wire) });
}

function storeOf(recording: LazyRecording | undefined, method: string): LazyRecording {
  if (recording) return recording;
  throw invalidRequest(method, "store", "missing", "nothing", "a client with a store, such as fileStore(directory)");
}

function toRecovery(recorded: Recorded, open: (task: TaskJSON) => AnyTask): Recovery {
  return { ...recorded, tasks: recorded.tasks.map(open), finished: recorded.finished.map(open) };
}

/** Whether the service knows a task. */
async function isKnown(tasks: Tasks, kind: Kind, taskid: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await tasks.query({ kind, taskid }, { signal });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code !== undefined) return false;
    throw error;
  }
}
