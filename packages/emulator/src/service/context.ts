import { Activity } from "./activity.ts";
import { type Calls, createCalls } from "./calls.ts";
import { EmulatorClock } from "./clock.ts";
import type { EmulatorOptions } from "./emulator-types.ts";
import { createFaults, type Faults } from "./faults.ts";
import type { ResultSource } from "./own-result.ts";
import type { Operation, Validate } from "./operation.ts";
import { operations as bundled } from "./operations.gen.ts";
import { checkSettings, rejectUnknown, statusesOf } from "./read-settings.ts";
import {
  type Behaviour,
  defaultBehaviour,
  type Limits,
  type Statuses,
  usualLimits,
} from "./settings.ts";
import { createState, type Snapshot, type State, takeSnapshot } from "./state.ts";
import { createThrottle, type Throttle } from "./throttle.ts";
import { validators as compiled } from "./validators.gen.ts";

/** Dependencies that the parts of one emulator share. */
export interface Context {
  readonly apiKey: string;
  /** The current settings. Changes mutate this object. */
  readonly behaviour: Behaviour;
  /** The status integers by these settings. Changes mutate this object. */
  readonly statuses: Statuses;
  /** Changes settings. Throws a RangeError and changes nothing if one is invalid. */
  readonly configure: (settings: unknown) => void;
  readonly limits: Limits;
  readonly state: State;
  readonly activity: Activity;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
  readonly throttle: Throttle;
  readonly calls: Calls;
  /** The operations by path. */
  readonly operations: ReadonlyMap<string, Operation & { readonly validate: Validate }>;
  /** The user's own files as results. */
  readonly results: ResultSource;
  /** Returns everything that outlives a call. */
  readonly snapshot: () => Snapshot;
  /** Saves a change. It is awaited before the response that reports it. */
  readonly keep: () => Promise<void>;
}

const known = "apiKey credits seed clock behaviour results service limits persist".split(" ");

/** Creates the shared dependencies from the options and their defaults. */
export function createContext(options: EmulatorOptions): Context {
  rejectUnknown(options, "option of createEmulator", known);
  rejectUnknown(options.limits ?? {}, "limit", Object.keys(usualLimits));
  const {
    apiKey = "emulator-key",
    credits = 1_000_000_000,
    seed = 1,
    clock: mode = "auto",
    persist,
  } = options;
  const behaviour: Behaviour = { ...defaultBehaviour, ...checkSettings(options.behaviour ?? {}) };
  const statuses: Statuses = { ...statusesOf(behaviour, seed) };
  const state = createState(seed, credits);
  const activity = new Activity();
  const limits = { ...usualLimits, ...options.limits };
  const clock = new EmulatorClock(mode, activity);
  const { operations: all, validators } = options.service ?? {
    operations: bundled,
    validators: compiled,
  };
  // The cast: the generator makes a validator for each operation.
  const validateOf = (id: string) => validators[id] as Validate;
  const operations = new Map(
    all.map((one) => [one.path, { ...one, validate: validateOf(one.operation) }]),
  );
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
    faults: createFaults(state.random, operations.values()),
    throttle: createThrottle(behaviour, clock, activity, seed),
    calls: createCalls(limits.calls),
    operations,
    limits,
    results: options.results ?? (() => undefined),
    snapshot,
    keep: async () => persist?.(snapshot),
  };
}
