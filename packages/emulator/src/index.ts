export type { CallEntry } from "./service/calls.ts";
export type { Clock, ClockMode } from "./service/clock.ts";
export { createEmulator } from "./emulator/create-emulator.ts";
export type {
  EmulatedTask,
  Emulator,
  EmulatorClient,
  EmulatorOptions,
} from "./service/emulator-types.ts";
export type { EmulatorResponse, EmulatorRequest } from "./service/exchange.ts";
export { faultEffects, type Fault, type FaultName } from "./service/faults.ts";
export type { UploadedFile } from "./service/uploaded-file.ts";
export type { OwnResult, ResultSource } from "./service/own-result.ts";
export type { ResultPlan } from "./service/results.ts";
export type { Report } from "./service/report.ts";
export type {
  Field,
  Operation,
  Outcome,
  Service,
  Validate,
  ValidationError,
  Verb,
} from "./service/operation.ts";
export {
  type Behaviour,
  defaultBehaviour,
  type Limits,
  magicWords,
  type Statuses,
} from "./service/settings.ts";
export type { Charge, Snapshot } from "./service/state.ts";
export type { EmulatorState, EmulatorTask } from "./service/task.ts";
