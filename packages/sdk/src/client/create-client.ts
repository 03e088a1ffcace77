import { createCall } from "../call/call.ts";
import { readHeaders } from "../call/headers.ts";
import { createKeys } from "../call/api-key.ts";
import { invalidRequest } from "../errors/errors.ts";
import { readOptions } from "../errors/read-options.ts";
import { Failures } from "../errors/failures.ts";
import { findOperation, type Form, kindOf, type Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Resolution } from "../store/recovery.ts";
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { prepare } from "./prepare.ts";
import { generate, type GenerateHost } from "./generate.ts";
import type { GenerateOptions, KindClient, MediaGen } from "./media-gen.ts";
import { clientOptionNames } from "./option-names.ts";
import type { MediaGenOptions } from "./options.ts";
import { checkObjects, readAccess, readStates, readTimeouts } from "./settings.ts";
import { createParts, type Kept, type LazyRecording } from "./shared-parts.ts";
import { readTask, TaskHandle, type TaskHost } from "./task-handle.ts";
import { type Runtime, webRuntime } from "./runtime.ts";
import { Tasks } from "./tasks.ts";
import { Suspicion } from "../wait/suspicion.ts";

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
  given: O,
  createRuntime: (options: O, origin: string) => Runtime,
  kept?: Kept,
): MediaGen {
  const options = readOptions("createMediaGen", given, clientOptionNames);
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options);
  checkObjects("createMediaGen", options);
  const { origin } = new URL(baseUrl);
  const { store, beforeGenerate } = options;
  const parts = createParts(options, origin, () => createRuntime(options, origin), kept);
  const { runtime, time, emit, retries, scheduler, turns, limits, recording } = parts;
  const { transport, get } = runtime;
  const { keyed, hide } = createKeys(baseUrl, headers);
  const failures = new Failures(emit, time);
  const timeouts = readTimeouts(options);
  const call = createCall({ baseUrl, apiKey, keyed, transport, timeouts, time, emit, failures, retries });
  const methods = createMethods({
    origin,
    apiKey,
    beforeGenerate,
    states: readStates("createMediaGen", options),
    time,
    emit,
    failures,
    scheduler,
    turns,
    limits,
    recording,
    call,
    tasks: new Tasks({ call, time, recording, limits, apiKey }),
    suspicion: new Suspicion(),
    results: { get, time, emit, failures, retries, hide, baseUrl },
  });
  const withOptions = (changes: MediaGenOptions) => {
    const changed = readChanges(changes);
    const merged = { ...options, ...changed, headers: { ...options.headers, ...changed.headers } };
    return createClient(merged, createRuntime, { parts, given: changed });
  };
  return { ...methods, origin, store, withOptions };
}

/** Returns the given options. Rejects an undefined key, which must not lead to the account of the client itself. */
function readChanges(changes: MediaGenOptions): MediaGenOptions {
  const given = readOptions("withOptions", changes, clientOptionNames);
  readHeaders("withOptions", given.headers);
  if ("apiKey" in changes && (given.apiKey ?? undefined) === undefined)
    throw invalidRequest(
      "withOptions",
      "apiKey",
      "missing",
      "nothing",
      "a key, or no apiKey to keep that of the client",
    );
  return given;
}

/** Dependencies of a client's methods. */
interface ClientHost extends GenerateHost, TaskHost {
  readonly recording: LazyRecording | undefined;
}

/** A function that generates a task. Without a kind, it uses that of the model. */
type Generate = (
  kind: Kind | undefined,
  model: Model,
  form: Form<Model>,
  options: GenerateOptions | undefined,
) => Promise<AnyTask>;

function createGenerate(host: ClientHost): Generate {
  return (kind, model, form, options = {}) => {
    const operation = (kind && findOperation(model, [kind])?.id) ?? "generate";
    return host.failures.report({ operation, kind, model }, async () => {
      const checked = await prepare(kind ?? kindOf(model), model, form, options, host.apiKey);
      // Nothing may throw once the task is paid.
      const task = new TaskHandle(await generate(checked, host), host);
      host.limits?.loaded()?.opened(task);
      // The cast: a task's kind decides its type, which a constructor cannot say.
      return task as AnyTask;
    });
  };
}

function createMethods(host: ClientHost): Omit<MediaGen, "origin" | "store" | "withOptions"> {
  const { origin, failures, tasks, recording } = host;
  // The cast: a task's kind decides its type, which a constructor cannot say.
  const open = (task: TaskJSON) => new TaskHandle(task, host) as AnyTask;
  const resume = (saved: TaskJSON) => open(readTask(saved, origin));
  const generateTask = createGenerate(host);
  const kindClient = <K extends Kind>(kind: K): KindClient<K> => ({
    // The casts: what is generated or created is of the kind that was requested, and an unchecked model is any text.
    generate: (model: string, form: object, options?: GenerateOptions) =>
      generateTask(kind, model as Model, form as Form<Model>, options) as Promise<Task<K>>,
    query: (taskid, options = {}) =>
      failures.report({ operation: operations[kind].query.id, kind, taskid }, async () => {
        const { record } = await tasks.query({ kind, taskid }, options);
        return record;
      }),
    delete: (taskids, options = {}) =>
      failures.report({ operation: operations[kind].delete.id, kind }, () => tasks.delete(kind, taskids, options)),
    task(taskid, options = {}) {
      const { resultCount = 1 } = readOptions(`media.${kind}.task`, options, ["resultCount"]);
      return resume({ version: 2, kind, taskid, origin, resultCount }) as ReturnType<KindClient<K>["task"]>;
    },
  });
  const load = (method: string) => {
    if (recording) return recording();
    const expected = "{ store } to createMediaGen, such as fileStore(directory)";
    throw invalidRequest(method, "store", "missing", "nothing", expected);
  };
  return {
    video: kindClient("video"),
    image: kindClient("image"),
    // The casts: a model known only at run time is checked at run time, and its form with it.
    generate: (model, form, options) => generateTask(undefined, model as Model, form as Form<Model>, options),
    task: resume,
    recover: (options = {}) =>
      failures.report({ operation: "recover" }, async () => (await load("recover")).recover(options, open)),
    // The cast: what it returns follows from the resolution, which only overloads can say.
    resolve: ((id: string, resolution: Resolution, options: CallOptions = {}) =>
      failures.report({ operation: "resolve", generationId: id }, async () =>
        (await load("resolve")).resolve(id, resolution, tasks, open, options),
      )) as MediaGen["resolve"],
    find: (taskid, options = {}) =>
      failures.report({ operation: "find", taskid }, async () => (await load("find")).find(taskid, options, open)),
  };
}
