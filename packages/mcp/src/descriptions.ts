import { createRequire } from "node:module";

/** Returns what the service's description says about a field: the property of the form of an operation. */
export type Describe = (operation: string, property: string) => string;

/** A schema in the service's description, or a reference to one. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The part of the service's description that is read. */
export interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Reads the descriptions of fields in the service's description. */
export function createDescribe({ paths, components }: Document): Describe {
  const operations = new Map(Object.values(paths).map(({ post }) => [post?.operationId, post]));
  const resolved = (schema: Schema = {}): Schema => {
    const { $ref, ...own } = schema;
    return $ref === undefined ? own : { ...resolved(components.schemas[$ref.split("/").at(-1) ?? ""]), ...own };
  };
  return (operation, property) => {
    const [{ schema } = { schema: {} }] = Object.values(operations.get(operation)?.requestBody.content ?? {});
    const { description = "" } = resolved(resolved(schema).properties?.[property]);
    return description.trim().replace(/\s+/g, " ");
  };
}

/** Reads the service's description as the SDK publishes it. An import of JSON would print a warning on Node 20. */
export function readDocument(): Document {
  // The cast: the SDK's own tests check its description.
  return createRequire(import.meta.url)("@mediagen/sdk/openapi.json") as Document;
}
