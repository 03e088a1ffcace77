import { readFile } from "node:fs/promises";
import { type Field, listModels, type ModelInfo } from "@mediagen/sdk";
import { type Schemas, service, unknownName } from "@mediagen/sdk/kit";
import { CommandError, tell, usageError } from "./errors/command-error.ts";
import { exitCodes, exitCodesText } from "./errors/exit-codes.ts";
import { examplesOf } from "./flags/examples.ts";
import { fieldFlags } from "./flags/field-flags.ts";
import { type Flag, flagsOf } from "./flags/flags.ts";
import { type Command, commandOf } from "./usage/command.ts";
import { helpOf, overviewOf } from "./usage/help.ts";
import { parse } from "./usage/parse.ts";
import { printDocument } from "./terminal/output.ts";
import {
  isClosedByReader,
  stdoutFailed,
  stdoutFailure,
  watchStdout,
} from "./terminal/stdout-failure.ts";

/** Returns the words of a command line that may be flags. */
const flagsIn = (args: readonly string[]) =>
  args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
const isHelp = (word: string) => word === "--help" || word === "-h";

/** Runs the command line and returns the exit code. */
export async function run(given: readonly string[]): Promise<number> {
  watchStdout();
  // A closed terminal must not lose a task that is being created.
  process.stderr.on("error", () => undefined);
  const commands = createCommands(listModels(), service.schemas);
  if (given[0] === "__complete") {
    const { complete } = await import("./commands/complete.ts");
    for (const line of await complete(commands, given.slice(1))) process.stdout.write(`${line}\n`);
    return exitCodes.done;
  }
  const args = readHelp(given);
  const command = commandOf(commands, args);
  try {
    await runCommand(commands, command, args);
    const failure = await stdoutFailure();
    if (!failure || isClosedByReader(failure)) return Number(process.exitCode ?? 0);
    const advice = "Run the command again with a stdout that can be written to.";
    const exitCode = Number(process.exitCode || exitCodes.unsaved);
    throw new CommandError(stdoutFailed(failure), { advice, exitCode });
  } catch (error) {
    const { explain } = await import("./errors/explain.ts");
    const explained = explain(error, { flags: command?.flags });
    if (flagsIn(args).includes("--json")) printDocument({ error: explained });
    tell(explained);
    return explained.exitCode;
  }
}

async function runCommand(
  commands: readonly Command[],
  command: Command | undefined,
  args: readonly string[],
) {
  const [first = "", ...rest] = args;
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  if (command?.name === "emulator")
    return (await command.load()).run({ words: [], options: {}, fields: new Map() }, command);
  if (command) {
    if (flagsIn(args).some(isHelp)) return print(helpOf(command));
    const parsed = parse(command, args.slice(command.name.split(" ").length));
    return (await command.load()).run(parsed, command);
  }
  const { version, homepage } = JSON.parse(
    await readFile(new URL("../package.json", import.meta.url), "utf8"),
  ) as {
    readonly version: string;
    readonly homepage: string;
  };
  if (first === "-v" || first === "--version") return print(version);
  const group = commands.some(({ name }) => name.startsWith(`${first} `)) ? `${first} ` : "";
  if (group ? rest.some(isHelp) : isHelp(first)) {
    const examples = examplesOf(listModels())[`mediagen ${group}`.trim()] ?? [];
    const set = "Run mediagen login, or set MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY.";
    return print(
      `${overviewOf(commands, group, examples)}\n\n${set}\nDocumentation: ${homepage}\n\n${exitCodesText}`,
    );
  }
  const below = commands.filter(({ name }) => name.startsWith(group));
  const names = [...new Set(below.map(({ name }) => name.slice(group.length).split(" ")[0] ?? ""))];
  const word = group ? rest[0] : first;
  if (word === undefined)
    throw usageError(`mediagen ${group}needs a command`, `Use one of ${names.join(", ")}.`);
  throw usageError(
    `unknown command mediagen ${group}${word}`,
    unknownName(word, "command", names).message,
  );
}

/** Returns `help task show` as the `--help` of the command itself. */
function readHelp(args: readonly string[]): readonly string[] {
  if (args.length === 0) return ["--help"];
  return args[0] === "help" ? [...args.slice(1), "--help"] : args;
}

type CommandFacts = Pick<Command, "name" | "text" | "load"> & Partial<Command>;

/**
 * Creates the commands. Their models and the flags of forms are made from the service's
 * description.
 */
export function createCommands(models: readonly ModelInfo[], schemas: Schemas): readonly Command[] {
  const examples = examplesOf(models);
  const all = [
    ...generatingCommands(models, schemas),
    ...taskCommands(schemas),
    ...otherCommands(models),
  ];
  return all.map(({ name, ...facts }) => {
    const flags = flagsOf(name.split(" ").at(-1) ?? "");
    return { name, argument: "", flags, examples: examples[name] ?? [], ...facts };
  });
}

function generatingCommands(
  models: readonly ModelInfo[],
  schemas: Schemas,
): readonly CommandFacts[] {
  return [...new Set(models.map(({ kind }) => kind))].map((kind) => {
    const ofKind = models.filter((one) => one.kind === kind);
    const own = flagsOf("generate");
    return {
      name: kind,
      argument: "[prompt]",
      text: `Generate ${kind === "video" ? "a video" : "images"} from a prompt (billed)`,
      load: () => import("./commands/generate.ts"),
      flags: [...own.slice(0, 1), ...fieldFlags(ofKind, schemas, own), ...own.slice(1)],
      models: ofKind,
    };
  });
}

function taskCommands(schemas: Schemas): readonly CommandFacts[] {
  const wait = () => import("./commands/task-wait.ts");
  return [
    {
      name: "task list",
      text: "List the tasks of the store, first those that have not ended",
      load: () => import("./commands/task-list.ts"),
    },
    {
      name: "task show",
      argument: "<id...>",
      text: "Print each task's state, status and result URLs",
      load: () => import("./commands/task-show.ts"),
    },
    {
      name: "task wait",
      argument: "<id...>",
      text: "Wait for tasks and print their result URLs",
      load: wait,
    },
    {
      name: "task download",
      argument: "<id...>",
      text: "Wait for tasks and download their results",
      load: wait,
    },
    {
      name: "task delete",
      argument: "<id...>",
      text: "Delete tasks; whether that stops or refunds a running task is not documented",
      load: () => import("./commands/task-delete.ts"),
      flags: [...deletionFlags(schemas), ...flagsOf("delete")],
    },
  ];
}

function otherCommands(models: readonly ModelInfo[]): readonly CommandFacts[] {
  const login = () => import("./commands/login.ts");
  return [
    {
      name: "batch",
      argument: "<file>",
      text: "Generate every line of a file (billed); the same command again continues it",
      load: () => import("./commands/batch.ts"),
    },
    {
      name: "recover",
      text: "List or download tasks that a crash has left, and resolve unknown outcomes",
      load: () => import("./commands/recover.ts"),
    },
    {
      name: "models",
      argument: "[model]",
      text: "List the models, or the fields of one with their bounds and defaults",
      load: () => import("./commands/models.ts"),
      models,
    },
    { name: "login", text: "Save a base URL and its API key, for this command only", load: login },
    { name: "logout", text: "Delete what mediagen login has saved", load: login },
    {
      name: "emulator",
      argument: "[args...]",
      text: "Emulate the service on this machine, free of charge",
      load: () => import("./commands/emulator.ts"),
    },
    {
      name: "completion",
      argument: "<shell>",
      text: "Print the completion script for a shell",
      load: () => import("./commands/completion.ts"),
    },
  ];
}

/** Returns flags for the fields of deletions besides the ids. */
function deletionFlags(schemas: Schemas): readonly Flag[] {
  const isOwnText = ({ takes, required }: Field) => takes === "text" && !required;
  const all = Object.values(service.operations).flatMap(({ delete: { id, body } }) =>
    body.fields.filter(isOwnText).map(({ field }) => {
      const text = schemas[id]?.properties[field]?.description ?? "";
      return [field, { name: field, takes: "text", text, field }] as const;
    }),
  );
  return [...new Map(all).values()];
}
