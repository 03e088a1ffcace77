import { type Context, createContext } from "../service/context.ts";
import type { Emulator, EmulatorClient, EmulatorOptions } from "../service/emulator-types.ts";
import { createRandom } from "../service/random.ts";
import { formOf } from "../service/record.ts";
import { reportOf } from "../service/report.ts";
import { restoreSnapshot, validCredits } from "../service/state.ts";
import { stateAt } from "../service/task.ts";
import { createDispatch } from "./dispatch.ts";
import { createFetch } from "./fetch.ts";

/**
 * Creates an emulator of the service in this process. It needs no closing.
 *
 * @returns The emulator: a function from request to response, with a state that tests can read and
 * set.
 * @throws A `RangeError` if the clock, the balance or a setting is not valid
 * @throws An `Error` if the document is not one that the emulator can serve
 * @example
 * const emulator = createEmulator({ credits: 100 });
 * const media = createMediaGen(emulator.client);
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const context = createContext(options);
  const { behaviour, state, clock, calls, faults, snapshot, statuses } = context;
  const fresh = { snapshot: snapshot(), behaviour: { ...behaviour } };
  // Not a class, because its functions are also called without it, as in
  // `{ fetch: emulator.fetch }`.
  const emulator: Emulator = {
    fetch: createFetch((request) => dispatch(request), context.activity),
    serve: (request) => dispatch(request),
    get client() {
      return clientOf(emulator, context);
    },
    get statuses() {
      return { succeeded: [statuses.succeeded], failed: [statuses.failed] };
    },
    clock,
    get credits() {
      return state.credits;
    },
    set credits(value) {
      state.credits = validCredits(value);
    },
    get calls() {
      return calls.list();
    },
    get charges() {
      return [...state.charges];
    },
    get tasks() {
      return [...state.tasks.values()].map((task) => ({
        ...task,
        state: stateAt(task, clock.now()),
      }));
    },
    get behaviour() {
      return { ...behaviour };
    },
    configure: context.configure,
    report: () => reportOf(calls, state.charges),
    next: faults.add,
    snapshot,
    restore(given) {
      restoreSnapshot(state, given, (task) => formOf(context, task) !== undefined);
      clock.set(given.now);
    },
    reset() {
      context.configure(fresh.behaviour);
      emulator.restore(fresh.snapshot);
      faults.clear();
      calls.clear();
    },
  };
  const dispatch = createDispatch(emulator, context);
  return emulator;
}

function clientOf(
  { fetch, statuses }: Emulator,
  { apiKey, clock, state }: Context,
): EmulatorClient {
  return {
    // Requests to localhost and its subdomains never leave the machine (RFC 6761).
    baseUrl: "http://emulator.localhost",
    apiKey,
    fetch,
    fetchSendsOnce: true,
    allowBrowser: true,
    statuses,
    clock: {
      now: clock.now,
      steady: clock.now,
      sleep: clock.sleep,
      random: createRandom(state.seed),
    },
  };
}
