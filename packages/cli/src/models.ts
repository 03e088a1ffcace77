import { fieldsOf, type ModelInfo } from "@mediagen/sdk";
import type { Command } from "commander";
import type { Descriptions } from "./descriptions.ts";
import { argumentField, fieldFlagsOf } from "./field-flags.ts";
import { createOutput } from "./output.ts";

/** `mediagen models`: all of them, or the fields of one. */
export function showModels(
  name: string | undefined,
  options: { readonly json?: true },
  self: Command,
  models: readonly ModelInfo[],
  descriptions: Descriptions,
): void {
  const output = createOutput(options);
  const described = models
    .filter(({ model }) => name === undefined || model === name)
    .map((one) => describeModel(one, self, descriptions));
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
  const rows = only.fields.map(({ field, flag, required, default: fallback, allowed }) => [
    field,
    flag,
    required ? "required" : (fallback ?? ""),
    allowed,
  ]);
  output.line(
    `${only.model}: ${only.description}\n\n${table([["FIELD", "FLAG", "DEFAULT", "ALLOWED"], ...rows.map((row) => row.map(String))])}`,
  );
  output.document(only);
}

function describeModel(info: ModelInfo, self: Command, descriptions: Descriptions) {
  const { kind, model, operation, form } = info;
  const command = self.parent?.commands.find((one) => one.name() === kind);
  const flags = command ? fieldFlagsOf(command) : [];
  const fields = fieldsOf(info).map(({ property, ...field }) => {
    const flag =
      field.field === argumentField
        ? "(the argument)"
        : (flags.find((one) => one.field === field.field)?.option.long ?? "");
    return { ...field, flag, bounds: form.properties?.[property], ...descriptions.field(operation, property) };
  });
  return { model, kind, operation, ...descriptions.operation(operation), fields };
}

/** Rows in columns as wide as they need. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
