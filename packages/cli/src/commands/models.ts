import type { ModelInfo } from "@mediagen/sdk";
import type { Schemas } from "@mediagen/sdk/kit";
import { argumentField } from "../flags/field-flags.ts";
import { type Options, spelled } from "../flags/flags.ts";
import type { Command } from "../usage/command.ts";
import { createOutput } from "../terminal/output.ts";
import { table } from "../terminal/text.ts";

/** `mediagen models`: prints all models, or the fields of one. */
export function showModels(
  name: string | undefined,
  options: Options,
  commands: readonly Command[],
  schemas: Schemas,
): void {
  const output = createOutput(options);
  const described = commands.flatMap((command) =>
    (command.models ?? [])
      .filter(({ model }) => name === undefined || model === name)
      .map((one) => describeModel(one, command, schemas)),
  );
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
    flag ?? "",
    required ? "required" : (fallback ?? ""),
    expected,
  ]);
  output.line(
    `${only.model}: ${only.description}\n\n${table([["FIELD", "FLAG", "DEFAULT", "TAKES"], ...rows.map((row) => row.map(String))])}`,
  );
  output.document(only);
}

function describeModel(info: ModelInfo, { flags }: Command, schemas: Schemas) {
  const { kind, model, operation } = info;
  const { title: summary = "", description = "", properties = {} } = schemas[operation] ?? {};
  const fields = info.form.fields.map(({ part: _, ...field }) => {
    const found = flags.find((one) => one.field === field.field);
    const flag = field.field === argumentField ? "(the argument)" : found && spelled(found).split(" ")[0];
    return { ...field, flag, description: properties[field.field]?.description ?? "" };
  });
  return { model, kind, operation, summary, description, fields };
}
