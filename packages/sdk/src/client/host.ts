import { UsedKeys } from "../call/hide-key.ts";
import { Retries } from "../call/retries.ts";
import type { CallHost } from "../call/call.ts";
import { createEmit, createReport } from "../errors/events.ts";
import { readOptions } from "../errors/options.ts";
import { once } from "../spec/values.ts";
import type { ResultHost } from "../result/read-result.ts";
import type { ProcessInfo } from "../store/entries.ts";
import type { Ledger } from "../store/ledger.ts";
import type { GenerationStore } from "../store/store.ts";
import type { CallOptions, Check, StateOptions, Task } from "../task/task.ts";
import { Time } from "../time/clock.ts";
import { durationsAt } from "../wait/durations.ts";
import { PollLimit } from "../wait/poll-limit.ts";
import type { WaitHost } from "../wait/wait.ts";
import { type BeforeGenerate, clientOptions, type MediaGenOptions } from "./options.ts";
import { environment, readAccess } from "./settings.ts";

/**
 * The parts of a client that depend on the runtime: sending, fetching results, and information
 * about processes.
 */
export interface Runtime
  extends Pick<CallHost, "loadTransport">, Pick<ResultHost, "fetch" | "get"> {
  readonly processes: () => Promise<ProcessInfo>;
}

export type CreateRuntime<O> = (options: O, origin: string) => Runtime;

/** What the parts of one client share. It is made once and handed down. */
export interface Host extends Runtime, CallHost, WaitHost, ResultHost {
  readonly beforeGenerate: BeforeGenerate | undefined;
  readonly states: StateOptions;
  readonly store: GenerationStore | undefined;
  readonly ledger: (() => Promise<Ledger>) | undefined;
}

type Handle = Task & { checkSilently(options: CallOptions): Promise<Check> };

export function createHost<O extends MediaGenOptions>(
  given: O,
  createRuntime: CreateRuntime<O>,
): Host {
  const options = readOptions("createMediaGen", given, clientOptions);
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options, "apiKey" in given);
  const { origin } = new URL(baseUrl);
  const { store, queryTimeoutMs = 60_000, generateTimeoutMs = 600_000 } = options;
  const time = new Time(options.clock);
  const emit = createEmit(options.onEvent, environment("MEDIAGEN_LOG") === "1");
  const host: Host = {
    ...createRuntime(options, origin),
    baseUrl,
    origin,
    apiKey,
    headers,
    keys: new UsedKeys(),
    timeouts: { queryMs: queryTimeoutMs, generateMs: generateTimeoutMs },
    time,
    emit,
    report: createReport(emit, time),
    retries: new Retries(options, time.random),
    beforeGenerate: options.beforeGenerate,
    states: options,
    pollLimit: new PollLimit(options, time, (name) =>
      durationsAt(options.clock, `${origin} ${name}`),
    ),
    // The cast: every task of a client is a handle.
    check: (task, signal) => (task as Handle).checkSilently({ signal }),
    store,
    // Loaded at first use, so that clients without a store do not load it.
    ledger:
      store &&
      once(
        async () =>
          new (await import("../store/ledger.ts")).Ledger(host, store, await host.processes()),
      ),
  };
  return host;
}
