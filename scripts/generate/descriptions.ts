import { byKind, bodyOf, type PlacedOperation, type Spec, type SpecSchema } from "../spec.ts";
import { print } from "./print.ts";

/** Returns the descriptions for the help of the command line, which then does not need the OpenAPI document. */
export function descriptionsFile(spec: Spec): string {
  const kinds = byKind(spec);
  const forms = kinds.flatMap(({ generate }) => [...generate.values()]);
  const descriptions = {
    operations: Object.fromEntries(forms.map((operation) => [operation.operationId, described(operation)])),
    deletionFields: kinds.flatMap(({ delete: deletion }) => deletionFields(bodyOf(deletion))),
  };
  return `import type { Descriptions } from "./descriptions.ts";

/** The texts of the service's description, for people. */
export const descriptions: Descriptions = ${print(descriptions)};
`;
}

function described(operation: PlacedOperation): object {
  const fields = Object.entries(bodyOf(operation).properties ?? {}).map(([name, schema]) => {
    const fallback = schema.default === undefined ? {} : { default: schema.default };
    return [name, { description: onOneLine(schema.description), ...fallback }];
  });
  return {
    summary: onOneLine(operation.summary),
    description: onOneLine(operation.description),
    fields: Object.fromEntries(fields) as object,
  };
}

function deletionFields({ properties = {}, required = [] }: SpecSchema): object[] {
  return Object.entries(properties)
    .filter(([field, { type }]) => type === "string" && !required.includes(field))
    .map(([field, { description }]) => ({ field, description: onOneLine(description) }));
}

/** Returns a description without its line breaks. */
export function onOneLine(text = ""): string {
  return text.trim().replace(/\s+/g, " ");
}
