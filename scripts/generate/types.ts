import {
  describeLimits,
  fieldOf,
  filePartSuffix,
  isFile,
  isFlag,
  isNumericString,
  sizeSeparator,
} from "../../packages/sdk/src/form/bounds.ts";
import type { Spec, SpecSchema } from "../read-spec.ts";
import { bodyOf, byKind, dataOf } from "../by-kind.ts";

type Direction = "in" | "out";
type Fields = readonly (readonly [name: string, type: string, schema: SpecSchema, required: boolean])[];

/** The types that the SDK's users meet: plain interfaces, because they cost a compiler least and read best on hover. */
export function typesFile(spec: Spec): string {
  const parts = ['import type { FileInput } from "./file-input.ts";'];
  for (const { kind, generate, query, delete: deletion } of byKind(spec)) {
    const Kind = capitalised(kind);
    const forms: [string, string, SpecSchema, true][] = [];
    for (const [model, operation] of generate) {
      const name = `${operation.operationId.replace("generate", "")}Form`;
      forms.push([model, name, { description: operation.summary }, true]);
      parts.push(interfaceText(name, bodyOf(operation).description, formFields(bodyOf(operation)), "in"));
    }
    parts.push(
      interfaceText(`${Kind}Forms`, `The form of each ${kind} model.`, forms, "out"),
      interfaceText(`${Kind}Task`, dataOf(query).description, fieldsOf(dataOf(query), "out"), "out"),
      interfaceText(`${Kind}Deletion`, dataOf(deletion).description, fieldsOf(dataOf(deletion), "out"), "out"),
      interfaceText(
        `${Kind}QueryFields`,
        `What a query of ${kind} tasks takes beside the task.`,
        further(bodyOf(query)),
        "in",
      ),
      interfaceText(
        `${Kind}DeleteFields`,
        `What a deletion of ${kind} tasks takes beside their ids.`,
        further(bodyOf(deletion)),
        "in",
      ),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

/** A form's fields: by the service's rule a binary part `X.items` is the field `X`, and a string of that field the text part `X`. */
function formFields(form: SpecSchema): Fields {
  const properties = form.properties ?? {};
  return fieldsOf(form, "in").flatMap(([name, type, schema, required]) => {
    const files = properties[name + filePartSuffix];
    if (files) return [];
    const field = fieldOf(name);
    const text = field === name ? undefined : properties[field];
    if (!text) return [[field, type, schema, required] as const];
    const description = `${schema.description?.trim() ?? ""}\n\nAs a string: ${text.description?.trim() ?? ""}`;
    return [[field, `${type} | ${typeText(text, "in")}`, { ...schema, description }, required] as const];
  });
}

function further(body: SpecSchema): Fields {
  return fieldsOf(body, "in").filter(([, , , required]) => !required);
}

function fieldsOf({ properties = {}, required = [] }: SpecSchema, direction: Direction): Fields {
  return Object.entries(properties).map(([name, field]) => [
    name,
    typeText(field, direction),
    field,
    required.includes(name),
  ]);
}

function interfaceText(name: string, description: string | undefined, fields: Fields, direction: Direction): string {
  const lines = fields.map(([field, type, schema, required]) => {
    const key = /^\w+$/.test(field) ? field : JSON.stringify(field);
    const limits = direction === "in" && describeLimits(schema);
    const fallback = schema.default === undefined ? "" : `The service's default: ${JSON.stringify(schema.default)}.`;
    const text = [schema.description?.trim(), limits ? `Takes ${limits}.` : "", fallback].filter(Boolean).join("\n");
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
  if (isFile(schema)) return "FileInput";
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
