import { parse } from "yaml";
import type { Bounds } from "../packages/sdk/src/spec/operation.ts";

/** Where the source of truth stands. */
export const specFile = new URL("../openapi/openapi.yaml", import.meta.url);

/** A JSON Schema as the spec writes one, references resolved. */
export interface SpecSchema extends Omit<Bounds, "anyOf" | "items" | "properties"> {
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly anyOf?: readonly SpecSchema[];
  readonly oneOf?: readonly SpecSchema[];
  readonly items?: SpecSchema;
  readonly properties?: Readonly<Record<string, SpecSchema>>;
  readonly "x-assumption"?: string;
}

/** One media type of a request or an answer. */
export interface SpecMedia {
  readonly schema: SpecSchema;
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

/** The content of a request or an answer by media type. */
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

/** The spec in `yaml`; a `$ref` is replaced by what it names, keys beside it win. */
export function readSpec(yaml: string): Spec {
  const document: unknown = parse(yaml);
  const resolve = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => resolve(item, within));
    if (typeof node !== "object" || node === null) return node;
    const { $ref, ...beside } = node as Record<string, unknown>;
    const own = Object.fromEntries(Object.entries(beside).map(([key, value]) => [key, resolve(value, within)]));
    if (typeof $ref !== "string") return own;
    if (within.includes($ref)) throw new Error(`${[...within, $ref].join(" -> ")} refers to itself`);
    return { ...(resolve(lookUp(document, $ref), [...within, $ref]) as object), ...own };
  };
  return resolve(document, []) as Spec;
}

function lookUp(document: unknown, ref: string): unknown {
  let node = document;
  for (const part of ref.replace(/^#\//, "").split("/")) {
    node = (node as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  if (node === undefined) throw new Error(`${ref} does not exist in the spec`);
  return node;
}
