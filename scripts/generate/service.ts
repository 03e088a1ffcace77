import { _, Ajv2020, type KeywordCxt } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { buildSync } from "esbuild";
import { bodyOf, dataOf, type Spec, type SpecSchema } from "../spec.ts";
import { codesOf } from "./operations.ts";
import { print } from "./print.ts";

const verbs = ["generate", "query", "delete"];

/**
 * The table of operations as the emulator serves them: what it needs of the spec besides the
 * validators.
 */
export function operationsTable(spec: Spec): readonly object[] {
  return Object.entries(spec.paths).map(([path, { post }]) => {
    const [mediaType] = Object.keys(post.requestBody.content);
    return {
      path,
      operation: post.operationId,
      kind: post.tags[0].toLowerCase(),
      verb: verbs.find((verb) => post.operationId.startsWith(verb)),
      model: path.split("/").at(-1),
      mediaType,
      fields: Object.fromEntries(
        Object.entries(bodyOf(post).properties ?? {}).map(([name, one]) => [name, field(one)]),
      ),
      record: Object.keys(dataOf(post).properties ?? {}),
      codes: codesOf(spec),
    };
  });
}

function field(schema: SpecSchema): object {
  const { type, items, default: fallback, format } = schema;
  const one = type === "array" ? (items ?? {}) : schema;
  return {
    ...(type === "array" ? { isList: true } : {}),
    ...(one.format === "binary" ? { isFile: true } : {}),
    ...(one.type === "string" || one.type === undefined ? {} : { type: one.type }),
    ...(format === "int32" ? { isInteger: true } : {}),
    ...(schema["x-result-count"] ? { isCount: true } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** The emulator's operations. */
export function operationsTableFile(spec: Spec): string {
  return `import type { Operation } from "./operation.ts";

/** The operations of the Media Generation Service. */
export const operations: readonly Operation[] = ${print(operationsTable(spec))};
`;
}

/**
 * A validator of each operation's request body as a script. Ajv compiles it here, so that no script
 * is compiled at run time.
 */
export function validatorsFile(spec: Spec): string {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    messages: false,
    code: { source: true, esm: true, lines: true },
  });
  ajv.addKeyword({
    keyword: "x-total-pixels",
    type: "string",
    error: pixelsError,
    code: checkPixels,
  });
  // Operations with the same body share a validator.
  const first = new Map<string, string>();
  const names = new Map<string, string>();
  for (const { post } of Object.values(spec.paths)) {
    const schema = withoutRemarks(bodyOf(post)) as object;
    const text = JSON.stringify(schema);
    if (!first.has(text)) ajv.addSchema(schema, first.set(text, post.operationId).get(text));
    names.set(post.operationId, first.get(text) ?? "");
  }
  const own = new Set(names.values());
  const code = standalone.default(ajv, Object.fromEntries([...own].map((name) => [name, name])));
  // Bundled, because Ajv's code requires helpers of its package.
  const [file] = buildSync({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    minifySyntax: true,
    write: false,
  }).outputFiles;
  const text = file?.text ?? "";
  const entries = [...names].map(([name, validator]) => `  ${name}: ${validator}`);
  return `// @ts-nocheck: Ajv's code has no types.
import type { Validate } from "./operation.ts";

${text.replace(/^\/\/ .*\n/gm, "").replace(/^export \{[^}]*\};$/gm, "")}
/** A validator of each operation's request body. */
export const validators: Readonly<Record<string, Validate>> = {
${entries.join(",\n")}
};
`;
}

const remarks =
  "description examples default format contentMediaType x-assumption x-result-count".split(" ");

/**
 * Ajv's code contains the schemas that errors may show. It needs no remarks; a property of that
 * name is a schema, which stays.
 */
function withoutRemarks(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutRemarks);
  if (typeof node !== "object" || node === null) return node;
  const isRemark = ([key, value]: [string, unknown]) =>
    remarks.includes(key) && (typeof value !== "object" || Array.isArray(value));
  const kept = Object.entries(node).filter((entry) => !isRemark(entry));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRemarks(value)]));
}

const pixelsError = {
  message: "must have another number of pixels",
  params: ({ schema }: { schema: { minimum: number; maximum: number } }) =>
    _`{ minimum: ${schema.minimum}, maximum: ${schema.maximum} }`,
};

/** JSON Schema cannot express a bound on the product of two sides. */
function checkPixels(context: KeywordCxt): void {
  const { minimum, maximum } = context.schema as { minimum: number; maximum: number };
  const { gen, data } = context;
  const sides = gen.const("sides", _`${data}.match(/\\d+/g) || []`);
  const pixels = gen.const("pixels", _`${sides}[0] * ${sides}[1]`);
  context.fail(_`${pixels} < ${minimum} || ${pixels} > ${maximum}`);
}
