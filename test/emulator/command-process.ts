import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The file that the package's bin names. */
export const commandFile: string = fileURLToPath(new URL("command.js", import.meta.resolve("@mediagen/emulator")));

/** What a run of the command left behind. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the command. */
export interface Run {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when a line matches, and rejects when the command has ended without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

/** Runs `mediagen-emulator` with the arguments, in a process of its own. */
export function runCommand(args: readonly string[], options: SpawnOptions = {}): Run {
  const child = spawn(process.execPath, [commandFile, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout,
    stderr,
  }));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async printed(pattern) {
      for (;;) {
        const found = pattern.exec(stdout);
        if (found) return found;
        const end = await Promise.race([
          ended,
          once(child.stdout as NonNullable<typeof child.stdout>, "data").then(() => undefined),
        ]);
        if (end && !pattern.test(stdout))
          throw new Error(
            `the command ended with ${end.code ?? end.signal} and did not print ${pattern}: ${end.stdout}${end.stderr}`,
          );
      }
    },
  };
}

/** Starts the command as a server and answers where it listens. */
export async function serve(args: readonly string[]): Promise<Run & { readonly baseUrl: string }> {
  const run = runCommand(["--port", "0", ...args]);
  const [, baseUrl = ""] = await run.printed(/at (http:\/\/\S+)/);
  return { ...run, baseUrl };
}
