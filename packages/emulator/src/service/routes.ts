import type { OpenApiDocument, OpenApiOperation, Schema } from "./document.ts";
import { document as bundled } from "./openapi.gen.ts";

/** The verbs of operations. An operation's id begins with its verb. */
export const verbs = ["generate", "query", "delete"] as const;

/** The action of an operation. */
export type Verb = "generate" | "query" | "delete";

/** One operation as the emulator serves it. */
export interface Route {
  readonly path: string;
  readonly operation: string;
  /** The tag in lower case, such as `video`. */
  readonly kind: string;
  readonly verb: Verb;
  /** The path's last segment: the model, if the verb is generate. */
  readonly model: string;
  readonly mediaType: string;
  /** The form or JSON body. */
  readonly body: Schema;
  /** The response body. */
  readonly response: Schema;
  /** The `data` of a successful response. */
  readonly data: Schema;
  /** The envelope's code for each outcome. */
  readonly codes: Readonly<Record<Outcome, number>>;
}

/** The outcome of an operation, named like the document's examples. */
export type Outcome = "success" | "failure" | "insufficientCredits";

/** Returns the routes of a document by path. */
export function readRoutes(document: OpenApiDocument = bundled): ReadonlyMap<string, Route> {
  return new Map(Object.entries(document.paths).map(([path, { post }]) => [path, readRoute(path, post)]));
}

function readRoute(path: string, { operationId, tags, requestBody, responses }: OpenApiOperation): Route {
  const verb = verbs.find((one) => operationId.startsWith(one));
  const [[mediaType, { schema: body }] = fail(operationId, "a body")] = Object.entries(requestBody.content);
  const media = responses["200"]?.content["application/json"] ?? fail(operationId, "a JSON response");
  const data = media.schema.oneOf?.find(({ properties }) => properties?.["data"])?.properties?.["data"];
  const code = (outcome: Outcome) => {
    const value = media.examples?.[outcome]?.value as { readonly code?: number } | undefined;
    return value?.code ?? fail(operationId, `an example "${outcome}"`);
  };
  return {
    path,
    operation: operationId,
    kind: tags[0]?.toLowerCase() ?? fail(operationId, "a tag"),
    verb: verb ?? fail(operationId, `a verb: one of ${verbs.join(", ")}`),
    model: path.split("/").at(-1) ?? "",
    mediaType,
    body,
    response: media.schema,
    data: data ?? fail(operationId, "a response with data"),
    codes: { success: code("success"), failure: code("failure"), insufficientCredits: code("insufficientCredits") },
  };
}

function fail(operation: string, what: string): never {
  throw new Error(`The OpenAPI document is not valid: ${operation || "an operation"} needs ${what}.`);
}
