import type { Behaviour, Statuses } from "./behaviour.ts";
import type { Calls } from "./calls.ts";
import type { EmulatorClock } from "./clock.ts";
import type { Faults, Hang } from "./faults.ts";
import type { Route } from "./routes.ts";
import type { State } from "./state.ts";

/** What the parts of an emulator share. */
export interface Context {
  readonly apiKey: string;
  readonly behaviour: Behaviour;
  readonly statuses: Statuses;
  readonly state: State;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
  readonly calls: Calls;
  /** Keeps a change before it is answered. */
  readonly keep: () => Promise<void>;
  readonly hang: Hang;
  readonly routes: ReadonlyMap<string, Route>;
}
