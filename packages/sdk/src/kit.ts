/**
 * What the packages of mediagen share with the SDK. It is not for users: it may change in any version. It exports at most
 * eight values.
 *
 * @module
 */

import { codes, operations } from "./spec/operations.gen.ts";
import { schemas } from "./spec/schemas.gen.ts";

export { describeValue, issueOf } from "./errors/issue.ts";
export { type OptionTypes, readOptions } from "./errors/options.ts";
export { formDigest } from "./form/digest.ts";
export { readText } from "./form/field.ts";
export { issuesIn } from "./form/model.ts";
export { stateDirectory } from "./node/state-directory.ts";
export type { Kind, Operation, Schemas } from "./spec/operation.ts";

/** The tables of the service. */
export const service: {
  readonly codes: typeof codes;
  readonly operations: typeof operations;
  readonly schemas: typeof schemas;
} = { codes, operations, schemas };
