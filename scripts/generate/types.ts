import { type BoundsStyle, describe, plain } from "./describe.ts";
import { fieldOf, filePartSuffix } from "../../packages/sdk/src/spec/operation.ts";
import { isBounded, isFile, isFlag, isNumericString, sizeSeparator } from "./schema.ts";
import { bodyOf, byKind, dataOf, type Spec, type SpecSchema } from "../spec.ts";

type Direction = "in" | "out";
type Fields = readonly (readonly [
  name: string,
  type: string,
  schema: SpecSchema,
  required: boolean,
])[];

/**
 * Returns the SDK's public types. They are plain interfaces, which compile fastest and are readable
 * on hover.
 */
export function typesFile(spec: Spec): string {
  const kinds = byKind(spec).map(({ kind }) => kind);
  const parts = [
    `/** The kind of what a task generates: a video or images. */\nexport type Kind = ${kinds.map((kind) => JSON.stringify(kind)).join(" | ")};`,
  ];
  for (const { kind, generate, query, delete: deletion } of byKind(spec)) {
    const Kind = capitalised(kind);
    const forms: [string, string, SpecSchema, true][] = [];
    for (const [model, operation] of generate) {
      const name = `${operation.operationId.replace("generate", "")}Form`;
      forms.push([model, name, { description: operation.summary }, true]);
      parts.push(
        interfaceText(name, bodyOf(operation).description, formFields(bodyOf(operation)), "in"),
      );
    }
    parts.push(
      interfaceText(`${Kind}Forms`, `The form of each ${kind} model.`, forms, "out"),
      interfaceText(
        `${Kind}Record`,
        dataOf(query).description,
        fieldsOf(dataOf(query), "out"),
        "out",
      ),
      interfaceText(
        `${Kind}Deletion`,
        dataOf(deletion).description,
        fieldsOf(dataOf(deletion), "out"),
        "out",
      ),
    );
    const optional = (verb: string, noun: string, body: SpecSchema) => {
      const fields = fieldsOf(body, "in").filter(([, , , required]) => !required);
      return interfaceText(
        `${Kind}${verb}Fields`,
        `The optional fields of a ${noun} of ${kind} tasks.`,
        fields,
        "in",
      );
    };
    parts.push(
      optional("Query", "query", bodyOf(query)),
      optional("Delete", "deletion", bodyOf(deletion)),
    );
  }
  return `${[...parts, ...lookUpTexts(byKind(spec))].join("\n\n")}\n`;
}

/** Returns the types that map kinds and models to their types. */
function lookUpTexts(all: ReturnType<typeof byKind>): string[] {
  const kinds = all.map(({ kind }) => kind);
  const each = (suffix: string) => kinds.map((kind) => capitalised(kind) + suffix);
  /** An interface with a field for each kind. */
  const lookUp = (name: string, description: string, suffix: string) => {
    const lines = kinds.map((kind) => {
      const what = `${kind} ${name === "Forms" ? "models" : "tasks"}`;
      return `  /** For ${what}. */\n  readonly ${kind}: ${capitalised(kind)}${suffix};\n`;
    });
    return `/** ${description} */\nexport interface ${name} {\n${lines.join("")}}`;
  };
  // Written out instead of "keyof", so that error messages of compilers list the models.
  const models = all.map(({ kind, generate }) => {
    const names = [...generate.keys()].map((model) => JSON.stringify(model));
    return `  readonly ${kind}: ${names.join(" | ")};\n`;
  });
  return [
    lookUp("Forms", "The forms of the models, by kind.", "Forms"),
    lookUp("Records", "The record of a task, by kind.", "Record"),
    `/** The record of a task of any kind. */\nexport type TaskRecord = ${each("Record").join(" | ")};`,
    lookUp("QueryFields", "The optional fields of a query, by kind.", "QueryFields"),
    lookUp("DeleteFields", "The optional fields of a deletion, by kind.", "DeleteFields"),
    lookUp("Deletions", "The response to a deletion, by kind.", "Deletion"),
    `// Looked up, not computed: conditional types would cost every program's compiler three times as much.\ninterface ModelsOf {\n${models.join("")}}`,
    `interface FormsOf extends ${each("Forms").join(", ")} {}`,
    "/** A generation model, of one kind or of any. */\nexport type Model<K extends Kind = Kind> = ModelsOf[K];",
    "/** The form of a model as a TypeScript type: its fields, the union or enum of the values of each, and what is required. */\nexport type Form<M extends Model> = FormsOf[M];",
  ];
}

/**
 * Returns a form's fields. A binary part `X.items` is the field `X`; a string in that field goes to
 * the text part `X`.
 */
function formFields(form: SpecSchema): Fields {
  const properties = form.properties ?? {};
  return fieldsOf(form, "in").flatMap(([name, type, schema, required]) => {
    const files = properties[name + filePartSuffix];
    if (files) return [];
    const field = fieldOf(name);
    const text = field === name ? undefined : properties[field];
    if (!text) return [[field, type, schema, required] as const];
    const description = `${schema.description?.trim() ?? ""}\n\nAs a string: ${text.description?.trim() ?? ""}`;
    return [
      [field, `${type} | ${typeText(text, "in")}`, { ...schema, description }, required] as const,
    ];
  });
}

function fieldsOf({ properties = {}, required = [] }: SpecSchema, direction: Direction): Fields {
  return Object.entries(properties).map(([name, field]) => [
    name,
    typeText(field, direction),
    field,
    required.includes(name),
  ]);
}

/** Editors and the site read docstrings as Markdown, where a bare `<width>` is an HTML element. */
const docstring: BoundsStyle = { ...plain, pattern: (pattern) => `\`${pattern}\`` };

function interfaceText(
  name: string,
  description: string | undefined,
  fields: Fields,
  direction: Direction,
): string {
  const lines = fields.map(([field, type, schema, required]) => {
    const key = /^\w+$/.test(field) ? field : JSON.stringify(field);
    const limits = direction === "in" && isBounded(schema) && describe(schema, docstring);
    const fallback =
      schema.default === undefined
        ? ""
        : `The service's default: ${JSON.stringify(schema.default)}.`;
    const text = [schema.description?.trim(), limits ? `Takes ${limits}.` : "", fallback]
      .filter(Boolean)
      .join("\n");
    const optional = direction === "in" ? " | undefined" : "";
    return `${comment(text, "  ")}  ${direction === "out" ? "" : "readonly "}${key}${required ? "" : "?"}: ${type}${required ? "" : optional};\n`;
  });
  return `${comment(description?.trim() ?? "", "")}export interface ${name} {\n${lines.join("")}}`;
}

function typeText(schema: SpecSchema, direction: Direction): string {
  if (schema.anyOf ?? schema.oneOf)
    return (schema.anyOf ?? schema.oneOf ?? []).map((one) => typeText(one, direction)).join(" | ");
  if (schema.enum) {
    const values = schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    return direction === "in" && isFlag(schema) ? `${values} | boolean` : values;
  }
  const separator = sizeSeparator(schema);
  if (separator !== undefined) return `\`\${number}${separator}\${number}\``;
  if (isFile(schema)) return "Blob";
  if (direction === "in" && isNumericString(schema)) return "string | number";
  if (schema.type === "array") {
    const { items = {} } = schema;
    const item = typeText(items, direction);
    const list = item.includes(" | ") ? `(${item})[]` : `${item}[]`;
    return isFile(items) ? `${item} | readonly ${list}` : list;
  }
  if (schema.type === "integer") return "number";
  return schema.type === "object" || schema.type === undefined ? "unknown" : schema.type;
}

function comment(text: string, indent: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + "\n").join("")}${indent} */\n`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
