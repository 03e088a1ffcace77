export { createMediaGen } from "./client/client.ts";
export type { GenerateOptions, KindClient, MediaGen, QueryFields, TaskOptions } from "./client/client.ts";
export type { MediaGenOptions } from "./client/options.ts";
export { listModels } from "./form/model.ts";
export type { Form, Forms, Model, ModelInfo } from "./form/model.ts";
export { fieldsOf, type FieldInfo } from "./form/field-info.ts";
export type { RawClient } from "./call/call.ts";
export {
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "./errors/errors.ts";
export type { Recovery, Resolution, UnknownGeneration } from "./journal/journal.ts";
export type {
  CallEvent,
  Downloaded,
  Generated,
  JournalFailed,
  MediaGenEvent,
  OnEvent,
  OutcomeUnknown,
  Queried,
  Retried,
  TaskSettled,
} from "./events.ts";
export type { BeforeGenerate } from "./client/generate.ts";
export { compactEntries } from "./journal/reading.ts";
export { createJournal, type Journal, type JournalLog } from "./journal/journal.ts";
export type {
  CreatedEntry,
  EndEntry,
  GenerationFacts,
  IntentEntry,
  JournalEntry,
  LeaseEntry,
  NotCreatedEntry,
  UnknownEntry,
} from "./task/generation.ts";
export type { Issue } from "./errors/issue.ts";
export type { SleepReason } from "./time/clock.ts";
export type { RetryOptions } from "./call/retries.ts";
export type { SchedulerOptions } from "./wait/scheduler.ts";
export type { Settled } from "./wait/settle.ts";
export type { Fetch } from "./transport/transport.ts";
export type { Bounds, Kind } from "./spec/operation.ts";
export type { FileInput, SourceFile } from "./spec/file-input.ts";
export { checkStep, generateStep } from "./queue/steps.ts";
export type {
  CheckStep,
  CheckStepOptions,
  GenerateStep,
  GenerateStepOptions,
  GenerationMark,
  StepAgain,
  StepCreated,
  StepEnded,
  StepNotCreated,
  StepPending,
  StepUnknown,
} from "./queue/steps.ts";
export type { StateOptions } from "./wait/state.ts";
export type {
  AnyTask,
  CallOptions,
  Check,
  Created,
  DeleteFields,
  Deletions,
  PartialResult,
  Records,
  ResultOptions,
  ResultProgress,
  State,
  Task,
  TaskJSON,
  TaskRecord,
  WaitOptions,
  WaitUpdate,
} from "./task/task.ts";
export type * from "./spec/types.gen.ts";
