import { listModels } from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { descriptions } from "./descriptions.gen.ts";
import { isClosedByReader, stdoutFailed, stdoutFailure, watchStdout } from "./stdout.ts";
import { readSwitches } from "./switches.ts";

/** Runs the command line and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  watchStdout();
  // A closed terminal must not lose a task that is being created.
  process.stderr.on("error", () => undefined);
  const program = createProgram(listModels(), descriptions);
  if (args[0] === "__complete") {
    const { complete } = await import("./completion.ts");
    process.stdout.write(
      complete(program, args.slice(1))
        .map((line) => `${line}\n`)
        .join(""),
    );
    return exitCodes.done;
  }
  const command = commandOf(program, args);
  try {
    await program.parseAsync(readSwitches(command, args), { from: "user" });
    const failure = await stdoutFailure();
    if (!failure || isClosedByReader(failure)) return Number(process.exitCode ?? 0);
    const { CommandError } = await import("./explain.ts");
    const advice = "Run the command again with a stdout that can be written to.";
    throw new CommandError(stdoutFailed(failure), advice, Number(process.exitCode || exitCodes.unsaved));
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    // Without a command, the help has been printed.
    if (error instanceof CommanderError && error.code === "commander.help") return exitCodes.usage;
    const { explain, tell } = await import("./explain.ts");
    const explained = explain(error, { command });
    tell(explained);
    return explained.exitCode;
  }
}

/** Returns the command that the arguments name. */
function commandOf(program: Command, [first = "", ...rest]: readonly string[]): Command {
  const next = program.commands.find((one) => one.name() === first);
  return next ? commandOf(next, rest) : program;
}
