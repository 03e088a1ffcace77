import { listModels } from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { readDescriptions } from "./descriptions.ts";

/** Runs the command line and answers the code that the process ends with. */
export async function run(args: readonly string[]): Promise<number> {
  // Whoever reads the results may have had enough of them.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => error.code === "EPIPE" || fail(error));
  // A terminal that has gone must not cost a task that is on its way.
  process.stderr.on("error", () => undefined);
  const program = createProgram(listModels(), readDescriptions());
  if (args[0] === "__complete") {
    const { complete } = await import("./completion.ts");
    process.stdout.write(
      complete(program, args.slice(1))
        .map((line) => `${line}\n`)
        .join(""),
    );
    return exitCodes.done;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    // The help was asked for by asking for nothing; it has been shown.
    if (error instanceof CommanderError && error.code === "commander.help") return exitCodes.usage;
    const { explain, tell } = await import("./explain.ts");
    const explained = explain(error, { command: commandOf(program, args) });
    tell(explained);
    return explained.exitCode;
  }
}

/** The command that the arguments name. */
function commandOf(program: Command, [first = "", ...rest]: readonly string[]): Command {
  const next = program.commands.find((one) => one.name() === first);
  return next ? commandOf(next, rest) : program;
}

function fail(error: unknown): never {
  throw error;
}
