import { fieldsOf, type FieldInfo, type Kind, type ModelInfo } from "@mediagen/sdk";
import { Option, type Command } from "commander";
import { describeField, type Descriptions } from "./descriptions.ts";

/** The field that the command's argument fills. */
export const argumentField = "prompt";

/** A flag that stands for a field of one or more models' forms. */
export interface FieldFlag {
  readonly field: string;
  readonly option: Option;
  /** What the field is to each model that has it. */
  readonly models: ReadonlyMap<string, FieldInfo>;
}

const flagsOfCommands = new WeakMap<Command, readonly FieldFlag[]>();

/** The flags of a command that stand for fields. */
export function fieldFlagsOf(command: Command): readonly FieldFlag[] {
  return flagsOfCommands.get(command) ?? [];
}

/**
 * Adds a flag for each field of the kind's models: its name in kebab-case, with `form-` before it where the command has that
 * flag itself. The first field that takes files is also called `--image`.
 */
export function addFieldFlags(
  command: Command,
  kind: Kind,
  models: readonly ModelInfo[],
  descriptions: Descriptions,
): void {
  const ofKind = models.filter((one) => one.kind === kind);
  const flags: FieldFlag[] = [];
  flagsOfCommands.set(command, flags);
  const fields = new Set(
    ofKind
      .flatMap(fieldsOf)
      .map(({ field }) => field)
      .filter((field) => field !== argumentField),
  );
  for (const field of fields) {
    const having = ofKind.flatMap((model) =>
      fieldsOf(model)
        .filter((info) => info.field === field)
        .map((info) => ({ model, info })),
    );
    const infos = new Map(having.map(({ model, info }) => [model.model, info]));
    const described =
      having
        .map(({ model, info }) => describeField(descriptions, model.operation, info.property).description)
        .find(Boolean) ?? "";
    const name = nameFor(command, field.replace(/[A-Z]/g, "-$&").replaceAll("_", "-").toLowerCase());
    const limits = isSwitch(infos) ? `--no-${name} is the opposite` : limitsOf(infos, ofKind.length);
    flags.push({
      field,
      models: infos,
      option: addFlag(command, name, infos, `${firstSentence(described)} (${limits})`),
    });
  }
  const files = flags.find(({ models: infos }) => [...infos.values()].some(({ takes }) => takes === "file"));
  if (files && isFree(command, imageFlag))
    flags.push({ ...files, option: addFlag(command, imageFlag, files.models, `the same as ${files.option.long}`) });
}

function addFlag(command: Command, name: string, infos: ReadonlyMap<string, FieldInfo>, description: string): Option {
  const [first, ...others] = [...infos.values()];
  const option = new Option(isSwitch(infos) ? `--${name}` : `--${name} <${first?.takes}>`, description);
  const several = [first, ...others].some((info) => info?.many || info?.takes === "file");
  if (several) option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  // `readSwitches` reads the value: an optional one would be taken from the next argument, which may be the prompt.
  if (isSwitch(infos)) option.flags += switchSyntax;
  command.addOption(option);
  if (isSwitch(infos)) command.addOption(new Option(`--no-${name}`).hideHelp());
  return option;
}

/** Whether a flag stands for a field that is on or off, for every model that has it. */
export function isSwitch(infos: ReadonlyMap<string, FieldInfo>): boolean {
  return [...infos.values()].every(({ takes }) => takes === "flag");
}

/** What a flag that is on or off is set to, as it is typed. */
export const switchValues: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
  ["1", true],
  ["0", false],
]);

/** How the value of such a flag is typed, for people. */
export const switchSyntax: string = `[=${[...switchValues.keys()].join("|")}]`;

const imageFlag = "image";

function nameFor(command: Command, name: string): string {
  return isFree(command, name) && !name.startsWith("no-") ? name : `form-${name}`;
}

function isFree(command: Command, name: string): boolean {
  return name !== "help" && !command.options.some(({ long }) => long === `--${name}` || long === `--no-${name}`);
}

/** Returns what is valid, and for which models if they differ. */
function limitsOf(infos: ReadonlyMap<string, FieldInfo>, modelsInAll: number): string {
  const byLimits = new Map<string, string[]>();
  for (const [model, { expected }] of infos) byLimits.set(expected, [...(byLimits.get(expected) ?? []), model]);
  if (byLimits.size === 1 && infos.size === modelsInAll) return [...byLimits.keys()].join("");
  return [...byLimits].map(([limits, models]) => `${models.join(", ")}: ${limits}`).join("; ");
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text;
}

/** What was given for a field, as the SDK takes it; what does not read as the field's type is left to the SDK to refuse. */
export function readField(
  given: unknown,
  info: FieldInfo | undefined,
  readFile: (path: string) => Promise<unknown>,
): unknown {
  if (Array.isArray(given)) return readList(given, info, readFile);
  if (typeof given !== "string") return given;
  return info?.takes === "number" && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
}

async function readList(
  given: readonly unknown[],
  info: FieldInfo | undefined,
  readFile: (path: string) => Promise<unknown>,
): Promise<unknown> {
  const each = await Promise.all(
    given.map((one) => (info?.takes === "file" ? readFile(String(one)) : readField(one, info, readFile))),
  );
  return each.length === 1 && !info?.many ? each[0] : each;
}
