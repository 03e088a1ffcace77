import { describeIssue, type Issue } from "@mediagen/sdk";
import type { Command } from "commander";
import { argumentField, fieldFlagsOf } from "../flags/field-flags.ts";
import { pathOf } from "./explain-usage.ts";

/** Returns issues in sentences, with the SDK's fields and options as flags. */
export function describeIssues(issues: readonly Issue[], command: Command | undefined): string {
  return issues.map((issue) => describe(issue, command)).join(" ");
}

function describe(issue: Issue, command: Command | undefined): string {
  const flagOf = (name: string) => flagIn(command, name);
  const { code, names = [], suggestion, ...rest } = issue;
  const field = flagOf(issue.field);
  const flags = names.map(flagOf);
  const flag = suggestion === undefined ? undefined : flagOf(suggestion);
  if (code === "missing" && issue.field === argumentField && command)
    return `${describeIssue(issue)} Example: ${pathOf(command)} "A red bicycle".`;
  if (code === "notFound" && issue.field === "input" && command) return `${command.args[0]} does not exist.`;
  if (code === "unknownField") return describeUnknown(issue, command, flags);
  if (code === "missing" && flags.length > 0)
    return `There is nothing to generate from. Pass a prompt, or ${flags.filter((one) => one !== argumentField).join(" or ")}.`;
  if (suggestion === "allowPrivateHosts")
    return `${describeIssue({ ...rest, field, code })} Or download it yourself and pass the file.`;
  if (code === "notAllowed" && flag) return `${describeIssue({ ...rest, field, code })} Pass ${flag} to allow it.`;
  if (code === "alreadyExists") return `${issue.received} already exists. Pass --overwrite to replace it.`;
  return describeIssue({ ...issue, field });
}

/** Names the models that have a field that this one does not have. */
function describeUnknown(issue: Issue, command: Command | undefined, flags: readonly string[]): string {
  const flag = command && fieldFlagsOf(command).find(({ field }) => field === issue.field);
  const model: unknown = command?.getOptionValue("model");
  if (!flag) return describeIssue({ ...issue, expected: `one of ${flags.join(", ")}` });
  const others = [...flag.models.keys()];
  return `${String(model)} has no ${flag.option.long}; ${others.join(", ")} ${others.length > 1 ? "have" : "has"} it.`;
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
