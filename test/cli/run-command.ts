import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EmulatorRequest,
  type EmulatorResponse,
  listen,
} from "@mediagen/emulator/node";
import { createMediaGen, fileStore, type GenerationStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, vi } from "vitest";
import { run } from "../../packages/cli/src/program.ts";
import { type Ended, follow, followChild, ownEnvironment, type Running } from "../child.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** The file that the package's bin imports. */
export const commandFile: string = resolve("packages/cli/dist/command.js");

/** A running command. On a terminal, everything that it prints is in `stdout`. */
export interface Run extends Running {
  /** Writes to stdin. */
  type(text: string): void;
  /**
   * Sends a signal. In this process, it returns the timers that the signal has set, which then do
   * not run by themselves.
   */
  signal(name: NodeJS.Signals): readonly (() => void)[];
}

type Spawned = Run & { readonly child: ChildProcess };

/** The surroundings of a command. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The text in stdin; without it, stdin stays open until the command ends. */
  readonly stdin?: string | Uint8Array | undefined;
  /** The columns of the terminal that stdin, stdout and stderr are; without it, they are pipes. */
  readonly columns?: number | undefined;
}

/** Returns the words of a command line. `'A fox'` is one word. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/**
 * Starts the command in this process. Only one can run at a time, because it has this process's
 * streams, environment and directory.
 */
export function start(
  args: readonly string[],
  { cwd = ".", env = {}, stdin, columns }: Surroundings = {},
): Run {
  const { env: ownEnv, argv, exitCode } = process;
  const directory = process.cwd();
  const terminal = columns === undefined ? undefined : fakeStream({ isTTY: true, columns });
  const out = terminal ?? fakeStream();
  const err = terminal ?? fakeStream();
  const typed = Object.assign(new PassThrough(), { isTTY: terminal !== undefined });
  if (stdin !== undefined) typed.end(stdin);
  const streams = { stdout: out, stderr: err, stdin: typed };
  const own = Object.keys(streams).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const,
  );
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const before = new Set<unknown>(signals.flatMap((name) => process.listeners(name)));
  const added = (name: NodeJS.Signals) => process.listeners(name).filter((one) => !before.has(one));
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  const surroundings = { PATH: ownEnv["PATH"], ...env };
  Object.assign(process, {
    env: surroundings,
    argv: ["node", commandFile, ...args],
    exitCode: undefined,
  });
  process.chdir(cwd);
  const restore = () => {
    for (const name of signals) for (const one of added(name)) process.off(name, one);
    if (!Object.is(process.stdout, out)) return;
    for (const [name, descriptor] of own) Object.defineProperty(process, name, descriptor);
    Object.assign(process, { env: ownEnv, argv, exitCode });
    process.chdir(directory);
  };
  // A test that fails does not wait for the end of its command.
  onTestFinished(restore);
  return {
    ...follow({ stdout: out, stderr: terminal ? null : err }, () => run(args).finally(restore)),
    type: (text) => void typed.write(text),
    signal(name) {
      const timers = vi.spyOn(globalThis, "setTimeout");
      added(name).forEach((one) => one(name));
      const late = timers.mock.calls.flatMap(([run, delay], n) =>
        Number(delay) > 5_000 ? [{ run, n }] : [],
      );
      for (const { n } of late) clearTimeout(timers.mock.results[n]?.value);
      timers.mockRestore();
      return late.map(({ run }) => run);
    },
  };
}

/** Starts the command in a process of its own. */
export function spawnCommand(args: readonly string[], surroundings: Surroundings = {}): Spawned {
  return spawned(process.execPath, [commandFile, ...args], surroundings);
}

/** Starts the command in a process of its own, on a real terminal: script(1) opens it. */
export function spawnOnTerminal(
  args: readonly string[],
  { env, ...surroundings }: Surroundings = {},
): Spawned {
  const words = [process.execPath, commandFile, ...args]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(" ");
  const ofTerminal = { TERM: "xterm-256color", SHELL: "/bin/sh", ...env };
  return spawned("script", ["-qefc", `exec ${words}`, "/dev/null"], {
    ...surroundings,
    env: ofTerminal,
  });
}

/**
 * Runs a line in bash, as its reader would. bash reads its startup file if stdin is a socket, as it
 * is here.
 */
export function paste(line: string, surroundings: Surroundings = {}): Promise<Ended> {
  const named = `mediagen() { '${process.execPath}' '${commandFile}' "$@"; }\n${line}`;
  return spawned("bash", ["--norc", "-c", named], surroundings).ended;
}

/** Returns the commands that a command has printed, each on its line. */
export function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^ {4}(mediagen .+?)\r?$/gm)].map(([, command = ""]) => command);
}

function fakeStream(more: object = {}): Writable {
  const stream = new Writable({
    write(chunk, _, done) {
      stream.emit("data", String(chunk));
      done();
    },
  });
  return Object.assign(stream, more);
}

function spawned(file: string, args: readonly string[], { cwd, env }: Surroundings): Spawned {
  const child = spawn(file, args, { cwd, env: { ...ownEnvironment, ...env } });
  return {
    ...followChild(child),
    type: (text) => void child.stdin.write(text),
    signal(name) {
      child.kill(name);
      return [];
    },
  };
}

/** An emulator, the environment that leads to it, and an empty directory. */
export interface Place {
  readonly emulator: Emulator;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Runs a command line in this place, in this process. */
  run(line: string, more?: Surroundings): Promise<Ended>;
  start(line: string, more?: Surroundings): Run;
}

export interface PlaceOptions extends EmulatorOptions {
  /** Changes responses, or holds them up. */
  readonly hold?: (
    request: EmulatorRequest,
    response: EmulatorResponse,
  ) => Promise<EmulatorResponse>;
}

/** Runs a test in a place of its own. Tasks take moments there, unless its clock is manual. */
export async function inPlace(
  test: (place: Place) => Promise<void>,
  { hold = async (_, response) => response, ...options }: PlaceOptions = {},
): Promise<void> {
  const emulator = createEmulator({ clock: { speed: 50 }, ...options });
  const serve = async (request: EmulatorRequest) => hold(request, await emulator.serve(request));
  const { baseUrl, close } = await listen({ ...emulator, serve });
  onTestFinished(close);
  const directory = await temporaryDirectory();
  const cwd = join(directory, "work");
  await mkdir(cwd);
  const access = { MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
  const env = {
    ...access,
    XDG_STATE_HOME: join(directory, "state"),
    XDG_CONFIG_HOME: join(directory, "config"),
  };
  const startHere = (line: string, more: Surroundings = {}) =>
    start(wordsOf(line), { cwd, env, ...more });
  await test({
    emulator,
    env,
    cwd,
    start: startHere,
    run: (line, more) => startHere(line, more).ended,
  });
}

interface Generation {
  readonly prompt?: string;
  readonly batchsize?: number;
  readonly store?: GenerationStore;
}

/**
 * Generates with the SDK, into the store of the command, and returns the task as the command line
 * writes it.
 */
export async function generate(
  { env }: Pick<Place, "env">,
  model: string,
  { store = fileStore(join(env["XDG_STATE_HOME"] ?? "", "mediagen")), ...fields }: Generation = {},
): Promise<string> {
  const media = createMediaGen({
    baseUrl: env["MEDIAGEN_BASE_URL"],
    apiKey: env["MEDIAGEN_API_KEY"],
    store,
  });
  const { kind, taskid } = await media.generate(model, { prompt: "A bicycle", ...fields });
  return `${kind}:${taskid}`;
}

/** Expects that a command ends with an exit code, prints nothing on stdout and this on stderr. */
export async function fails(
  running: Promise<Ended>,
  code: number,
  says: string | RegExp,
): Promise<Ended> {
  const stderr =
    typeof says === "string" ? expect.stringContaining(says) : expect.stringMatching(says);
  const ended = await running;
  expect(ended).toEqual({ code, stdout: "", stderr });
  return ended;
}
