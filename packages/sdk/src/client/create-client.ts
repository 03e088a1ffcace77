import { createCall } from "../call/call.ts";
import { readHeaders } from "../call/headers.ts";
import { type Hide, rememberHide } from "../call/hide-key.ts";
import { invalidRequest } from "../errors/errors.ts";
import { ServiceError } from "../errors/response-errors.ts";
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
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { isPrivate } from "../transport/address.ts";
import { generate, type GenerateHost } from "./generate.ts";
import type { GenerateOptions, KindClient, MediaGen, Recovery } from "./media-gen.ts";
import { generateOptionNames } from "./option-names.ts";
import type { MediaGenOptions } from "./options.ts";
import { checkFunctions, readAccess, readStates, readTimeouts } from "./settings.ts";
import { createParts, type Kept, type LazyRecording } from "./parts.ts";
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
  return createClient(options, webRuntime);
}

/** Creates a client, with the parts of another one that no option given anew changes. */
export function createClient<O extends MediaGenOptions>(
  options: O,
  createRuntime: (options: O, origin: string) => Runtime,
  kept?: Kept,
): MediaGen {
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options);
  checkFunctions("createMediaGen", options);
  const { origin } = new URL(baseUrl);
  const timeouts = readTimeouts("createMediaGen", options);
  const parts = createParts(options, origin, () => createRuntime(options, origin), kept);
  const { runtime, time, log, emit, retries, limits, recording, scheduler, turns } = parts;
  const { transport, get } = runtime;
  const failures = new Failures(emit, time);
  const hideOf = rememberHide();
  // Results are requested without a key. Their URLs may contain the one that their record was requested with.
  let hide: Hide = (text) => text;
  const connection = { baseUrl, transport, apiKey, headers, hideOf: (key: string | undefined) => (hide = hideOf(key)) };
  const call = createCall({ ...connection, time, timeouts, emit, failures, retries });
  const { store, beforeGenerate } = options;
  const tasks = new Tasks({ call, emit, time, recording, states: readStates("createMediaGen", options), limits });
  const privateBase = isPrivate(new URL(baseUrl));
  const results: ResultContext = { get, time, emit, failures, retries, hide: (text) => hide(text), privateBase };
  const host: TaskHost = {
    ...time,
    failures,
    scheduler,
    results,
    limits,
    check: (task, partial, given) => tasks.check(task, partial, given),
    delete: (kind, taskids, given) => tasks.delete(kind, taskids, given),
  };
  const enter: GenerateHost["enter"] = async (generation) => {
    const acquire = () => turns.acquire(generation.signal);
    return limits ? (await limits.load()).enter(generation, acquire) : acquire();
  };
  const hasKey = apiKey !== undefined;
  const generating = { call, time, log, origin, enter, beforeGenerate, recording, hasKey };
  const withOptions = (changes: MediaGenOptions) => {
    const given = changesOf(changes);
    const merged = { ...options, ...given, headers: { ...options.headers, ...given.headers } };
    return createClient(merged, createRuntime, { parts, given });
  };
  return { ...assemble(generating, tasks, host, recording), origin, store, withOptions };
}

/** Returns the options that are given. A key that is not must not lead to the account of the client itself. */
function changesOf(changes: MediaGenOptions): MediaGenOptions {
  if ("apiKey" in changes && changes.apiKey === undefined)
    throw invalidRequest(
      "withOptions",
      "apiKey",
      "missing",
      "nothing",
      "a key, or no apiKey to keep that of the client",
    );
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function assemble(
  generating: GenerateHost,
  tasks: Tasks,
  host: TaskHost,
  recording: LazyRecording | undefined,
): Omit<MediaGen, "origin" | "store" | "withOptions"> {
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
      failures.of({ operation: operations[kind].query.id, kind, taskid }, async () => {
        const { record } = await tasks.query({ kind, taskid }, options);
        return record;
      }),
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
