import type { ModelInfo } from "@mediagen/sdk";
import type { Schemas } from "@mediagen/sdk/kit";
import type { Command } from "commander";
import { argumentField, type FieldFlag, fieldFlagsOf, isSwitch, switchSyntax } from "../flags/field-flags.ts";
import { createOutput } from "../terminal/output.ts";
import { table } from "../terminal/text.ts";

/** `mediagen models`: prints all models, or the fields of one. */
export function showModels(
  name: string | undefined,
  options: { readonly json?: true },
  self: Command,
  models: readonly ModelInfo[],
  schemas: Schemas,
): void {
  const output = createOutput(options);
  const described = models
    .filter(({ model }) => name === undefined || model === name)
    .map((one) => describeModel(one, self, schemas));
  const [only] = described;
  if (name === undefined || !only) {
    output.line(
      table([
        ["MODEL", "KIND", "WHAT IT DOES"],
        ...described.map(({ model, kind, summary }) => [model, kind, summary]),
      ]),
    );
    return output.document(described);
  }
  const rows = only.fields.map(({ field, flag, required, default: fallback, expected }) => [
    field,
    flag,
    required ? "required" : (fallback ?? ""),
    expected,
  ]);
  output.line(
    `${only.model}: ${only.description}\n\n${table([["FIELD", "FLAG", "DEFAULT", "TAKES"], ...rows.map((row) => row.map(String))])}`,
  );
  output.document(only);
}

function describeModel(info: ModelInfo, self: Command, schemas: Schemas) {
  const { kind, model, operation } = info;
  const command = self.parent?.commands.find((one) => one.name() === kind);
  const flags = command ? fieldFlagsOf(command) : [];
  const { title: summary = "", description = "", properties = {} } = schemas[operation] ?? {};
  const fields = info.form.fields.map(({ part: _, ...field }) => {
    const flag =
      field.field === argumentField ? "(the argument)" : flagText(flags.find((one) => one.field === field.field));
    return { ...field, flag, description: properties[field.field]?.description ?? "" };
  });
  return { model, kind, operation, summary, description, fields };
}

/** Returns a flag as it is typed. */
function flagText(flag: FieldFlag | undefined): string {
  return flag ? `${flag.option.long}${isSwitch(flag.models) ? switchSyntax : ""}` : "";
}
