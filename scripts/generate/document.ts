import type { Spec } from "../spec.ts";
import { print } from "./print.ts";

/** The OpenAPI document with its references resolved, as the emulator reads it. */
export function documentFile(spec: Spec): string {
  return `import type { OpenApiDocument } from "./document.ts";

/** The description of the Media Generation Service. */
export const document: OpenApiDocument = ${print({ paths: spec.paths })};
`;
}
