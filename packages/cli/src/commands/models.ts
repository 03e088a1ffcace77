import type { ModelInfo } from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { argumentField, fieldFlags } from "../flags/field-flags.ts";
import { flagsOf, spelled } from "../flags/flags.ts";
import type { Command, Parsed } from "../usage/command.ts";
import { createOutput } from "../terminal/output.ts";
import { table } from "../terminal/text.ts";

/** `mediagen models`: prints all models, or the fields of one. */
export function run({ words: [name], options }: Parsed, { models = [] }: Command): void {
  const output = createOutput(options);
  const described = models
    .filter(({ model }) => name === undefined || model === name)
    .map((one) => describeModel(one, models));
  const [only] = described;
  if (name === undefined || !only) {
    output.line(table([["MODEL", "KIND"], ...described.map(({ model, kind }) => [model, kind])]));
    return output.document(described);
  }
  const rows = only.fields.map(({ field, flag = "", required, default: fallback = "", expected }) =>
    [field, flag, required ? "required" : fallback, expected].map(String),
  );
  output.line(
    `${only.model}: ${only.description}\n\n${table([["FIELD", "FLAG", "DEFAULT", "TAKES"], ...rows])}`,
  );
  output.document(only);
}

function describeModel({ kind, model, operation, form }: ModelInfo, models: readonly ModelInfo[]) {
  const { description = "", properties = {} } = service.schemas[operation] ?? {};
  const ofKind = models.filter((one) => one.kind === kind);
  const flags = fieldFlags(ofKind, service.schemas, flagsOf("generate"));
  const fields = form.fields.map(({ part: _, ...field }) => {
    const found = flags.find((one) => one.field === field.field);
    const flag =
      field.field === argumentField ? "(the argument)" : found && spelled(found).split(" ")[0];
    return { ...field, flag, description: properties[field.field]?.description ?? "" };
  });
  return { model, kind, operation, description, fields };
}
