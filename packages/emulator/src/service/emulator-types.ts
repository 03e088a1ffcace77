import type { Behaviour, Limits } from "./settings.ts";
import type { CallEntry } from "./calls.ts";
import type { Clock, ClockMode } from "./clock.ts";
import type { EmulatorResponse, EmulatorRequest } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { ResultSource } from "./own-result.ts";
import type { Service } from "./operation.ts";
import type { Report } from "./report.ts";
import type { Charge, Snapshot } from "./state.ts";
import type { EmulatorState, EmulatorTask } from "./task.ts";

/** The options of `createEmulator`. */
export interface EmulatorOptions {
  /**
   * The API key that calls must carry.
   * @default "emulator-key"
   */
  readonly apiKey?: string | undefined;
  /**
   * The balance in credits.
   * @default 1_000_000_000, which no test uses up
   */
  readonly credits?: number | undefined;
  /**
   * The seed of ids, task seeds, pictures, scrambled statuses, and of which calls a fault with a
   * share hits.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * The way in which time passes.
   * @default "auto"
   */
  readonly clock?: ClockMode | undefined;
  /**
   * Settings for everything that the service's description leaves open; each has a default, and
   * `configure` changes it.
   */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /**
   * The files to return as results, such as `resultsFrom(directory)` of `@mediagen/emulator/node`.
   * @default the emulator makes all results
   */
  readonly results?: ResultSource | undefined;
  /**
   * What the emulator serves, draws and keeps at most.
   * @default bodies of 64 MiB, texts of 100,000 characters, 4096 * 4096 pixels, 1,000 calls
   */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * The operations to serve, as the repository's generator makes them.
   * @default those of the Media Generation Service
   */
  readonly service?: Service | undefined;
  /**
   * Called to save the state. It is awaited before the response to a call that changed the state,
   * so that the change survives the process.
   */
  readonly persist?: ((snapshot: () => Snapshot) => Promise<void>) | undefined;
}

/** The Media Generation Service on this machine. */
export interface Emulator {
  /**
   * Handles a request like the global `fetch`, without a network. Pass it as the `fetch` of a
   * client.
   *
   * @param request The request, or its URL.
   * @param init The options of `fetch`.
   * @returns The response of the emulator.
   * @throws The signal's reason if the signal aborts, or the error of a reset connection if the
   * call meets such a fault
   * @example const response = await emulator.fetch("http://emulator.localhost/");
   */
  fetch(request: Request | URL | string, init?: RequestInit): Promise<Response>;
  /**
   * Handles a request that is not a web Request, for your own server. `fetch` and `listen` call it.
   *
   * @returns The response, to be written to a socket.
   * @throws The error of a reset connection, if the call meets such a fault
   * @example const { status } = await emulator.serve(request);
   */
  serve(request: EmulatorRequest): Promise<EmulatorResponse>;
  /** Options for the SDK's `createMediaGen`: the client calls this emulator and uses its clock. */
  readonly client: EmulatorClient;
  /** The final statuses, for the SDK's option `statuses`. */
  readonly statuses: {
    /** Statuses of tasks whose results are complete. */
    readonly succeeded: readonly number[];
    /** Statuses of tasks that have failed. */
    readonly failed: readonly number[];
  };
  /** The emulator's clock. */
  readonly clock: Clock;
  /** The balance in credits. You can set it. */
  credits: number;
  /** The latest calls, each with the violations that were found in it. */
  readonly calls: readonly CallEntry[];
  /** One entry for each paid task. */
  readonly charges: readonly Charge[];
  /** Every task that has not been deleted, with its state. */
  readonly tasks: readonly EmulatedTask[];
  /** The current settings. */
  readonly behaviour: Behaviour;
  /**
   * Changes settings; all others stay as they are.
   *
   * @param settings The settings to change.
   * @throws A `RangeError` if a setting does not exist or a value is not valid; nothing was changed
   * @example emulator.configure({ unknownIds: "ignore", callsPerMinute: 60 });
   */
  configure(settings: Partial<Behaviour>): void;
  /**
   * Summarises calls, violations and charges.
   *
   * @returns The report, as plain JSON.
   * @example const { violatingCalls, credits } = emulator.report();
   */
  report(): Report;
  /**
   * Adds a fault for the next calls.
   *
   * @throws A `RangeError` if the fault does not exist, no call can meet it, or one of its numbers
   * is not valid
   * @example emulator.next({ fault: "resetAfter", on: "generate" });
   */
  next(fault: Fault): void;
  /**
   * Copies everything that outlives a call, as plain JSON.
   *
   * @returns The state, for `restore` in this or another process.
   * @example const before = emulator.snapshot();
   */
  snapshot(): Snapshot;
  /**
   * Replaces the state and the time with those of a snapshot.
   *
   * @throws A `TypeError` if it is not a snapshot of this version of the emulator; nothing was
   * changed
   * @example
   * const before = emulator.snapshot();
   * await media.video.generate("vidmodelv2", { prompt });
   * emulator.restore(before);
   */
  restore(snapshot: Snapshot): void;
  /**
   * Returns the emulator to the state and the settings with which it was created, without faults
   * and recorded calls.
   *
   * @example emulator.reset();
   */
  reset(): void;
}

/** The options that connect a client of the SDK to an emulator. */
export interface EmulatorClient {
  /** A URL that never leaves the machine; `fetch` handles its requests. */
  readonly baseUrl: string;
  /** The API key that the emulator accepts. */
  readonly apiKey: string;
  /** The emulator's `fetch`. */
  readonly fetch: Emulator["fetch"];
  /** The emulator's `fetch` sends each request once. */
  readonly fetchSendsOnce: true;
  /**
   * No request leaves the page, so the key may be in it: jsdom and happy-dom look like browsers.
   */
  readonly allowBrowser: true;
  /** The final statuses. */
  readonly statuses: Emulator["statuses"];
  /**
   * The emulator's clock. The jitter of waits is drawn from the seed, so that they take the same
   * time in every run.
   */
  readonly clock: Pick<Clock, "now" | "sleep"> &
    Readonly<Record<"steady" | "random", () => number>>;
}

/** A task with its current state. */
export interface EmulatedTask extends EmulatorTask {
  /** The current state. */
  readonly state: EmulatorState;
}
