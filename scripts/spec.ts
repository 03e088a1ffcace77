import { parse } from "yaml";
import type { Kind } from "../packages/sdk/src/spec/operation.ts";

/** The source of truth. */
export const specFile = new URL("../openapi/openapi.yaml", import.meta.url);

/** A JSON Schema as the spec writes one, references resolved. */
export interface SpecSchema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  /** The format: `binary` for a file, `int32` for a number in a string. */
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly SpecSchema[];
  readonly oneOf?: readonly SpecSchema[];
  readonly items?: SpecSchema;
  readonly properties?: Readonly<Record<string, SpecSchema>>;
  readonly "x-assumption"?: string;
  /** The minimum and maximum of width times height of an explicit size. */
  readonly "x-total-pixels"?: { readonly minimum: number; readonly maximum: number };
  /** Whether the field sets the number of results. */
  readonly "x-result-count"?: boolean;
}

/** One media type of a request or a response. */
export interface SpecMedia {
  readonly schema: SpecSchema;
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

/** The content of a request or a response by media type. */
export type SpecContent = Readonly<Record<string, SpecMedia>>;

/** One operation of the spec, references resolved. */
export interface SpecOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly requestBody: { readonly content: SpecContent };
  readonly responses: Readonly<Record<string, { readonly content: SpecContent }>>;
}

/** The spec with every reference resolved. */
export interface Spec {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly post: SpecOperation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, SpecSchema>> };
}

/** Parses the spec in `yaml` and resolves each `$ref`. */
export function readSpec(yaml: string): Spec {
  return resolveSpec(parse(yaml));
}

/** Resolves each `$ref` of the spec. Keys next to a `$ref` override those of its target. */
export function resolveSpec(document: unknown): Spec {
  const resolve = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => resolve(item, within));
    if (typeof node !== "object" || node === null) return node;
    const { $ref, ...beside } = node as Record<string, unknown>;
    const own = Object.fromEntries(
      Object.entries(beside).map(([key, value]) => [key, resolve(value, within)]),
    );
    if (typeof $ref !== "string") return own;
    if (within.includes($ref))
      throw new Error(`${[...within, $ref].join(" -> ")} refers to itself`);
    return { ...(resolve(lookUp(document, $ref), [...within, $ref]) as object), ...own };
  };
  return resolve(document, []) as Spec;
}

/** Resolves a `$ref` within the document. */
export function lookUp(document: unknown, ref: string): unknown {
  let node = document;
  for (const part of ref.replace(/^#\//, "").split("/")) {
    node = (node as Record<string, unknown> | undefined)?.[
      part.replaceAll("~1", "/").replaceAll("~0", "~")
    ];
  }
  if (node === undefined) throw new Error(`${ref} does not exist in the spec`);
  return node;
}

/** One operation and its path. */
export interface PlacedOperation extends SpecOperation {
  readonly path: string;
}

/** The operations of one kind. */
export interface KindOfSpec {
  readonly kind: Kind;
  readonly generate: ReadonlyMap<string, PlacedOperation>;
  readonly query: PlacedOperation;
  readonly delete: PlacedOperation;
}

/**
 * Returns the spec's operations by kind (the tag) and verb (the start of the operationId). A model
 * is the last segment of a path.
 */
export function byKind({ paths }: Spec): readonly KindOfSpec[] {
  const placed = Object.entries(paths).map(([path, { post }]) => ({ ...post, path }));
  const kinds = Map.groupBy(placed, ({ tags: [tag] }) => tag.toLowerCase());
  return [...kinds].map(([kind, operations]) => {
    if (kind !== "video" && kind !== "image")
      throw new Error(`tag "${kind}" is neither Video nor Image`);
    const withVerb = (verb: string) =>
      operations.filter(({ operationId }) => operationId.startsWith(verb));
    const only = (verb: string) => {
      const [first, ...more] = withVerb(verb);
      if (!first || more.length > 0)
        throw new Error(`the ${kind} operations need exactly one ${verb}...`);
      return first;
    };
    const generate = new Map<string, PlacedOperation>();
    for (const one of operations) {
      if (!/^(generate|query|delete)/.test(one.operationId))
        throw new Error(`${one.operationId} starts with none of generate, query, delete`);
      if (!one.operationId.startsWith("generate")) continue;
      const model = one.path.split("/").at(-1) ?? "";
      const same = generate.get(model);
      if (same) throw new Error(`${one.path} and ${same.path} are the same model, ${model}`);
      if (!one.requestBody.content["multipart/form-data"])
        throw new Error(`${one.operationId} takes no multipart/form-data`);
      generate.set(model, one);
    }
    return { kind, generate, query: only("query"), delete: only("delete") };
  });
}

/** Returns the form or JSON body of an operation. */
export function bodyOf({ requestBody }: SpecOperation): SpecSchema {
  const [media, ...more] = Object.values(requestBody.content);
  if (!media || more.length > 0) throw new Error("an operation takes exactly one media type");
  return media.schema;
}

/** Returns the `data` of an operation's envelope after success. */
export function dataOf({ operationId, responses }: SpecOperation): SpecSchema {
  const envelopes = responses["200"]?.content["application/json"]?.schema.oneOf ?? [];
  const data = envelopes
    .map(({ properties }) => properties?.["data"])
    .filter((schema) => schema !== undefined);
  if (data.length !== 1 || !data[0])
    throw new Error(`${operationId} needs exactly one response with data`);
  return data[0];
}

/** Returns the spec's own example of a form or JSON body. */
export function exampleOf({ operationId, requestBody }: SpecOperation): Record<string, unknown> {
  const [media] = Object.values(requestBody.content);
  const value = Object.values(media?.examples ?? {})[0]?.value;
  if (typeof value !== "object" || value === null)
    throw new Error(`${operationId} needs an example of its body`);
  return value as Record<string, unknown>;
}
