import { spelled, type Flag } from "../flags/flags.ts";
import type { Command } from "./command.ts";

/** Returns the help of a command. */
export function helpOf({ name, argument, text, examples, flags, models }: Command): string {
  const shown = flags.filter(({ isOff }) => !isOff);
  const ofForm = shown.filter(({ field }) => field !== undefined);
  const own = shown.filter(({ field }) => field === undefined);
  const rowOf = (flag: Flag) =>
    [(flag.short ? `-${flag.short}, ` : "") + spelled(flag), flag.text] as const;
  const choices =
    models && argument.includes("prompt")
      ? `\nModels: ${models.map(({ model }) => model).join(", ")}`
      : "";
  return [
    `Usage: mediagen ${name}${flags.length > 0 ? " [options]" : ""} ${argument}`.trimEnd(),
    `\n${text}`,
    ...linesOf(examples),
    ...(argument.includes("prompt") ? ['\nThe prompt "-" reads it from stdin.'] : []),
    ...(ofForm.length > 0 ? [choices, "\nFields of the form:", rows(ofForm.map(rowOf))] : []),
    ...(own.length > 0 ? ["\nOptions:", rows(own.map(rowOf))] : []),
  ].join("\n");
}

/** Returns the list of commands, or of those below one such as `task`. */
export function overviewOf(
  commands: readonly Command[],
  group: string,
  examples: readonly string[],
): string {
  const listed = commands.filter(({ name }) => name.startsWith(group));
  const list = rows(
    listed.map(({ name, argument, text }) => [`${name} ${argument}`.trimEnd(), text]),
  );
  const more = `mediagen help COMMAND shows the options of a command.`;
  return [
    `Usage: mediagen ${group}COMMAND [options]`,
    ...linesOf(examples),
    `\nCommands:\n${list}\n\n${more}`,
  ].join("\n");
}

function linesOf(examples: readonly string[]): readonly string[] {
  return examples.length > 0 ? ["\nExamples:", ...examples.map((line) => `  ${line}`)] : [];
}

/** Returns two columns, the second one wrapped. */
function rows(pairs: readonly (readonly [left: string, right: string])[]): string {
  const indent = Math.max(...pairs.map(([left]) => left.length)) + 4;
  const width = Math.max(20, Math.min(process.stdout.columns || 100, 120) - indent);
  const lines = new RegExp(`(\\S{${width},}|.{1,${width}})(?: +|$)`, "g");
  const wrapped = (text: string) =>
    [...text.matchAll(lines)].map(([, line]) => line).join(`\n${" ".repeat(indent)}`);
  return pairs.map(([left, right]) => `  ${left.padEnd(indent - 2)}${wrapped(right)}`).join("\n");
}
