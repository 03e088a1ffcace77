import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

/** The types of the wire, as openapi-fetch takes them. */
export async function pathsFile(yaml: string): Promise<string> {
  const nodes = await openapiTS(yaml, {
    // A default is not a value that is sent: a field with one stays optional.
    defaultNonNullable: false,
    transform: ({ format }) => (format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined),
  });
  return astToString(nodes);
}
