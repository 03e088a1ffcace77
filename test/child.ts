import type { ChildProcess } from "node:child_process";
import { type EventEmitter, once } from "node:events";

/** What a program has printed, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  /** What it has printed so far. */
  readonly output: Readonly<Record<"stdout" | "stderr", string>>;
  /** Resolves once it has printed a match, and rejects if it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

/** Runs a program to its exit code, and keeps what it prints on streams of text. */
export function follow(
  { stdout, stderr }: Readonly<Record<"stdout" | "stderr", EventEmitter | null>>,
  run: () => Promise<number | null>,
): Running {
  const output = { stdout: "", stderr: "" };
  stdout?.on("data", (text: string) => void (output.stdout += text));
  stderr?.on("data", (text: string) => void (output.stderr += text));
  const ended = run().then((code) => ({ code, ...output }));
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output.stdout + output.stderr);
        if (found) resolve(found);
      };
      stdout?.on("data", look);
      stderr?.on("data", look);
      look();
      ended.then(
        (end) => reject(new Error(`${pattern} was not printed: ${JSON.stringify(end)}`)),
        reject,
      );
    });
  return { output, printed, ended };
}

/** Keeps what a process prints. */
export function followChild<Child extends ChildProcess>(
  child: Child,
): Running & { readonly child: Child } {
  child.stdout?.setEncoding("utf8");
  child.stderr?.setEncoding("utf8");
  // The cast: the argument of the event.
  const running = follow(child, async () => (await once(child, "close"))[0] as number | null);
  return { child, ...running };
}

/**
 * What every process needs of this one's environment. Most of the time of a short process is the
 * compiling of its modules.
 */
export const ownEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
};
