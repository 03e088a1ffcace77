/** What the packages of mediagen share with the SDK, at most eight values. Not for users: it may change in any version. @module */

export { describeValue, issueOf } from "./errors/issue.ts";
export { type OptionTypes, readOptions } from "./errors/options.ts";
export { inspectForm } from "./form/digest.ts";
export { replaceFile } from "./node/durable-files.ts";
export { lockFile, stateDirectory } from "./node/process-info.ts";
export type { Kind, Operation, Schemas } from "./spec/operation.ts";
export * as service from "./spec/service.ts";
