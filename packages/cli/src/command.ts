#!/usr/bin/env node
import { listModels, type ModelInfo } from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { CommanderError, type Command } from "commander";
import { CommandError, errorDocument, tell } from "./errors/command-error.ts";
import { exitCodes } from "./errors/exit-codes.ts";
import { readSwitches } from "./form/read-switches.ts";
import { createProgram } from "./program.ts";
import { printDocument } from "./terminal/output.ts";
import { isClosedByReader, stdoutFailed, stdoutFailure, watchStdout } from "./terminal/stdout-failure.ts";

process.exitCode = await run(process.argv.slice(2));

/** Runs the command line and returns the exit code. */
async function run(given: readonly string[]): Promise<number> {
  watchStdout();
  // A closed terminal must not lose a task that is being created.
  process.stderr.on("error", () => undefined);
  if (given[0] === "__complete") {
    const { complete } = await import("./commands/complete.ts");
    for (const line of await complete(createProgram(listModels(), service.schemas), given.slice(1)))
      process.stdout.write(`${line}\n`);
    return exitCodes.done;
  }
  const args = given.length === 0 ? ["--help"] : readHelp(given);
  const program = createProgram(modelsFor(args), service.schemas);
  const command = commandOf(program, args);
  try {
    await program.parseAsync(readSwitches(command, args), { from: "user" });
    const failure = await stdoutFailure();
    if (!failure || isClosedByReader(failure)) return Number(process.exitCode ?? 0);
    const advice = "Run the command again with a stdout that can be written to.";
    throw new CommandError(stdoutFailed(failure), advice, Number(process.exitCode || exitCodes.unsaved));
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    // A command with commands of its own, without one of them: its help has been printed.
    if (error instanceof CommanderError && error.code === "commander.help") return exitCodes.usage;
    const { explain } = await import("./errors/explain.ts");
    const explained = explain(error, { command });
    if (command.getOptionValue("json") || beforeDashes(args).includes("--json"))
      printDocument({ error: errorDocument(explained) });
    tell(explained);
    return explained.exitCode;
  }
}

/** Returns `help task show` and `task help` as the `--help` of the commands themselves. */
function readHelp(args: readonly string[]): readonly string[] {
  if (args[0] === "help") return [...args.slice(1), "--help"];
  return args.length === 2 && args[0] === "task" && args[1] === "help" ? ["task", "--help"] : args;
}

/** Returns the models of a command line: for the help about one model, that one. */
function modelsFor(args: readonly string[]): readonly ModelInfo[] {
  const models = listModels();
  const words = beforeDashes(args);
  if (!words.some((word) => word === "--help" || word === "-h")) return models;
  const named = words.map((word, at) =>
    /^(-m|--model)$/.test(words[at - 1] ?? "") ? word : /^--model=(.*)$/.exec(word)?.[1],
  );
  const one = models.find(({ kind, model }) => kind === words[0] && named.includes(model));
  return one ? models.filter(({ kind }) => kind !== one.kind).concat(one) : models;
}

function beforeDashes(args: readonly string[]): readonly string[] {
  const dashes = args.indexOf("--");
  return dashes < 0 ? args : args.slice(0, dashes);
}

/** Returns the command that the arguments name. */
function commandOf(program: Command, [first = "", ...rest]: readonly string[]): Command {
  const next = program.commands.find((one) => one.name() === first);
  return next ? commandOf(next, rest) : program;
}
