import { Activity } from "./activity.ts";
import { type Behaviour, type Statuses, statusesOf } from "./behaviour.ts";
import { type Calls, createCalls } from "./calls.ts";
import { EmulatorClock } from "./clock.ts";
import { rejectUnknown } from "./closest.ts";
import type { EmulatorOptions } from "./emulator-types.ts";
import { createFaults, type Faults } from "./faults.ts";
import type { ResultSource } from "./own-result.ts";
import { readRoutes, type Route } from "./routes.ts";
import { checkSettings, defaultBehaviour } from "./settings.ts";
import { createState, type Snapshot, type State, takeSnapshot } from "./state.ts";
import { createThrottle, type Throttle } from "./throttle.ts";

/** Dependencies that the parts of one emulator share. */
export interface Context {
  readonly apiKey: string;
  /** The current settings. Changes mutate this object. */
  readonly behaviour: Behaviour;
  /** The status integers by these settings. Changes mutate this object. */
  readonly statuses: Statuses;
  /** Changes settings. Throws a RangeError and changes nothing if one is invalid. */
  readonly configure: (settings: unknown) => void;
  readonly state: State;
  readonly activity: Activity;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
  readonly throttle: Throttle;
  readonly calls: Calls;
  readonly routes: ReadonlyMap<string, Route>;
  /** The user's own files as results. */
  readonly results: ResultSource;
  /** Returns everything that outlives a call. */
  readonly snapshot: () => Snapshot;
  /** Saves a change. It is awaited before the response that reports it. */
  readonly keep: () => Promise<void>;
}

const known: Readonly<Record<keyof EmulatorOptions, true>> = {
  apiKey: true,
  credits: true,
  seed: true,
  clock: true,
  behaviour: true,
  results: true,
  replay: true,
  document: true,
  persist: true,
};

/** Creates the shared dependencies from the options and their defaults. */
export function createContext(options: EmulatorOptions): Context {
  rejectUnknown(options, "an option of createEmulator", "The options are", Object.keys(known));
  const { apiKey = "emulator-key", credits = 10_000, seed = 1, clock: mode = "auto", persist } = options;
  const behaviour: Behaviour = { ...defaultBehaviour, ...checkSettings(options.behaviour ?? {}) };
  const statuses: Statuses = { ...statusesOf(behaviour, seed) };
  const state = createState(seed, credits);
  const activity = new Activity();
  const clock = new EmulatorClock(mode, activity);
  const routes = readRoutes(options.document);
  const snapshot = () => takeSnapshot(state, clock.now());
  return {
    apiKey,
    behaviour,
    statuses,
    configure(settings) {
      Object.assign(behaviour, checkSettings(settings));
      Object.assign(statuses, statusesOf(behaviour, seed));
    },
    state,
    activity,
    clock,
    faults: createFaults(state.random, routes.values()),
    throttle: createThrottle(behaviour, clock, activity, seed),
    calls: createCalls(behaviour),
    routes,
    results: options.results ?? (() => undefined),
    snapshot,
    keep: async () => persist?.(snapshot),
  };
}
