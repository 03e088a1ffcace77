import { createRetries, type Retries } from "../call/retries.ts";
import { createEmit, createLog, type Emit, type Log } from "../errors/emit.ts";
import { once } from "../spec/once.ts";
import type { RecordingHost } from "../store/session.ts";
import { sleepBy, type SleepReason, startTimer, type Time, timersOf } from "../time/clock.ts";
import { Semaphore } from "../time/semaphore.ts";
import { shareTimer } from "../time/shared-timer.ts";
import { Scheduler } from "../wait/scheduler.ts";
import type { LazyLimits, Limits } from "./limits.ts";
import type { OptionName } from "./option-names.ts";
import type { MediaGenOptions } from "./options.ts";
import type { Pending, RecordedGenerations } from "./recorded.ts";
import type { Runtime } from "./runtime.ts";
import { readLogLevel } from "./settings.ts";

/** A function that loads the part that works with a store. */
export type LazyRecording = () => Promise<RecordedGenerations>;

/** The parts that clients can share: connections, limits, and what polls have shown. */
export interface Parts {
  readonly runtime: Runtime;
  readonly time: Time;
  readonly log: Log;
  readonly emit: Emit;
  readonly retries: Retries;
  readonly scheduler: Scheduler;
  /** Limits how many generations are sent at once. */
  readonly turns: Semaphore;
  readonly limits: LazyLimits | undefined;
  /** The unfinished generations with a key of all clients with this store. */
  readonly pending: Pending;
  readonly recording: LazyRecording | undefined;
}

/** The parts of another client, and the options that are given in place of its own. */
export interface Kept {
  readonly parts: Parts;
  readonly given: MediaGenOptions;
}

/** Creates the parts of a client. A part of the `kept` client is shared unless `given` has an option that it depends on. */
export function createParts(
  options: MediaGenOptions,
  origin: string,
  createRuntime: () => Runtime,
  kept: Kept | undefined,
): Parts {
  const keep = <K extends keyof Parts>(name: K, made: readonly OptionName[], create: () => Parts[K]): Parts[K] =>
    kept && !made.some((option) => option in kept.given) ? kept.parts[name] : create();
  const runtime = keep("runtime", ["baseUrl", "maxQueriesInFlight", ...connecting], createRuntime);
  const time = keep("time", timing, () => createTime(options));
  const log = keep("log", ["logger", "logLevel"], () =>
    createLog(options.logger, readLogLevel("createMediaGen", options)),
  );
  const emit = keep("emit", logging, () => createEmit(options.onEvent, log));
  const { store } = options;
  const pending = keep("pending", ["store"], () => new Map());
  return {
    runtime,
    time,
    log,
    emit,
    retries: keep("retries", ["retries", "resendGenerationAfter", ...timing], () => createRetries(options, time)),
    scheduler: keep("scheduler", ["maxQueriesInFlight", ...timing], () => new Scheduler(options, time)),
    turns: keep("turns", ["maxGenerationsInFlight"], () => new Semaphore(options.maxGenerationsInFlight ?? Infinity)),
    limits: keep("limits", ["budget", "maxTasksInFlight"], () => createLimits(options, time, kept)),
    pending,
    recording: keep(
      "recording",
      ["store", "baseUrl", ...logging, ...timing],
      () => store && createRecording(runtime, { store, time, origin, emit }, pending),
    ),
  };
}

const connecting: readonly OptionName[] = ["fetch", "fetchSendsOnce", "connectTimeoutMs", "proxy", "tls", "lookup"];
const timing: readonly OptionName[] = ["now", "sleep", "random"];
const logging: readonly OptionName[] = ["onEvent", "logger", "logLevel"];

/** Creates the function that loads `RecordedGenerations` at first use, so that clients without a store do not load it. */
function createRecording(
  { processes }: Runtime,
  host: Omit<RecordingHost, "processes">,
  pending: Pending,
): LazyRecording {
  return once(async () => {
    const { RecordedGenerations } = await import("./recorded.ts");
    return new RecordedGenerations({ ...host, processes: await processes() }, pending);
  });
}

/** Creates the limits, which are loaded at the first generation. A limit that `given` does not have is shared with the `kept` client. */
function createLimits(options: MediaGenOptions, time: Time, kept: Kept | undefined): LazyLimits | undefined {
  const { budget, maxTasksInFlight = Infinity } = options;
  if (!budget && maxTasksInFlight === Infinity) return undefined;
  let loaded: Limits | undefined;
  const load = once(async () => {
    const { ClientLimits } = await import("./client-limits.ts");
    return (loaded = new ClientLimits(options, time, kept?.given, await kept?.parts.limits?.load()));
  });
  return { load, loaded: () => loaded };
}

/** Creates the clock and the timers. */
function createTime(options: MediaGenOptions): Time {
  const { now = Date.now, random = Math.random } = options;
  const steady = options.now ?? (() => performance.now());
  const { sleep } = options;
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
