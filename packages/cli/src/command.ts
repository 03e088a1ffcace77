#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { listModels } from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { CommandError, errorDocument, tell } from "./errors/command-error.ts";
import { exitCodes, exitCodesText } from "./errors/exit-codes.ts";
import { examplesOf } from "./flags/examples.ts";
import type { Flag } from "./flags/flags.ts";
import { createCommands } from "./program.ts";
import { type Command, commandOf } from "./usage/command.ts";
import { helpOf, overviewOf } from "./usage/help.ts";
import { parse, tokensOf, unknownWord } from "./usage/parse.ts";
import { printDocument } from "./terminal/output.ts";
import { isClosedByReader, stdoutFailed, stdoutFailure, watchStdout } from "./terminal/stdout-failure.ts";

const isHelp = (word: string) => word === "--help" || word === "-h";

process.exitCode = await run(process.argv.slice(2));

/** Runs the command line and returns the exit code. */
async function run(given: readonly string[]): Promise<number> {
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
    throw new CommandError(stdoutFailed(failure), advice, Number(process.exitCode || exitCodes.unsaved));
  } catch (error) {
    const { explain } = await import("./errors/explain.ts");
    const explained = explain(error, { flags: command?.flags });
    const dashes = args.indexOf("--");
    if (args.slice(0, dashes < 0 ? args.length : dashes).includes("--json"))
      printDocument({ error: errorDocument(explained) });
    tell(explained);
    return explained.exitCode;
  }
}

async function runCommand(commands: readonly Command[], command: Command | undefined, args: readonly string[]) {
  const [first = "", ...rest] = args;
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  if (command?.name === "emulator" || command?.name === "mcp")
    return command.run({ words: [], options: {}, fields: new Map() }, command);
  if (command) {
    const own = args.slice(command.name.split(" ").length);
    const model = helpIn(command, own);
    if (model === undefined) return command.run(parse(command, own), command);
    // With a model, its fields only.
    const models = listModels().filter((one) => one.kind !== command.name || one.model === model);
    const isKnown = models.some((one) => one.model === model);
    return print(helpOf((isKnown && commandOf(createCommands(models, service.schemas), args)) || command));
  }
  const { version, homepage } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
    readonly homepage: string;
  };
  if (first === "-v" || first === "--version") return print(version);
  const group = commands.some(({ name }) => name.startsWith(`${first} `)) ? `${first} ` : "";
  if (group ? rest.some(isHelp) : isHelp(first)) {
    const examples = examplesOf(listModels())[`mediagen ${group}`.trim()] ?? [];
    const set = "Set MEDIAGEN_BASE_URL to the URL of the service and MEDIAGEN_API_KEY to your API key.";
    return print(`${overviewOf(commands, group, examples)}\n\n${set}\nDocumentation: ${homepage}\n\n${exitCodesText}`);
  }
  const names = commands.map(({ name }) => name.slice(group.length).split(" ")[0] ?? "");
  const advice = `Run mediagen ${group}--help for the commands.`;
  throw unknownWord((group ? rest[0] : first) ?? "", `command mediagen ${group}`.trimEnd(), names, advice);
}

/** Returns the model that the help is about, or an empty text if no one. Undefined if it is no request for help. */
function helpIn(command: Command, args: readonly string[]): string | undefined {
  const help: Flag = { name: "help", short: "h", text: "" };
  const tokens = tokensOf({ ...command, flags: [...command.flags, help] }, args);
  const given = tokens.filter((token) => token.kind === "option");
  if (!given.some(({ name }) => name === "help")) return undefined;
  return given.find(({ name }) => name === "model")?.value ?? "";
}

/** Returns `help task show` and `task help show` as the `--help` of the commands themselves. */
function readHelp(args: readonly string[]): readonly string[] {
  if (args.length === 0) return ["--help"];
  if (args[0] === "help") return [...args.slice(1), "--help"];
  return args[0] === "task" && args[1] === "help" ? ["task", ...args.slice(2), "--help"] : args;
}
