import { describe } from "../generate/describe.ts";
import { inMarkdown } from "./samples.ts";
import { bodyOf, byKind, resolveSpec, type PlacedOperation, type SpecSchema } from "../spec.ts";

/** Returns the tables of the spec by the names by which pages include them. */
export function specTables(document: object): Readonly<Record<string, string>> {
  return {
    models: modelsTable(
      byKind(resolveSpec(document)).flatMap(({ generate }) => [...generate.values()]),
    ),
    assumptions: assumptionsTable(document),
    unknown: unknownIn(document),
  };
}

/**
 * Returns the fields of a body, or of a response's data, as a Markdown table. Each has an anchor,
 * such as `#field-NAME`.
 */
export function fieldsTable(
  { properties = {}, required = [] }: SpecSchema,
  anchor: "field" | "data" = "field",
): string {
  const isBody = anchor === "field";
  const rows = Object.entries(properties).map(([name, schema]) => [
    `<a id="${anchor}-${name}"></a>${code(name)}${required.includes(name) ? " **required**" : ""}`,
    describe(schema, inMarkdown),
    ...(isBody ? [schema.default === undefined ? "" : code(schema.default)] : []),
    schema.description ?? "",
  ]);
  return table(
    ["Field", isBody ? "Takes" : "Type", ...(isBody ? ["Default"] : []), "What it is"],
    rows,
  );
}

/** Returns the models of operations as a Markdown table. */
export function modelsTable(operations: readonly PlacedOperation[]): string {
  const rows = operations.map((operation) => {
    const { operationId, path, tags } = operation;
    // A file part such as `sourceImage.items` is the field `sourceImage`.
    const parts = Object.keys(bodyOf(operation).properties ?? {});
    const names = [...new Set(parts.map((part) => part.replace(/\..*/, "")))];
    const model = code(path.split("/").at(-1));
    return [
      `[${model}](../../openapi/openapi.yaml#${operationId})`,
      tags[0].toLowerCase(),
      names.map(code).join(", "),
    ];
  });
  return table(["Model", "Kind", "Fields"], rows);
}

/** Returns every `x-assumption` of the spec, in order, with the places that share it. */
function assumptionsTable(document: unknown): string {
  const all = [...walk(document, [])].filter(
    ({ node }) => typeof node["x-assumption"] === "string",
  );
  const places = Map.groupBy(all, ({ node }) => String(node["x-assumption"]).trim());
  const rows = [...places].map(([text, at]) => [
    at.map(({ place }) => code(nameOf(place))).join(", "),
    text,
  ]);
  return table(["Where in the spec", "What is assumed"], rows);
}

/** Returns the list of undocumented facts in the description of the spec. */
function unknownIn(document: unknown): string {
  const { info } = document as { readonly info: { readonly description: string } };
  const [, list] =
    /^These things are not documented by the service:\n\n((?:- .*\n(?: {2}.*\n)*)+)/m.exec(
      info.description,
    ) ?? [];
  if (list === undefined)
    throw new Error(
      "the spec's overview has no list under `These things are not documented by the service:`",
    );
  return list;
}

function* walk(
  node: unknown,
  place: readonly string[],
): Generator<{
  readonly place: readonly string[];
  readonly node: Readonly<Record<string, unknown>>;
}> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield { place, node: node as Record<string, unknown> };
  for (const [key, value] of Object.entries(node))
    if (key !== "examples") yield* walk(value, [...place, key]);
}

/** Returns a name for a part of the spec: an operation's id, a schema's name, a field. */
function nameOf(place: readonly string[]): string {
  const quiet = new Set([
    "components",
    "schemas",
    "properties",
    "paths",
    "post",
    "securitySchemes",
    "0",
  ]);
  return place.filter((word) => !quiet.has(word)).join(" > ") || "info";
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

/** Formats a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    text.trim().replace(/\s*\n\s*|\|/g, (found) => (found === "|" ? "\\|" : " "));
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");
}
