import { Activity } from "./activity.ts";
import { type Behaviour, readBehaviour, type Statuses, statusesOf } from "./behaviour.ts";
import { type Calls, createCalls } from "./calls.ts";
import { EmulatorClock } from "./clock.ts";
import type { EmulatorOptions } from "./emulator.ts";
import { createFaults, type Faults } from "./faults.ts";
import { readRoutes, type Route } from "./routes.ts";
import { createState, type Snapshot, type State, takeSnapshot } from "./state.ts";

/** What the parts of one emulator share. */
export interface Context {
  readonly apiKey: string;
  readonly behaviour: Behaviour;
  readonly statuses: Statuses;
  readonly state: State;
  readonly activity: Activity;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly routes: ReadonlyMap<string, Route>;
  /** Returns everything that outlives a call. */
  readonly snapshot: () => Snapshot;
  /** Persists a change; awaited before the response that reports it. */
  readonly keep: () => Promise<void>;
}

/** Creates what the parts of an emulator share, from the options and their defaults. */
export function createContext(options: EmulatorOptions): Context {
  const { apiKey = "emulator-key", credits = 10_000, seed = 1, clock: mode = "auto", persist } = options;
  const behaviour = readBehaviour(options.behaviour);
  const state = createState(seed, credits);
  const activity = new Activity();
  const clock = new EmulatorClock(mode, activity);
  const routes = readRoutes(options.document);
  const snapshot = () => takeSnapshot(state, clock.now());
  return {
    apiKey,
    behaviour,
    statuses: statusesOf(behaviour, seed),
    state,
    activity,
    clock,
    faults: createFaults(state.random, routes.values()),
    calls: createCalls(behaviour.callsKept),
    routes,
    snapshot,
    keep: async () => persist?.(snapshot),
  };
}
