import { defaultBehaviour, type Behaviour, type Statuses } from "./behaviour.ts";
import { createCalls, type CallEntry } from "./calls.ts";
import { createClock, type Clock, type ClockMode } from "./clock.ts";
import { createControl } from "./control.ts";
import { incomingOf, type Answer, type Incoming } from "./exchange.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createOperations } from "./operations.ts";
import { createRandom } from "./random.ts";
import { createDownloads } from "./downloads.ts";
import { readRoutes, type OpenApiDocument } from "./service.ts";
import { createState, restoreSnapshot, takeSnapshot, type Charge, type Snapshot } from "./state.ts";
import { stateAt, type EmulatorState, type EmulatorTask } from "./task.ts";

/** How to create an emulator. */
export interface EmulatorOptions {
  /**
   * The key that calls must carry.
   * @default "emulator-key"
   */
  readonly apiKey?: string | undefined;
  /**
   * The balance.
   * @default 10_000
   */
  readonly credits?: number | undefined;
  /**
   * Determines ids, seeds, pictures, scrambled statuses and which calls a share of faults hits.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * How time passes.
   * @default "auto"
   */
  readonly clock?: ClockMode | undefined;
  /** What the service's description leaves open; what is not named stays as it is. */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /**
   * The OpenAPI document to serve, with references resolved.
   * @default the one of the Media Generation Service
   */
  readonly document?: OpenApiDocument | undefined;
  /** Is awaited before a change is answered: what it keeps survives the process. */
  readonly persist?: ((snapshot: () => Snapshot) => Promise<void>) | undefined;
}

/** A task as a test sees it. */
export interface EmulatedTask extends EmulatorTask {
  /** Where the task is now. */
  readonly state: EmulatorState;
}

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

/** Creates the service on this machine. It holds nothing that is to be closed. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { apiKey = "emulator-key", credits = 10_000, seed = 1, clock: mode = "auto", persist } = options;
  const given = Object.entries(options.behaviour ?? {}).filter(([, value]) => value !== undefined);
  const behaviour: Behaviour = { ...defaultBehaviour, ...Object.fromEntries(given) };
  const statuses = behaviour.statuses === "scrambled" ? scrambled(seed) : behaviour.statuses;
  const state = createState(seed, balance(credits));
  let underWay = 0;
  let served = 0;
  // What hangs is not under way: time goes on without it.
  const hang = async (signal: AbortSignal): Promise<never> => {
    underWay--;
    try {
      return await new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    } finally {
      underWay++;
    }
  };
  // A Request that nobody holds is collected, and its signal never aborts then: a hang would have no end.
  const held = new Set<Request>();
  const clock = createClock(mode, () => (underWay > 0 ? {} : served));
  const routes = readRoutes(options.document);
  const faults = createFaults(state.random, routes.values());
  const calls = createCalls(behaviour.callsKept);
  const snapshot = () => takeSnapshot(state, clock.now());
  const keep = async () => persist?.(snapshot);

  const context = { apiKey, behaviour, statuses, state, clock, faults, calls, keep, hang, routes };
  const operations = createOperations(context);
  const downloads = createDownloads(context);

  async function serve(incoming: Incoming): Promise<Answer> {
    const { pathname } = incoming.url;
    underWay++;
    served++;
    try {
      const open = downloads.serves(pathname) || !control.serves(pathname);
      if (open && incoming.method === "OPTIONS") return marked(preflight, readableByAll);
      if (downloads.serves(pathname)) return marked(await downloads.serve(incoming), readableByAll);
      if (control.serves(pathname)) return marked(await control.serve(incoming), {});
      return marked(await operations(incoming), readableByAll);
    } finally {
      underWay--;
    }
  }

  const emulator: Emulator = {
    async fetch(input, init) {
      const request = input instanceof Request && !init ? input : new Request(input, init);
      request.signal.throwIfAborted();
      held.add(request);
      try {
        const { status, headers, body } = await serve(incomingOf(request));
        return new Response(body, { status, headers });
      } finally {
        held.delete(request);
      }
    },
    serve,
    get client() {
      const { fetch, statuses: final } = emulator;
      // localhost and what ends in it never leaves the machine (RFC 6761).
      return { baseUrl: "http://emulator.localhost", apiKey, fetch, statuses: final, now: clock.now, sleep: clock.sleep, random: createRandom(seed) };
    },
    statuses: { succeeded: [statuses.succeeded], failed: [statuses.failed] },
    clock,
    get credits() {
      return state.credits;
    },
    set credits(value) {
      state.credits = balance(value);
    },
    get calls() {
      return calls.list();
    },
    get charges() {
      return [...state.charges];
    },
    get tasks() {
      return [...state.tasks.values()].map((task) => ({ ...task, state: stateAt(task, clock.now()) }));
    },
    next: faults.add,
    snapshot,
    restore(given) {
      restoreSnapshot(state, given);
      clock.set(given.now);
    },
    reset() {
      emulator.restore(fresh);
      faults.clear();
      calls.clear();
    },
  };
  const fresh = snapshot();
  const control = createControl(emulator, context, downloads);
  return emulator;
}

/** Lets pages of any origin read an answer: the service's own, not what steers the emulator. */
const readableByAll = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

/** What a page may send: the key (which no asterisk covers), a body of either type, and a request for the rest of a result. */
const preflight: Answer = {
  status: 204,
  headers: { "access-control-allow-headers": "authorization, content-type, range, if-range, if-none-match, *", "access-control-allow-methods": "*" },
  body: null,
};

function marked(answer: Answer, more: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...more, "x-emulator": "1" } };
}

function balance(credits: number): number {
  if (typeof credits === "number" && credits >= 0) return credits;
  throw new RangeError(`credits are a number, at least 0, not ${JSON.stringify(credits)}`);
}

function scrambled(seed: number): Statuses {
  const random = createRandom(seed ^ 0x5eed);
  const drawn = new Set<number>();
  while (drawn.size < 4) drawn.add(Math.floor(random() * 1_000));
  const [pending = 0, running = 0, succeeded = 0, failed = 0] = drawn;
  return { pending, running, succeeded, failed };
}
