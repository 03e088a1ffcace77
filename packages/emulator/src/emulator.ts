import { defaultBehaviour } from "./service/behaviour.ts";
import { createControl } from "./page/control.ts";
import type { Behaviour, Statuses } from "./service/behaviour.ts";
import { createCalls } from "./service/calls.ts";
import { type ClockMode, createClock } from "./service/clock.ts";
import type { OpenApiDocument } from "./service/document.ts";
import { createDownloads } from "./service/downloads.ts";
import type { Emulator } from "./service/emulator.ts";
import { type Answer, type Incoming, incomingOf } from "./service/exchange.ts";
import { createFaults } from "./service/faults.ts";
import { createOperations } from "./service/operations.ts";
import { createRandom } from "./service/random.ts";
import { readRoutes } from "./service/routes.ts";
import { createState, restoreSnapshot, type Snapshot, takeSnapshot } from "./service/state.ts";
import { stateAt } from "./service/task.ts";

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
      return {
        baseUrl: "http://emulator.localhost",
        apiKey,
        fetch,
        statuses: final,
        now: clock.now,
        sleep: clock.sleep,
        random: createRandom(seed),
      };
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
  headers: {
    "access-control-allow-headers": "authorization, content-type, range, if-range, if-none-match, *",
    "access-control-allow-methods": "*",
  },
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
