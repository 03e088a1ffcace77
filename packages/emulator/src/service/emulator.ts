import type { CallEntry } from "./calls.ts";
import type { Clock } from "./clock.ts";
import type { Answer, Incoming } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import type { Charge, Snapshot } from "./state.ts";
import type { EmulatorState, EmulatorTask } from "./task.ts";

/** The Media Generation Service on this machine. */
export interface Emulator {
  /** The whole service as a function; it plugs into the `fetch` of a client. */
  fetch(request: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** The same for what is no web Request: `fetch` and `listen` stand on it. */
  serve(incoming: Incoming): Promise<Answer>;
  /** What a client of the SDK is created with, so that it talks to this emulator, on its time. */
  readonly client: EmulatorClient;
  /** Which statuses are final, for the SDK's `statuses`. */
  readonly statuses: {
    /** Statuses of tasks whose results are there. */
    readonly succeeded: readonly number[];
    /** Statuses of tasks that have failed. */
    readonly failed: readonly number[];
  };
  /** The emulator's time. */
  readonly clock: Clock;
  /** The balance; it may be set. */
  credits: number;
  /** The latest calls, with what was wrong with each. */
  readonly calls: readonly CallEntry[];
  /** Each paid creation. */
  readonly charges: readonly Charge[];
  /** Every task that was not deleted, with its state. */
  readonly tasks: readonly EmulatedTask[];
  /** Asks for a fault. */
  next(fault: Fault): void;
  /** Everything that outlives a call, as plain JSON. */
  snapshot(): Snapshot;
  /**
   * Puts a snapshot's memory and time in the place of its own.
   *
   * @throws TypeError it is no snapshot of an emulator of this version
   */
  restore(snapshot: Snapshot): void;
  /** Back to how it was created. */
  reset(): void;
}

/** The options that connect a client of the SDK to an emulator. */
export interface EmulatorClient {
  /** An address that leaves no machine; `fetch` answers for it. */
  readonly baseUrl: string;
  /** The key that the emulator takes. */
  readonly apiKey: string;
  /** The service as a function. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Which statuses are final. */
  readonly statuses: Emulator["statuses"];
  /** The emulator's time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Sleeps on the emulator's clock. */
  readonly sleep: Clock["sleep"];
  /** Draws the jitter of waits from the seed, so that they take the same time in every run. */
  readonly random: () => number;
}

/** A task as a test sees it. */
export interface EmulatedTask extends EmulatorTask {
  /** Where the task is now. */
  readonly state: EmulatorState;
}
