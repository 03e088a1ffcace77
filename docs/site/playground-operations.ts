import openapi from "../../packages/sdk/openapi.gen.json" with { type: "json" };
import { resolveSpec, type SpecSchema } from "../../scripts/spec.ts";

/** An operation as the playground shows it. */
export interface Route {
  readonly path: string;
  readonly operation: string;
  readonly kind: string;
  readonly verb: "generate" | "query" | "delete";
  readonly model: string;
  readonly mediaType: string;
  readonly body: SpecSchema;
  /** The example of the body. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** The operations of the document that the SDK's package publishes. */
export const routes: readonly Route[] = Object.entries(resolveSpec(openapi).paths).map(([path, { post }]) => {
  const { operationId, tags, requestBody } = post;
  const [[mediaType = "", media] = []] = Object.entries(requestBody.content);
  return {
    path,
    operation: operationId,
    kind: tags[0].toLowerCase(),
    verb: /^[a-z]+/.exec(operationId)?.[0] as Route["verb"],
    model: path.split("/").at(-1) ?? "",
    mediaType,
    body: media?.schema ?? {},
    example: (Object.values(media?.examples ?? {})[0]?.value ?? {}) as Readonly<Record<string, unknown>>,
  };
});
