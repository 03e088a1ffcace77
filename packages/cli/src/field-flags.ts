import { fieldsOf, type FieldInfo, type Kind, type ModelInfo } from "@mediagen/sdk";
import { Option, type Command } from "commander";
import type { Descriptions } from "./descriptions.ts";

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
export function addFieldFlags(command: Command, kind: Kind, models: readonly ModelInfo[], descriptions: Descriptions): void {
  const flags: FieldFlag[] = [];
  const fields = new Map<string, Map<string, FieldInfo>>();
  const described = new Map<string, string>();
  for (const model of models.filter((one) => one.kind === kind)) {
    for (const info of fieldsOf(model)) {
      if (info.field === argumentField) continue;
      if (!fields.has(info.field)) fields.set(info.field, new Map());
      fields.get(info.field)?.set(model.model, info);
      const { description } = descriptions.field(model.operation, info.property);
      if (description && !described.has(info.field)) described.set(info.field, description);
    }
  }
  const add = (name: string, field: string, infos: ReadonlyMap<string, FieldInfo>, description: string) => {
    const takes = [...new Set([...infos.values()].map((info) => info.takes))];
    const isFlag = takes.every((one) => one === "flag");
    const option = new Option(isFlag ? `--${name}` : `--${name} <${takes[0]}>`, description);
    const isList = [...infos.values()].some((info) => info.many || info.takes === "file");
    if (isList) option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
    command.addOption(option);
    flags.push({ field, option, models: infos });
    if (isFlag) command.addOption(new Option(`--no-${name}`).hideHelp());
  };
  for (const [field, infos] of fields) {
    const name = field.replace(/[A-Z]/g, "-$&").replaceAll("_", "-").toLowerCase();
    const isFlag = [...infos.values()].every((info) => info.takes === "flag");
    const said = firstSentence(described.get(field) ?? "");
    const limits = isFlag ? `--no-${nameFor(command, name)} is the opposite` : limitsOf(infos, models.filter((one) => one.kind === kind).length);
    add(nameFor(command, name), field, infos, `${said} (${limits})`);
  }
  const [field, infos] = [...fields].find(([, each]) => [...each.values()].some(({ takes }) => takes === "file")) ?? [];
  if (field !== undefined && infos && isFree(command, imageFlag)) {
    const long = flags.find((flag) => flag.field === field)?.option.long;
    add(imageFlag, field, infos, `the same as ${long}`);
  }
  flagsOfCommands.set(command, flags);
}

const imageFlag = "image";

function nameFor(command: Command, name: string): string {
  return isFree(command, name) && !name.startsWith("no-") ? name : `form-${name}`;
}

function isFree(command: Command, name: string): boolean {
  return name !== "help" && !command.options.some(({ long }) => long === `--${name}` || long === `--no-${name}`);
}

/** What is allowed, and by which models where they differ. */
function limitsOf(infos: ReadonlyMap<string, FieldInfo>, modelsInAll: number): string {
  const byLimits = new Map<string, string[]>();
  for (const [model, { allowed }] of infos) byLimits.set(allowed, [...(byLimits.get(allowed) ?? []), model]);
  if (byLimits.size === 1 && infos.size === modelsInAll) return [...byLimits.keys()].join("");
  return [...byLimits].map(([limits, models]) => `${models.join(", ")}: ${limits}`).join("; ");
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/.exec(text)?.[0].slice(0, -1) ?? text;
}

/** What was given for a field, as the SDK takes it; what does not read as the field's type is left to the SDK to refuse. */
export function readField(given: unknown, info: FieldInfo | undefined, readFile: (path: string) => Promise<unknown>): unknown {
  if (Array.isArray(given)) return readList(given, info, readFile);
  if (typeof given !== "string") return given;
  return info?.takes === "number" && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
}

async function readList(given: readonly unknown[], info: FieldInfo | undefined, readFile: (path: string) => Promise<unknown>): Promise<unknown> {
  const each = await Promise.all(given.map((one) => (info?.takes === "file" ? readFile(String(one)) : readField(one, info, readFile))));
  return each.length === 1 && !info?.many ? each[0] : each;
}
