import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The file that the package's bin names. */
export const commandFile: string = fileURLToPath(new URL("command.js", import.meta.resolve("@mediagen/emulator")));

/** How a run of the command ended. */
export type Ended = Readonly<Record<"stdout" | "stderr", string>> & {
  readonly code: number | null;
  readonly signal: string | null;
};

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

/** Runs `mediagen-emulator` with the arguments. */
export function runCommand(args: readonly string[], options: SpawnOptions = {}): Run {
  const child = spawn(process.execPath, [commandFile, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  // The cast: the event has these arguments.
  const ended = (once(child, "close") as Promise<[number | null, string | null]>).then(([code, signal]): Ended => {
    return { code, signal, stdout, stderr };
  });
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
        if (end && !pattern.test(stdout)) throw new Error(`${pattern} was not printed: ${JSON.stringify(end)}`);
      }
    },
  };
}

/** Starts the command as a server. */
export async function serve(args: readonly string[]): Promise<Run & { readonly baseUrl: string }> {
  const run = runCommand(["--port", "0", ...args]);
  const [, baseUrl = ""] = await run.printed(/at (http:\/\/\S+)/);
  return { ...run, baseUrl };
}
