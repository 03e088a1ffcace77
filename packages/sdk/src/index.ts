import type { FileFromOptions, FileSource } from "./result/file-from.ts";

export { createMediaGen } from "./client/client.ts";
export type * from "./client/media-gen.ts";
export type {
  BeforeGenerate,
  ClientOptions,
  GenerateOptions,
  MediaGenOptions,
} from "./client/options.ts";
export type { RetryOptions } from "./call/retries.ts";
export {
  AuthenticationError,
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  type ServiceResponse,
  ServiceError,
  StoreError,
  TaskFailedError,
  WaitTimeoutError,
} from "./errors/errors.ts";
export type { CallEvent, MediaGenEvent, OnEvent, StoreFailed } from "./errors/events.ts";
export type { Issue, IssueCode } from "./errors/issue.ts";
export { fieldsOf, isModel, listModels, type ModelInfo, validate } from "./form/model.ts";
export type { Field, FormFields } from "./spec/operation.ts";
export type { FileFromOptions, FileSource, FileStream } from "./result/file-from.ts";
export { blobs, type ResultStream, streams } from "./result/results.ts";
export type * from "./spec/types.gen.ts";
export { memoryStore } from "./store/memory-store.ts";
export type { Recovery, UnknownGeneration } from "./store/ledger.ts";
export type { FoundTask, Resolution, ResolveOptions } from "./store/resolution.ts";
export { generationIdOf } from "./store/store.ts";
export type { GenerationStore, ListFilter, WriteResult } from "./store/store.ts";
export type * from "./task/generation.ts";
export type * from "./task/task.ts";
export type { Clock, SleepReason } from "./time/clock.ts";
export type { Fetch, FetchHeaders, FetchInit, FetchResponse } from "./call/fetch.ts";
export type { PollingOptions } from "./wait/poll-limit.ts";
export { waitAll, waitEach, type WaitOutcome } from "./wait/wait-each.ts";

/**
 * Reads a source image for a form. A URL, a data URI, a response and a stream are read into memory,
 * up to `maxBytes` and for at most a minute. The API key is sent to no URL. To read a path, use
 * `fileFrom` of `@mediagen/sdk/node`.
 *
 * @returns The image, with its media type from its first bytes.
 * @throws An {@link InvalidRequestError} if it is not an image, is too large, or leads into a
 * private network
 * @throws A {@link ServiceError} if a response has an HTTP status other than 200
 * @throws A {@link ConnectionError} if it does not arrive completely in time; it is safe to retry
 * @throws The signal's reason if the signal aborts
 * @example const sourceImage = await fileFrom("https://example.com/first.png");
 */
export async function fileFrom(source: FileSource, options: FileFromOptions = {}): Promise<File> {
  // Loaded at first use, because most programs do not need it.
  return (await import("./result/file-from.ts")).fileFrom(source, options);
}
