import { createCall } from "../call/call.ts";
import { readHeaders } from "../call/headers.ts";
import { rememberKey } from "../call/api-key.ts";
import type { Hide } from "../call/hide-key.ts";
import { invalidRequest } from "../errors/errors.ts";
import { checkOptions } from "../errors/check-options.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { Failures } from "../errors/failures.ts";
import { type Form, kindOf, type Model } from "../form/model.ts";
import type { ResultContext } from "../result/context.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Resolution } from "../store/recovery.ts";
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { prepare, readGenerateHeaders } from "./prepare.ts";
import { generate, type GenerateHost } from "./generate.ts";
import type { GenerateOptions, KindClient, MediaGen } from "./media-gen.ts";
import { clientOptionNames, generateOptionNames } from "./option-names.ts";
import type { MediaGenOptions } from "./options.ts";
import { checkFunctions, readAccess, readStates, readTimeouts } from "./settings.ts";
import { createParts, type Kept, type LazyRecording } from "./parts.ts";
import { readTask, TaskHandle, type TaskHost } from "./task-handle.ts";
import { type Runtime, webRuntime } from "./runtime.ts";
import { Tasks } from "./tasks.ts";

/**
 * Creates a client that sends with the runtime's fetch. Nothing is sent.
 *
 * @returns The client. One is enough for a program: its calls share connections, limits and polls.
 * @throws An {@link InvalidRequestError} if an option is not valid, or this is a browser and `allowBrowser` is not set
 * @example
 * const media = createMediaGen({ baseUrl: "https://media.example", apiKey: "..." });
 */
export function createMediaGen(options: MediaGenOptions = {}): MediaGen {
  return createClient(options, webRuntime);
}

/** Creates a client. With `kept`, it shares the parts of that client that its own options do not change. */
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
  const keyedBy = rememberKey(baseUrl, headers);
  // Results are requested without a key. Their URLs may contain the one that their record was requested with.
  let hide: Hide = (text) => text;
  const keyed = (key: string | undefined) => {
    const found = keyedBy(key);
    hide = found.hide;
    return found;
  };
  const connection = { baseUrl, transport, apiKey, keyed };
  const call = createCall({ ...connection, time, timeouts, emit, failures, retries });
  const { store, beforeGenerate } = options;
  const tasks = new Tasks({ call, emit, time, recording, states: readStates("createMediaGen", options), limits });
  const results: ResultContext = { get, time, emit, failures, retries, hide: (text) => hide(text), baseUrl };
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
  checkOptions("withOptions", changes, clientOptionNames);
  readHeaders("withOptions", changes.headers);
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

/** What generates a task of a model, whose kind may have to be found. */
type Generate = (
  kind: Kind | undefined,
  model: Model,
  form: Form<Model>,
  options: GenerateOptions | undefined,
) => Promise<AnyTask>;

function createGenerate(generating: GenerateHost, host: TaskHost): Generate {
  const generateAny = async (kind: Kind, model: Model, form: Form<Model>, options: GenerateOptions = {}) => {
    checkOptions(model, options, generateOptionNames, nothingWasSent);
    const { idempotencyKey, onUploadProgress, signal } = options;
    const headers = readGenerateHeaders(model, options, generating.hasKey);
    const { operation, wire } = await orAbort(prepare(kind, model, form, options), signal);
    // Nothing may throw once the task is paid.
    const checked = { kind, model, form, operation, wire, idempotencyKey, onUploadProgress, signal, headers };
    const task = new TaskHandle(await generate(checked, generating), host);
    host.limits?.loaded()?.opened(task);
    return task as AnyTask;
  };
  return (kind, model, form, options) => {
    const operation = (kind && operations[kind].generate[model]?.id) ?? "generate";
    return host.failures.of({ operation, kind, model }, async () =>
      generateAny(kind ?? kindOf(model), model, form, options),
    );
  };
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
  const generateTask = createGenerate(generating, host);
  const kindClient = <K extends Kind>(kind: K): KindClient<K> => ({
    // The casts: what is generated or created is of the kind that was requested, and an unchecked model is any text.
    generate: (model: string, form: object, options?: GenerateOptions) =>
      generateTask(kind, model as Model, form as Form<Model>, options) as Promise<Task<K>>,
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
    generate: (model, form, options) => generateTask(undefined, model as Model, form as Form<Model>, options),
    task: resume,
    ...recordedMethods(recording, tasks, failures, open),
  };
}

/** Returns the methods of a client that read or write its store. */
function recordedMethods(
  recording: LazyRecording | undefined,
  tasks: Tasks,
  failures: Failures,
  open: (task: TaskJSON) => AnyTask,
): Pick<MediaGen, "recover" | "resolve" | "find"> {
  const load = (method: string) => storeOf(recording, method)();
  return {
    recover: (options = {}) =>
      failures.of({ operation: "recover" }, async () => (await load("recover")).recover(options, open)),
    // The cast: what it returns follows from the resolution, which only overloads can say.
    resolve: ((id: string, resolution: Resolution, options: CallOptions = {}) =>
      failures.of({ operation: "resolve", generationId: id }, async () =>
        (await load("resolve")).resolve(id, resolution, tasks, open, options),
      )) as MediaGen["resolve"],
    find: (taskid, options = {}) =>
      failures.of({ operation: "find", taskid }, async () => (await load("find")).find(taskid, options, open)),
  };
}

function storeOf(recording: LazyRecording | undefined, method: string): LazyRecording {
  if (recording) return recording;
  throw invalidRequest(
    method,
    "store",
    "missing",
    "nothing",
    "{ store } to createMediaGen, such as fileStore(directory)",
  );
}
