import type { Field, Kind, ModelInfo } from "@mediagen/sdk";
import type { Schemas } from "@mediagen/sdk/kit";
import { Option, type Command } from "commander";

/** The field that the command's argument fills. */
export const argumentField = "prompt";

/** A flag that stands for a field of one or more models' forms. */
export interface FieldFlag {
  readonly field: string;
  readonly option: Option;
  /** The properties of the field in each model that has it. */
  readonly models: ReadonlyMap<string, Field>;
}

const flagsOfCommands = new WeakMap<Command, readonly FieldFlag[]>();

/** Returns the flags of a command that stand for fields. */
export function fieldFlagsOf(command: Command): readonly FieldFlag[] {
  return flagsOfCommands.get(command) ?? [];
}

/**
 * Adds a flag for each field of the kind's models: its name in kebab-case, with `form-` before it if the command has that flag itself,
 * or gets it as one of `others`. The first field that takes files is also called `--image`, and comes first.
 */
export function addFieldFlags(
  command: Command,
  kind: Kind,
  models: readonly ModelInfo[],
  schemas: Schemas,
  others: Command,
): void {
  command.optionsGroup("Fields of the form:");
  const isFree = (name: string) =>
    name !== "help" &&
    ![...command.options, ...others.options].some(({ long }) => long === `--${name}` || long === `--no-${name}`);
  const ofKind = models.filter((one) => one.kind === kind);
  const flags: FieldFlag[] = [];
  flagsOfCommands.set(command, flags);
  const all = ofKind
    .flatMap((model) => model.form.fields.map((info) => ({ model, info })))
    .filter(({ info }) => info.field !== argumentField);
  const files = all.find(({ info }) => info.takes === "file")?.info.field;
  const fields = new Set(all.map(({ info }) => info.field).sort((a, b) => Number(b === files) - Number(a === files)));
  for (const field of fields) {
    const having = all.filter(({ info }) => info.field === field);
    const infos = new Map(having.map(({ model, info }) => [model.model, info]));
    const described =
      having.map(({ model }) => schemas[model.operation]?.properties[field]?.description).find(Boolean) ?? "";
    const kebab = field.replace(/[A-Z]/g, "-$&").replaceAll("_", "-").toLowerCase();
    const name = isFree(kebab) && !kebab.startsWith("no-") ? kebab : `form-${kebab}`;
    const limits = isSwitch(infos) ? `--no-${name} is the opposite` : limitsOf(infos, ofKind.length);
    const add = (flag: string, text: string) =>
      flags.push({ field, models: infos, option: addFlag(command, flag, infos, text) });
    const text = `${firstSentence(described)} (${limits})`;
    if (field !== files || name === imageFlag || !isFree(imageFlag)) add(name, text);
    else {
      add(imageFlag, text);
      add(name, `the same as --${imageFlag}`);
    }
  }
}

function addFlag(command: Command, name: string, infos: ReadonlyMap<string, Field>, description: string): Option {
  const [first, ...others] = [...infos.values()];
  const option = new Option(
    isSwitch(infos) ? `--${name}` : `--${name} <${first?.takes === "file" ? "file|url" : first?.takes}>`,
    description,
  );
  const several = [first, ...others].some((info) => info?.many || info?.takes === "file");
  if (several) option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  // `readSwitches` reads the value: an optional one would be taken from the next argument, which may be the prompt.
  if (isSwitch(infos)) option.flags += switchSyntax;
  command.addOption(option);
  if (isSwitch(infos)) command.addOption(new Option(`--no-${name}`).hideHelp());
  return option;
}

/** Returns whether a flag stands for a field that is on or off, for every model that has it. */
export function isSwitch(infos: ReadonlyMap<string, Field>): boolean {
  return [...infos.values()].every(({ takes }) => takes === "flag");
}

/** The values of a flag that is on or off, as they are typed. */
export const switchValues: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
  ["1", true],
  ["0", false],
]);

/** The syntax of such a flag's value, for people. */
export const switchSyntax: string = `[=${[...switchValues.keys()].join("|")}]`;

const imageFlag = "image";

/** Returns the valid values if the models agree, and which models have the field if not all do. */
function limitsOf(infos: ReadonlyMap<string, Field>, modelsInAll: number): string {
  const limits = new Set([...infos.values()].map(({ expected }) => expected));
  const models = infos.size === modelsInAll ? "" : `; only ${[...infos.keys()].join(", ")}`;
  return (limits.size === 1 ? [...limits].join("") : "valid values depend on the model") + models;
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text;
}
