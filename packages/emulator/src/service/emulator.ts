import type { Behaviour } from "./behaviour.ts";
import type { CallEntry } from "./calls.ts";
import type { Clock, ClockMode } from "./clock.ts";
import type { OpenApiDocument } from "./document.ts";
import type { EmulatorResponse, EmulatorRequest } from "./exchange.ts";
import type { Fault } from "./faults.ts";
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
   * @default 10_000
   */
  readonly credits?: number | undefined;
  /**
   * The seed of ids, task seeds, pictures, scrambled statuses, and of which calls a fault with a share hits.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * How time passes.
   * @default "auto"
   */
  readonly clock?: ClockMode | undefined;
  /** Settings for everything that the service's description leaves open; each has a default. */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /**
   * The OpenAPI document to serve, with its references resolved.
   * @default the one of the Media Generation Service
   */
  readonly document?: OpenApiDocument | undefined;
  /**
   * Saves the state; awaited before the response to a call that changed it, so that the change survives the process.
   */
  readonly persist?: ((snapshot: () => Snapshot) => Promise<void>) | undefined;
}

/** The Media Generation Service on this machine. */
export interface Emulator {
  /** Handles a request like `fetch`, without a network; pass it as the `fetch` of a client. */
  fetch(request: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** Handles a request that is not a web Request. `fetch` and `listen` call it. */
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
  /** The emulator's time. */
  readonly clock: Clock;
  /** The balance in credits. Can be set. */
  credits: number;
  /** The latest calls, each with the violations that were found in it. */
  readonly calls: readonly CallEntry[];
  /** One entry for each paid task. */
  readonly charges: readonly Charge[];
  /** Every task that has not been deleted, with its state. */
  readonly tasks: readonly EmulatedTask[];
  /** Adds a fault that later calls meet. */
  next(fault: Fault): void;
  /** Returns everything that outlives a call, as plain JSON. */
  snapshot(): Snapshot;
  /**
   * Replaces the state and the time with those of a snapshot.
   *
   * @throws TypeError if it is not a snapshot of this version of the emulator
   */
  restore(snapshot: Snapshot): void;
  /** Returns the emulator to the state in which it was created. */
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
  /** The final statuses. */
  readonly statuses: Emulator["statuses"];
  /** The emulator's time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Sleeps on the emulator's clock. */
  readonly sleep: Clock["sleep"];
  /** Draws the jitter of waits from the seed, so that they take the same time in every run. */
  readonly random: () => number;
}

/** A task with its current state. */
export interface EmulatedTask extends EmulatorTask {
  /** The current state. */
  readonly state: EmulatorState;
}
