// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.

import type { Validate } from "./operation.ts";

/** A validator of each operation's request body. */
export const validators: Readonly<Record<string, Validate>>;
