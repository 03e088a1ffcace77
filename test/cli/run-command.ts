import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  createEmulator,
  listen,
  type EmulatorRequest,
  type Emulator,
  type EmulatorOptions,
  type EmulatorResponse,
} from "@mediagen/emulator/node";

/** The file that the package's bin names. */
export const commandFile: string = resolve("packages/cli/dist/command.js");

/** What a run left behind. On a terminal everything is in `stdout`. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of `mediagen`. */
export interface Run {
  readonly child: ChildProcess;
  /** Resolves once the text is there, on stdout or stderr, and rejects when the command has ended without it. */
  printed(pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Where and with what it is run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads, to the end; without it, there is nothing to read. */
  readonly stdin?: string | Uint8Array;
  /** What it can read from file descriptor 3. */
  readonly fd3?: string;
}

/** What every run finds in its environment. Most of the time of a short one is the compiling of its modules. */
const surroundings = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

/** Runs `mediagen` with pipes, as a script would. */
export function mediagen(args: readonly string[], { cwd, env = {}, stdin, fd3 }: RunOptions = {}): Run {
  const child = spawn(process.execPath, [commandFile, ...args], {
    cwd,
    env: { ...surroundings, ...env },
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", fd3 === undefined ? "ignore" : "pipe"],
  });
  child.stdin?.end(stdin);
  const third = child.stdio[3];
  // Whoever does not read it may end before it is written.
  if (third && "end" in third) third.on("error", () => undefined).end(fd3);
  return watch(child);
}

/** Runs `mediagen` on a terminal of its own; what is written to the run's stdin is typed there. */
export function mediagenOnTerminal(args: readonly string[], { cwd, env = {} }: RunOptions = {}, columns = 100): Run {
  const words = [process.execPath, commandFile, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  // util-linux's script(1), which every Debian has, opens the terminal and ends as the command does.
  const child = spawn("script", ["-qefc", `stty cols ${columns} rows 30; exec ${words}`, "/dev/null"], {
    cwd,
    env: { ...surroundings, TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    stdio: "pipe",
  });
  return watch(child);
}

/** The commands that a run has printed, as they stand on their lines. */
export function commandsIn(printed: string): readonly string[] {
  return [...printed.matchAll(/^ {4}(mediagen .+?)\r?$/gm)].map(([, command = ""]) => command);
}

/** Pastes commands into bash, as the person who reads them would. bash reads its startup file if stdin is a socket, as it is here. */
export function paste(commands: string, { cwd, env = {} }: RunOptions = {}): Promise<Ended> {
  const named = `mediagen() { '${process.execPath}' '${commandFile}' "$@"; }\n${commands}`;
  const child = spawn("bash", ["--norc", "-c", named], {
    cwd,
    env: { ...surroundings, ...env },
    stdio: "pipe",
  });
  return watch(child).ended;
}

function watch(child: ChildProcess): Run {
  let [stdout, stderr] = ["", ""];
  const wakes = new Set<() => void>();
  const wake = () => wakes.forEach((one) => one());
  child.stdout?.setEncoding("utf8").on("data", (text: string) => ((stdout += text), wake()));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => ((stderr += text), wake()));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((done, reject) => {
        const look = () => {
          if (!pattern.test(stdout + stderr)) return;
          wakes.delete(look);
          done();
        };
        wakes.add(look);
        void ended.then(() => reject(new Error(`the command ended and did not print ${pattern}: ${stdout}${stderr}`)));
        look();
      }),
  };
}

/** An emulator, the environment that leads to it, and a directory that is empty. */
export interface Place {
  readonly emulator: Emulator;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How the service of a place is. */
export interface PlaceOptions extends EmulatorOptions {
  /** Stands between the command and the emulator, to hold responses up. */
  readonly hold?: (request: EmulatorRequest, response: EmulatorResponse) => Promise<EmulatorResponse>;
}

/** Runs a test in a place of its own, where tasks take moments, unless its clock is manual: then they take for ever. */
export async function inPlace(
  run: (place: Place) => Promise<void>,
  { hold = async (_, response) => response, ...options }: PlaceOptions = {},
): Promise<void> {
  const emulator = createEmulator({ clock: { speed: 20 }, ...options });
  const { baseUrl, close } = await listen({
    ...emulator,
    serve: async (request) => hold(request, await emulator.serve(request)),
  });
  const directory = await mkdtemp(join(tmpdir(), "mediagen-cli-"));
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const env = {
    MEDIAGEN_BASE_URL: baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    XDG_STATE_HOME: join(directory, "state"),
  };
  try {
    await run({ emulator, env, cwd });
  } finally {
    await close();
    await rm(directory, { recursive: true, force: true });
  }
}
