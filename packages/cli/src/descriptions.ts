import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A schema of the service's description, as far as people read it. */
interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The OpenAPI document that `@mediagen/sdk/openapi.json` is. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
}

/** What the service's description says for people. */
export interface Descriptions {
  /** What a generation does, in a line and at length. */
  operation(id: string): { readonly summary: string; readonly description: string };
  /** A property of a form. */
  field(operation: string, property: string): { readonly description: string; readonly default: unknown };
  /** What a deletion takes beside the ids: texts, by name. */
  deletionFields(): readonly { readonly field: string; readonly description: string }[];
}

/** Reads the document that comes with the SDK. */
export function readDescriptions(): Descriptions {
  const file = createRequire(import.meta.url).resolve("@mediagen/sdk/openapi.json");
  // The cast: the SDK's own tests hold this file to its source.
  return describeDocument(JSON.parse(readFileSync(file, "utf8")) as OpenApiDocument);
}

/** What a document says. */
export function describeDocument(document: OpenApiDocument): Descriptions {
  /** What a reference stands for, with what is written beside it. */
  function resolve<T extends object>(node: T): T {
    if (!("$ref" in node) || typeof node.$ref !== "string") return node;
    const { $ref, ...beside } = node;
    const names = $ref
      .slice(2)
      .split("/")
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    // The casts: a reference stands for what may stand in its place.
    const target = names.reduce(
      (at, name) => (at as Readonly<Record<string, object>>)[name] ?? {},
      document as object,
    ) as T;
    return { ...resolve(target), ...beside };
  }
  const operations = Object.values(document.paths).map(({ post }) => post);
  const bodyOf = ({ requestBody }: Operation): Schema => {
    const [media] = Object.values(resolve(requestBody).content);
    return resolve(media?.schema ?? {});
  };
  const find = (id: string) => operations.find(({ operationId }) => operationId === id);
  const text = (description = "") => description.trim().replace(/\s+/g, " ");
  return {
    operation: (id) => ({ summary: text(find(id)?.summary), description: text(find(id)?.description) }),
    field(id, property) {
      const operation = find(id);
      const schema = resolve((operation && bodyOf(operation).properties?.[property]) ?? {});
      return { description: text(schema.description), default: schema.default };
    },
    deletionFields() {
      const bodies = operations.filter(({ operationId }) => operationId.startsWith("delete")).map(bodyOf);
      return bodies.flatMap(({ properties = {}, required = [] }) =>
        Object.entries(properties)
          .map(([field, schema]) => ({ field, ...resolve(schema) }))
          .filter(({ field, type }) => type === "string" && !required.includes(field))
          .map(({ field, description }) => ({ field, description: text(description) })),
      );
    },
  };
}
