import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { fileURLToPath } from "node:url";
import { followChild, type Running } from "../child.ts";

/** The file that the package's bin names. */
const commandFile = fileURLToPath(new URL("command.js", import.meta.resolve("@mediagen/emulator")));

/** A run of the command. */
export type Run = Running & { readonly child: ChildProcess };

/** Runs `mediagen-emulator` with the arguments. */
export function runCommand(args: readonly string[], options: SpawnOptions = {}): Run {
  return followChild(
    spawn(process.execPath, [commandFile, ...args], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

/** Starts the command as a server. */
export async function serve(args: readonly string[]): Promise<Run & { readonly baseUrl: string }> {
  const run = runCommand(["--port", "0", ...args]);
  const [, baseUrl = ""] = await run.printed(/at (http:\/\/\S+)/);
  return { ...run, baseUrl };
}
