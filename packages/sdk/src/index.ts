export { createMediaGen } from "./client.ts";
export type { GenerateOptions, KindClient, MediaGen, QueryFields, TaskOptions } from "./client.ts";
export type { MediaGenOptions } from "./options.ts";
export { listModels } from "./model.ts";
export type { Form, Forms, Model, ModelInfo } from "./model.ts";
export { fieldsOf, type FieldInfo } from "./field-info.ts";
export type { RawClient } from "./call.ts";
export {
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "./errors.ts";
export type { AnyTask, Recovery, Resolution, UnknownGeneration } from "./book.ts";
export type { CallEvent, Downloaded, Generated, JournalFailed, MediaGenEvent, OnEvent, OutcomeUnknown, Queried, Retried, TaskSettled } from "./event.ts";
export type { BeforeGenerate } from "./generate.ts";
export { compactEntries } from "./generations.ts";
export { createJournal } from "./journal.ts";
export type { CreatedEntry, EndEntry, GenerationFacts, IntentEntry, Journal, JournalEntry, JournalLog, LeaseEntry, NotCreatedEntry, UnknownEntry } from "./journal.ts";
export type { Issue } from "./fields.ts";
export type { ResultOptions, ResultProgress } from "./result.ts";
export type { SleepReason } from "./clock.ts";
export type { RetryOptions } from "./retries.ts";
export type { SchedulerOptions } from "./scheduler.ts";
export type { Settled } from "./settle.ts";
export type { Fetch } from "./transport.ts";
export type { Bounds, Kind } from "./operation.ts";
export type { FileInput, SourceFile } from "./source-file.ts";
export { checkStep, generateStep } from "./steps.ts";
export type { CheckStep, CheckStepOptions, GenerateStep, GenerateStepOptions, GenerationMark, StepAgain, StepCreated, StepEnded, StepNotCreated, StepPending, StepUnknown } from "./steps.ts";
export type { PartialResult, State, StateOptions } from "./state.ts";
export type { CallOptions, Check, Created, DeleteFields, Deletions, Records, Task, TaskJSON, TaskRecord } from "./task.ts";
export type * from "./types.gen.ts";
export type { WaitOptions, WaitUpdate } from "./wait.ts";
