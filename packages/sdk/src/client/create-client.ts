import { createCall } from "../call/call.ts";
import { createRetries } from "../call/retries.ts";
import { createKeys } from "../call/api-key.ts";
import { invalidRequest, ofTask } from "../errors/errors.ts";
import { readOptions } from "../errors/options.ts";
import { createEmit, createReport } from "../errors/events.ts";
import { findOperation, type Form, kindOf, type Model } from "../form/model.ts";
import type { Kind } from "../spec/operation.ts";
import { once } from "../spec/once.ts";
import { operations } from "../spec/operations.gen.ts";
import type { Resolution } from "../store/recovery.ts";
import type { RecordingHost } from "../store/session.ts";
import type { AnyTask, CallOptions, Task, TaskJSON } from "../task/task.ts";
import { sleepBy, type SleepReason, startTimer, type Time, timersOf } from "../time/clock.ts";
import { Semaphore } from "../time/semaphore.ts";
import { shareTimer } from "../time/shared-timer.ts";
import { durationsAt } from "../wait/durations.ts";
import { Scheduler } from "../wait/scheduler.ts";
import { prepare } from "./prepare.ts";
import { generate, type GenerateHost } from "./generate.ts";
import type { GenerateOptions, KindClient, MediaGen } from "./media-gen.ts";
import { clientOptions, type MediaGenOptions } from "./options.ts";
import { environment, readAccess, readStates } from "./settings.ts";
import type { RecordedGenerations } from "./recorded.ts";
import { checkSilently, readTask, TaskHandle, type TaskHost } from "./task-handle.ts";
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

/** Creates a client for a runtime. */
export function createClient<O extends MediaGenOptions>(
  given: O,
  createRuntime: (options: O, origin: string) => Runtime,
): MediaGen {
  const options = readOptions("createMediaGen", given, clientOptions);
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options, "apiKey" in given);
  const { origin } = new URL(baseUrl);
  const { store, beforeGenerate, maxGenerationsInFlight = Infinity } = options;
  const { transport, get, processes } = createRuntime(options, origin);
  const time = createTime(options);
  const emit = createEmit(options.onEvent, environment("MEDIAGEN_LOG") === "1");
  const retries = createRetries(options, time);
  const recording = store && createRecording({ store, time, origin, emit }, processes);
  const { keyed, hide } = createKeys(baseUrl, headers);
  const report = createReport(emit, time);
  const { queryTimeoutMs: queryMs = 60_000, generateTimeoutMs: generateMs = 600_000 } = options;
  const timeouts = { queryMs, generateMs };
  const call = createCall({ baseUrl, apiKey, keyed, transport, timeouts, time, emit, retries });
  const methods = createMethods({
    origin,
    apiKey,
    beforeGenerate,
    states: readStates("createMediaGen", options),
    time,
    emit,
    report,
    scheduler: new Scheduler(options, time, durationsAt(options.clock, origin)),
    turns: new Semaphore(maxGenerationsInFlight),
    recording,
    call,
    tasks: new Tasks({ call, time, recording, apiKey }),
    results: { get, time, emit, report, check: checkSilently, retries, hide, baseUrl },
  });
  return { ...methods, origin, store };
}

/** A function that loads the part that works with a store. */
type LazyRecording = () => Promise<RecordedGenerations>;

/** Creates the function that loads `RecordedGenerations` at first use, so that clients without a store do not load it. */
function createRecording(host: Omit<RecordingHost, "processes">, processes: Runtime["processes"]): LazyRecording {
  return once(async () => {
    const { RecordedGenerations } = await import("./recorded.ts");
    return new RecordedGenerations({ ...host, processes: await processes() });
  });
}

/** Creates the clock and the timers. */
function createTime({ clock = {} }: MediaGenOptions): Time {
  const sleep = clock.sleep?.bind(clock);
  const now = clock.now?.bind(clock) ?? Date.now;
  const steady = clock.steady?.bind(clock) ?? clock.now?.bind(clock) ?? (() => performance.now());
  const random = clock.random?.bind(clock) ?? Math.random;
  const shared = (reason: SleepReason) =>
    shareTimer({ steady }, sleep ? timersOf((ms, signal) => sleep(ms, signal, reason)) : startTimer, {
      holds: reason !== "background",
    });
  const timers = {
    pause: shared("pause"),
    deadline: shared("deadline"),
    limit: shared("limit"),
    background: shared("background"),
  };
  const alarm: Time["alarm"] = (ms, ring, reason = "pause") => timers[reason](ms, ring);
  return { now, steady, random, alarm, sleep: sleepBy(alarm) };
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
    const operation = findOperation(model, kind && [kind])?.id ?? "generate";
    return host.report({ operation, kind, model }, async () => {
      const checked = await prepare(kind ?? kindOf(model), model, form, options, host.apiKey);
      // The cast: a task's kind decides its type, which a constructor cannot say.
      return new TaskHandle(await generate(checked, host), host) as AnyTask;
    });
  };
}

function createMethods(host: ClientHost): Omit<MediaGen, "origin" | "store"> {
  const { origin, report, tasks, recording } = host;
  // The cast: a task's kind decides its type, which a constructor cannot say.
  const open = (task: TaskJSON) => new TaskHandle(task, host) as AnyTask;
  const resume = (saved: TaskJSON) => open(readTask(saved, origin));
  const generateTask = createGenerate(host);
  const kindClient = <K extends Kind>(kind: K): KindClient<K> => ({
    // The casts: what is generated or created is of the kind that was requested, and an unchecked model is any text.
    generate: (model: string, form: object, options?: GenerateOptions) =>
      generateTask(kind, model as Model, form as Form<Model>, options) as Promise<Task<K>>,
    query: (taskid, options = {}) =>
      report({ operation: operations[kind].query.id, kind, taskid }, async () => {
        const { record } = await ofTask(tasks.query({ kind, taskid }, options));
        return record;
      }),
    delete: (taskids, options = {}) =>
      report({ operation: operations[kind].delete.id, kind }, () => ofTask(tasks.delete(kind, taskids, options))),
    task(taskid, options = {}) {
      const { resultCount = 1 } = readOptions(`media.${kind}.task`, options, { resultCount: "any" });
      return resume({ version: 2, kind, taskid, origin, resultCount }) as ReturnType<KindClient<K>["task"]>;
    },
  });
  const load = (method: string) => {
    if (recording) return recording();
    const advice = "Pass { store } to createMediaGen, such as fileStore(directory).";
    throw invalidRequest(method, "store", "missing", "is missing", advice);
  };
  return {
    video: kindClient("video"),
    image: kindClient("image"),
    // The casts: a model known only at run time is checked at run time, and its form with it.
    generate: (model, form, options) => generateTask(undefined, model as Model, form as Form<Model>, options),
    task: resume,
    recover: (options = {}) =>
      report({ operation: "recover" }, async () => (await load("recover")).recover(options, open)),
    // The cast: what it returns follows from the resolution, which only overloads can say.
    resolve: ((id: string, resolution: Resolution, options: CallOptions = {}) =>
      report({ operation: "resolve", generationId: id }, async () =>
        ofTask((await load("resolve")).resolve(id, resolution, tasks, open, options), undefined, "maybe"),
      )) as MediaGen["resolve"],
  };
}
