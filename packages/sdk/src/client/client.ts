import { fetchTransport } from "../call/fetch.ts";
import { invalidRequest } from "../errors/errors.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { type Form, type Model, models } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Recovery } from "../store/ledger.ts";
import type { Resolution, ResolveOptions } from "../store/resolution.ts";
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { generate } from "./generate.ts";
import { createHost, type CreateRuntime, type Host, type Runtime } from "./host.ts";
import type { KindClient, MediaGen } from "./media-gen.ts";
import type { ClientOptions, GenerateOptions, MediaGenOptions } from "./options.ts";
import { readTask, TaskHandle } from "./task-handle.ts";
import { deleteTasks, isKnown, queryTask } from "./tasks.ts";

/**
 * Creates a client that sends with the runtime's fetch. Nothing is sent.
 *
 * @returns The client. One is enough for a program: its calls share connections and limits.
 * @throws An {@link InvalidRequestError} if an option is not valid, or this is a browser and
 * `allowBrowser` is not set
 * @example const media = createMediaGen({ baseUrl: "https://media.example", apiKey: "..." });
 */
export function createMediaGen(options: MediaGenOptions = {}): MediaGen {
  return createClient(options, webRuntime);
}

export function webRuntime({ fetch: given, fetchSendsOnce = !given }: ClientOptions): Runtime {
  const transport = fetchTransport(given, fetchSendsOnce);
  return {
    loadTransport: async () => transport,
    fetch: given,
    processes: async () => ({ hasEnded: () => false }),
  };
}

export function createClient<O extends MediaGenOptions>(
  options: O,
  createRuntime: CreateRuntime<O>,
): MediaGen {
  const host = createHost(options, createRuntime);
  const { origin, store } = host;
  return {
    video: kindClient(host, "video"),
    image: kindClient(host, "image"),
    // The casts: a model known only at run time is checked at run time, and its form with it.
    generate: (model, form, options) =>
      generateTask(host, { model: model as Model, form: form as Form<Model> }, options),
    task: (saved) => resume(host, saved),
    recover: (options = {}) => recover(host, options),
    // The cast: what it returns follows from the resolution, which the compiler does not follow.
    resolve: ((generationId, resolution, options = {}) =>
      resolve(host, generationId, resolution, options)) as MediaGen["resolve"],
    origin,
    store,
  };
}

function kindClient<K extends Kind>(host: Host, kind: K): KindClient<K> {
  const { origin, report } = host;
  return {
    // The casts: what is generated or created is of the kind that was requested, and an unchecked
    // model is any text.
    generate: (model: string, form: object, options?: GenerateOptions) =>
      generateTask(
        host,
        { kind, model: model as Model, form: form as Form<Model> },
        options,
      ) as Promise<Task<K>>,
    query(taskid, options = {}) {
      const { id: operation } = operations[kind].query;
      const query = () => queryTask(host, { kind, taskid }, options).then(({ record }) => record);
      return report({ operation, kind, taskid, billed: "yes" }, query);
    },
    delete(taskids, options = {}) {
      const { id: operation } = operations[kind].delete;
      return report({ operation, kind, billed: "yes" }, () =>
        deleteTasks(host, kind, taskids, options),
      );
    },
    task(taskid, options = {}) {
      const { resultCount = 1 } = readOptions(`media.${kind}.task`, options, {
        resultCount: "any",
      });
      return resume(host, { version: 2, kind, taskid, origin, resultCount }) as ReturnType<
        KindClient<K>["task"]
      >;
    },
  };
}

function handleOf(host: Host, task: TaskJSON): AnyTask {
  // The cast: a task's kind decides its type, which a constructor cannot say.
  return new TaskHandle(task, host) as AnyTask;
}

function resume(host: Host, saved: TaskJSON): AnyTask {
  return handleOf(host, readTask(saved, host.origin));
}

function generateTask(
  host: Host,
  request: { readonly kind?: Kind; readonly model: Model; readonly form: Form<Model> },
  options: GenerateOptions = {},
): Promise<AnyTask> {
  const { kind, model, form } = request;
  const operation = models.get(model)?.operation.id ?? "generate";
  const send = async () => handleOf(host, await generate(host, { kind, model, form, options }));
  return host.report({ operation, kind, model }, send);
}

function recover(host: Host, options: CallOptions): Promise<Recovery> {
  return host.report({ operation: "recover" }, async () => {
    const { ledger, signal } = await openLedger(host, "recover", options);
    const found = await orAbort(ledger.recover(signal), signal);
    const open = (task: TaskJSON) => handleOf(host, task);
    return { ...found, tasks: found.tasks.map(open), finished: found.finished.map(open) };
  });
}

function resolve(
  host: Host,
  generationId: string,
  resolution: Resolution,
  options: ResolveOptions,
): Promise<AnyTask | undefined> {
  return host.report({ operation: "resolve", generationId, billed: "maybe" }, async () => {
    const types: OptionTypes<ResolveOptions> = { attempt: "text", signal: "signal" };
    const { attempt, signal } = readOptions("resolve", options, types);
    const { ledger } = await openLedger(host, "resolve", {});
    const exists = (kind: Kind, taskid: string) => isKnown(host, kind, taskid, signal);
    const finding = { resolution, attempt, exists, signal };
    const task = await orAbort(ledger.resolve(generationId, finding), signal);
    return task && handleOf(host, task);
  });
}

async function openLedger({ ledger }: Host, method: string, options: CallOptions) {
  if (!ledger)
    throw invalidRequest(
      method,
      "store",
      "missing",
      "is missing",
      "Pass { store } to createMediaGen.",
    );
  const { signal } = readOptions(method, options, { signal: "signal" });
  return { ledger: await ledger(), signal };
}
