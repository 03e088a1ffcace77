/**
 * What the packages of mediagen share with the SDK. Not for users: it may change in any version.
 *
 * @module
 */

export { describeValue, issueOf, unknownName } from "./errors/issue.ts";
export { type OptionTypes, readOptions } from "./errors/options.ts";
export { inspectForm } from "./form/digest.ts";
export * as disk from "./node/disk.ts";
export type { Kind, Operation, Schemas } from "./spec/operation.ts";
export * as service from "./spec/service.ts";
