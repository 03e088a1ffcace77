import { createEmulator, type Service } from "@mediagen/emulator";
import { createMediaGen, validate } from "@mediagen/sdk";
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { SpecSchema } from "../../scripts/spec.ts";
import { generate, models } from "../contract/cases.ts";
import { multipartRequest, type Part } from "./form-parts.ts";
import type { FormRequest } from "./form-requests.ts";

/** What a reader says of a request. */
export interface Verdict {
  readonly takes: boolean;
  /** Why not, or what was read. */
  readonly why: string;
}

const modelNamed = new Map(models.map((one) => [one.model, one]));

/** The first reader: the SDK. */
export function judgeBySdk({
  model,
  form,
  extraFields,
}: FormRequest): Verdict & { readonly fields: readonly string[] } {
  const issues = validate(model, { ...form }, extraFields);
  const fields = issues.map(({ field }) => field.replace(/\[\d+\]$/, ""));
  return {
    takes: issues.length === 0,
    why: issues.map(({ message }) => message).join(" "),
    fields,
  };
}

/** The second reader: the emulator, on the bytes of the parts, and on what the SDK sends if it accepts the form. */
export async function judgeByEmulator(request: FormRequest, sdkTakes: boolean, service?: Service): Promise<Verdict> {
  // Only the spec counts here, not the emulator's own limits.
  const emulator = createEmulator({
    service,
    credits: Number.MAX_SAFE_INTEGER,
    limits: { text: Infinity, pixels: Infinity },
  });
  const { client } = emulator;
  const answer = await emulator.fetch(
    multipartRequest(client.baseUrl + modelNamed.get(request.model)?.operation.path, client.apiKey, request.parts),
  );
  const { code, msg } = (await answer.json()) as { code: number; msg: string };
  if (answer.status !== 200 || (code !== 1000 && code !== 9999))
    throw new Error(`the emulator answered HTTP ${answer.status}, code ${code}: ${msg}`);
  const takes = code === 1000;
  const readBytes = readFields(emulator.tasks[0]?.fields);
  if (sdkTakes && takes) {
    await generate(createMediaGen(client), request.model, request.form, request.extraFields);
    const readSdk = readFields(emulator.tasks[1]?.fields);
    if (readSdk !== readBytes) throw new Error(`what the SDK sends is read as ${readSdk}, the parts as ${readBytes}`);
  }
  return { takes, why: takes ? readBytes : msg };
}

/** What was read, without the names of files, which the SDK fixes. */
function readFields(fields: Readonly<Record<string, unknown>> = {}): string {
  const isFile = (name: string) => name.endsWith(".items");
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    isFile(name) ? `${[value].flat().length} files` : value,
  ]);
  return JSON.stringify(entries.sort());
}

// The cast: the validator's type of a schema has fewer keywords than it reads.
const validators = new Map(models.map(({ model, form }) => [model, new Validator(form as Schema, "2020-12", false)]));

/** Whether sizes have as many pixels as the branches that accept them allow: cfworker does not know this bound. */
function pixelsFit(form: SpecSchema, json: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(form.properties ?? {}).every(([name, property]) => {
    const value = json[name];
    if (typeof value !== "string") return true;
    const taking = (property.anyOf ?? [property]).filter(
      (branch) => new Validator(branch as Schema, "2020-12").validate(value).valid,
    );
    const [width = 0, height = 0] = value.split(/\D/).map(Number);
    const fits = ({ "x-total-pixels": bound }: SpecSchema) =>
      !bound || (width * height >= bound.minimum && width * height <= bound.maximum);
    return taking.length === 0 || taking.some(fits);
  });
}

/** The third reader: the bare schema by another validator than the emulator's, on the parts as JSON. */
export function judgeBySchema({ model, parts }: FormRequest): Verdict {
  const validate = validators.get(model);
  const properties = modelNamed.get(model)?.form.properties ?? {};
  if (!validate) throw new Error(`there is no model ${model}`);
  const named = Map.groupBy(parts, ({ name }) => name);
  const json = Object.fromEntries(
    [...named].map(([name, all]) => [name, asJson(all, (Object.hasOwn(properties, name) && properties[name]) || {})]),
  );
  const { valid, errors } = validate.validate(json);
  const takes = valid && pixelsFit(modelNamed.get(model)?.form ?? {}, json);
  const where = ({ instanceLocation, error }: OutputUnit) => `${instanceLocation} ${error}`;
  return { takes, why: takes ? JSON.stringify(json) : errors.map(where).join("; ") };
}

/** The parts of one name as JSON: a list if there are several, or if the schema has one. */
function asJson(parts: readonly Part[], schema: SpecSchema): unknown {
  const values = parts.map(({ value }) => {
    const one = schema.type === "array" ? (schema.items ?? {}) : schema;
    // A file is text only to a binary schema.
    if (typeof value !== "string") return one.format === "binary" ? "(a file)" : { file: value.fileName };
    if (one.format === "binary") return { text: value };
    const isInteger = one.type === "integer" && /^-?(0|[1-9]\d*)$/.test(value) && Number.isFinite(Number(value));
    return isInteger ? Number(value) : value;
  });
  return schema.type === "array" || values.length > 1 ? values : values[0];
}
