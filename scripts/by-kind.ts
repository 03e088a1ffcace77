import type { Kind } from "../packages/sdk/src/spec/operation.ts";
import type { Spec, SpecOperation, SpecSchema } from "./read-spec.ts";

/** One operation and where it stands. */
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

/** The spec's operations by kind (the tag) and verb (how the operationId starts); a model is a path's last segment. */
export function byKind({ paths }: Spec): readonly KindOfSpec[] {
  const placed = Object.entries(paths).map(([path, { post }]) => ({ ...post, path }));
  const kinds = Map.groupBy(placed, ({ tags: [tag] }) => tag.toLowerCase());
  return [...kinds].map(([kind, operations]) => {
    if (kind !== "video" && kind !== "image") throw new Error(`tag "${kind}" is neither Video nor Image`);
    const withVerb = (verb: string) => operations.filter(({ operationId }) => operationId.startsWith(verb));
    const only = (verb: string) => {
      const [first, ...more] = withVerb(verb);
      if (!first || more.length > 0) throw new Error(`the ${kind} operations need exactly one ${verb}...`);
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

/** The form or JSON body of an operation. */
export function bodyOf({ requestBody }: SpecOperation): SpecSchema {
  const [media, ...more] = Object.values(requestBody.content);
  if (!media || more.length > 0) throw new Error("an operation takes exactly one media type");
  return media.schema;
}

/** What an operation answers when it succeeded: the `data` of its envelope. */
export function dataOf({ operationId, responses }: SpecOperation): SpecSchema {
  const answers = responses["200"]?.content["application/json"]?.schema.oneOf ?? [];
  const data = answers.map(({ properties }) => properties?.["data"]).filter((schema) => schema !== undefined);
  if (data.length !== 1 || !data[0]) throw new Error(`${operationId} needs exactly one answer with data`);
  return data[0];
}

/** The spec's own example of a form or JSON body. */
export function exampleOf({ operationId, requestBody }: SpecOperation): Record<string, unknown> {
  const [media] = Object.values(requestBody.content);
  const value = Object.values(media?.examples ?? {})[0]?.value;
  if (typeof value !== "object" || value === null) throw new Error(`${operationId} needs an example of its body`);
  return value as Record<string, unknown>;
}
