import { UsedKeys } from "../call/hide-key.ts";
import { Retries } from "../call/retries.ts";
import { createEmit, createReport } from "../errors/events.ts";
import { readOptions } from "../errors/options.ts";
import { once } from "../spec/values.ts";
import type { Ledger } from "../store/ledger.ts";
import type { GenerationStore } from "../store/store.ts";
import { Time } from "../time/clock.ts";
import { Semaphore } from "../time/semaphore.ts";
import { durationsAt } from "../wait/durations.ts";
import { Scheduler } from "../wait/scheduler.ts";
import type { GenerateHost } from "./generate.ts";
import { clientOptions, type MediaGenOptions } from "./options.ts";
import type { Runtime } from "./runtime.ts";
import { environment, readAccess, readStates } from "./settings.ts";
import { checkSilently, type TaskHost } from "./task-handle.ts";

/**
 * What the parts of one client share. It is made once and handed down. Each part declares the fields that it needs as an interface
 * of its own, such as `CallHost`, and gets this object.
 */
export interface Host extends Runtime, GenerateHost, TaskHost {
  readonly store: GenerationStore | undefined;
  /** Loads the ledger of the store, if there is one. */
  readonly ledger: (() => Promise<Ledger>) | undefined;
}

/** Creates the host of a client. */
export function createHost<O extends MediaGenOptions>(
  given: O,
  createRuntime: (options: O, origin: string) => Runtime,
): Host {
  const options = readOptions("createMediaGen", given, clientOptions);
  const { baseUrl, apiKey, headers } = readAccess("createMediaGen", options, "apiKey" in given);
  const { origin } = new URL(baseUrl);
  const { store, maxGenerationsInFlight = Infinity, queryTimeoutMs = 60_000, generateTimeoutMs = 600_000 } = options;
  const time = new Time(options.clock);
  const emit = createEmit(options.onEvent, environment("MEDIAGEN_LOG") === "1");
  const keys = new UsedKeys();
  const host: Host = {
    ...createRuntime(options, origin),
    baseUrl,
    origin,
    apiKey,
    headers,
    keys,
    hide: keys.hide,
    timeouts: { queryMs: queryTimeoutMs, generateMs: generateTimeoutMs },
    time,
    emit,
    report: createReport(emit, time),
    retries: new Retries(options, time.random),
    turns: new Semaphore(maxGenerationsInFlight),
    beforeGenerate: options.beforeGenerate,
    states: readStates("createMediaGen", options),
    scheduler: new Scheduler(options, time, (name) => durationsAt(options.clock, `${origin} ${name}`)),
    check: checkSilently,
    store,
    // Loaded at first use, so that clients without a store do not load it.
    ledger:
      store &&
      once(async () => {
        const { Ledger } = await import("../store/ledger.ts");
        return new Ledger(host, store, await host.processes());
      }),
  };
  return host;
}
