import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { withoutAnyOfInForms } from "./published.ts";

/** Returns the types of requests and responses for openapi-fetch. */
export async function pathsFile(document: object): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(withoutAnyOfInForms(document)), {
    // A field with a default stays optional, because defaults are not sent.
    defaultNonNullable: false,
    transform: ({ format }) =>
      format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined,
  });
  return astToString(nodes);
}
