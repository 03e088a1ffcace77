import { isObject } from "../../packages/sdk/src/spec/values.ts";
import { lookUp } from "../spec.ts";

/**
 * Returns the document as the packages publish it: with the same meaning, in keywords that most
 * client generators understand. Only references to schemas remain, because some generators ignore
 * the media type of a body that is a reference. A `const` is an `enum` of one value, because some
 * ignore `const`, and orval generates invalid code for both together. `anyOf` has a `type` next to
 * it, because viewers show none otherwise. Forms have no `anyOf`: see `withoutAnyOfInForms`.
 */
export function publishedDocument(document: object): object {
  const publish = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(publish);
    if (!isObject(node)) return node;
    const { $ref, ...beside } = node;
    if (typeof $ref === "string" && !$ref.startsWith("#/components/schemas/"))
      return publish({ ...(lookUp(document, $ref) as object), ...beside });
    const own = Object.entries({ ...typeOfBranches(node), ...node });
    return Object.fromEntries(
      own.map(([key, value]) => (key === "const" ? ["enum", [value]] : [key, publish(value)])),
    );
  };
  const { components, ...rest } = withoutAnyOfInForms(document) as {
    readonly components: Readonly<Record<string, unknown>>;
  };
  const { securitySchemes, schemas } = components;
  return publish({ ...rest, components: { securitySchemes, schemas } }) as object;
}

/**
 * Returns a document whose forms do not say that they need one of several fields. Generators of
 * types make `any` or `unknown` of an object with `anyOf`, so that nothing of a form would be
 * typed.
 */
export function withoutAnyOfInForms(document: object): object {
  const withoutAnyOf = (_: string, node: unknown) =>
    isObject(node) && isObject(node["properties"]) ? { ...node, anyOf: undefined } : node;
  // The cast: an object stays one.
  return JSON.parse(JSON.stringify(document, withoutAnyOf)) as object;
}

/** Returns the common type of all branches of a schema's `anyOf`. */
function typeOfBranches({ type, anyOf }: Readonly<Record<string, unknown>>): {
  readonly type?: unknown;
} {
  if (!Array.isArray(anyOf) || type !== undefined) return {};
  const [first, ...others] = anyOf.map((branch) => (isObject(branch) ? branch["type"] : undefined));
  return first !== undefined && others.every((other) => other === first) ? { type: first } : {};
}
