import { document as bundled } from "./openapi.gen.ts";

/** A JSON Schema, references resolved. */
export interface Schema {
  readonly [keyword: string]: unknown;
  /** The JSON type. */
  readonly type?: string;
  /** The format, such as `binary`. */
  readonly format?: string;
  /** The value that the service takes where the field is left out. */
  readonly default?: unknown;
  /** The only values that are taken. */
  readonly enum?: readonly unknown[];
  /** The schema of each item of a list. */
  readonly items?: Schema;
  /** Schemas of which at least one holds. */
  readonly anyOf?: readonly Schema[];
  /** Schemas of which exactly one holds. */
  readonly oneOf?: readonly Schema[];
  /** The schema of each field. */
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The least and the greatest width times height, in pixels. */
  readonly "x-total-pixels"?: {
    /** The least, inclusive. */
    readonly minimum: number;
    /** The greatest, inclusive. */
    readonly maximum: number;
  };
}

/** An OpenAPI 3.1 document with its references resolved, as far as the emulator reads it. */
export interface OpenApiDocument {
  /** The operations by path; each is a POST. */
  readonly paths: Readonly<
    Record<
      string,
      {
        /** The path's one operation. */
        readonly post: OpenApiOperation;
      }
    >
  >;
}

/** An operation of the document. */
export interface OpenApiOperation {
  /** A verb (generate, query, delete) and a noun. */
  readonly operationId: string;
  /** The kind, as the one tag. */
  readonly tags: readonly string[];
  /** What it does, in a few words. */
  readonly summary?: string;
  /** What it does, in Markdown. */
  readonly description?: string;
  /** What it takes. */
  readonly requestBody: Body;
  /** What it answers, by HTTP status. */
  readonly responses: Readonly<Record<string, Body>>;
}

/** What a request or an answer carries, by media type. */
export interface Body {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

/** One media type of a request or an answer. */
export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value?: unknown }>>;
}

/** What an operation does. */
export type Verb = "generate" | "query" | "delete";

/** One operation as the emulator serves it. */
export interface Route {
  readonly path: string;
  readonly operation: string;
  /** The tag in lower case, such as `video`. */
  readonly kind: string;
  readonly verb: Verb;
  /** The path's last segment; a model where the verb is generate. */
  readonly model: string;
  readonly mediaType: string;
  /** The form or JSON body. */
  readonly body: Schema;
  /** The whole answer. */
  readonly answer: Schema;
  /** The `data` of a success. */
  readonly data: Schema;
  /** The envelope's code by outcome. */
  readonly codes: Readonly<Record<Outcome, number>>;
}

/** How an operation ends, by the names of the document's examples. */
export type Outcome = "success" | "failure" | "insufficientCredits";

/** The routes of a document, by path. */
export function readRoutes(document: OpenApiDocument = bundled): ReadonlyMap<string, Route> {
  return new Map(Object.entries(document.paths).map(([path, { post }]) => [path, readRoute(path, post)]));
}

function readRoute(path: string, { operationId, tags, requestBody, responses }: OpenApiOperation): Route {
  const verb = (["generate", "query", "delete"] as const).find((one) => operationId.startsWith(one));
  const [[mediaType, { schema: body }] = fail(operationId, "a body")] = Object.entries(requestBody.content);
  const media = responses["200"]?.content["application/json"] ?? fail(operationId, "a JSON answer");
  const data = media.schema.oneOf?.find(({ properties }) => properties?.["data"])?.properties?.["data"];
  const code = (outcome: Outcome) => {
    const value = media.examples?.[outcome]?.value as { readonly code?: number } | undefined;
    return value?.code ?? fail(operationId, `an example "${outcome}"`);
  };
  return {
    path,
    operation: operationId,
    kind: tags[0]?.toLowerCase() ?? fail(operationId, "a tag"),
    verb: verb ?? fail(operationId, "a verb: generate, query or delete"),
    model: path.split("/").at(-1) ?? "",
    mediaType,
    body,
    answer: media.schema,
    data: data ?? fail(operationId, "an answer with data"),
    codes: { success: code("success"), failure: code("failure"), insufficientCredits: code("insufficientCredits") },
  };
}

function fail(operation: string, what: string): never {
  throw new Error(`the OpenAPI document gives ${operation || "an operation"} not ${what}`);
}
