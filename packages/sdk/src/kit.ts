/** What the packages of mediagen share with the SDK, at most eight values. Not for users: it may change in any version. @module */

import { codes, operations } from "./spec/operations.gen.ts";
import { schemas } from "./spec/schemas.gen.ts";

export { describeValue, issueOf } from "./errors/issue.ts";
export { type OptionTypes, readOptions } from "./errors/options.ts";
export { formDigest } from "./form/digest.ts";
export { readText } from "./form/field.ts";
export { issuesIn } from "./form/model.ts";
export { stateDirectory } from "./node/state-directory.ts";
export type { Kind, Operation, Schemas } from "./spec/operation.ts";

export const service: {
  readonly codes: typeof codes;
  readonly operations: typeof operations;
  readonly schemas: typeof schemas;
} = { codes, operations, schemas };
