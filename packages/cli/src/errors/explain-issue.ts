import type { Issue } from "@mediagen/sdk";
import type { Command } from "commander";
import { argumentField, type FieldFlag, fieldFlagsOf } from "../flags/field-flags.ts";
import { pathOf } from "./explain-usage.ts";

/** Returns issues in sentences, with the SDK's fields and options as flags. */
export function describeIssues(issues: readonly Issue[], command: Command | undefined): string {
  return issues.map((issue) => describe(issue, command)).join(" ");
}

function describe(issue: Issue, command: Command | undefined): string {
  const { field, code } = issue;
  if (code === "missing" && field === "form" && command) return describeNothing(command);
  const flags = command ? fieldFlagsOf(command).filter((flag) => flag.field === field) : [];
  if (code === "unknown" && command && flags[0]) return describeUnknown(flags[0], command);
  const message = withFlags(issue, flagIn(command, field));
  const isPrompt = code === "missing" && field === argumentField;
  return isPrompt && command ? `${message} Example: ${pathOf(command)} "A red bicycle".` : message;
}

/** Returns the message of an issue with a flag in place of its field, and flags in place of options of the SDK. */
export function withFlags({ field, message }: Issue, flag: string): string {
  return `${flag}${message.slice(field.length)}`
    .replace("Pass { allowPrivateHosts: true } to allow it.", "Or download it yourself and pass the file.")
    .replace(/\{ (\w+): true \}/g, (_, name: string) => `--${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`);
}

function describeNothing(command: Command): string {
  const model = String(command.getOptionValue("model"));
  const files = fieldFlagsOf(command).find(({ models }) => models.get(model)?.takes === "file");
  return `There is nothing to generate from. Pass a prompt${files ? `, or ${files.option.long}` : ""}.`;
}

/** Names the models that have a field that this one does not have. */
function describeUnknown({ option, models }: FieldFlag, command: Command): string {
  const others = [...models.keys()];
  const model = String(command.getOptionValue("model"));
  return `${model} has no ${option.long}; ${others.join(", ")} ${others.length > 1 ? "have" : "has"} it.`;
}

/** Returns the flag for a field such as `sourceImage[1]` or an option of the SDK, or the name itself if there is no flag. */
function flagIn(command: Command | undefined, field: string): string {
  if (field === "apiKey") return "the API key";
  if (!command) return field;
  if (field === "directory" && command.name() === "batch") return `-o ${String(command.getOptionValue("output"))}`;
  const [, name = field, rest = ""] = /^(\w+)(.*)$/.exec(field) ?? [];
  const option =
    fieldFlagsOf(command).find((flag) => flag.field === name)?.option ??
    command.options.find((one) => one.attributeName() === name);
  return option?.long ? option.long + rest : field;
}
