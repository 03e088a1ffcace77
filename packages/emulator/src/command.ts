#!/usr/bin/env node
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { constants } from "node:os";
import { setFlagsFromString } from "node:v8";
import { createEmulator } from "./emulator/create-emulator.ts";
import { type CommandLine, readCommandLine } from "./node/command-line.ts";
import { hasCode } from "./node/error-code.ts";
import { type EmulatorServer, listen } from "./node/server.ts";
import { createSavedState, usualFile } from "./node/saved-state.ts";

const usage = `mediagen-emulator: the Media Generation Service, emulated on this machine

  mediagen-emulator [options]                     serve until stopped
  mediagen-emulator [options] exec -- COMMAND     serve while COMMAND runs, with MEDIAGEN_BASE_URL,
                                                  MEDIAGEN_API_KEY and MEDIAGEN_FAILED_STATUSES set,
                                                  and exit with its exit code

Example:
  mediagen-emulator exec -- npm test

  --port N          the port to listen on; 0 is any free port (default: 4020)
  --host ADDRESS    the address to listen on (default: 127.0.0.1)
  --public-url URL  the base URL for clients that use a proxy or another host name
  --key KEY         the API key that clients must send (default: emulator-key)
  --credits N       the balance in credits (default: 10000)
  --seed N          the seed of task ids and images (default: random)
  --speed N         how fast time passes; 60 is a minute per second (default: 1)
  --state FILE      load tasks and credits from this file, and save them to it
  --fresh           start without tasks and save nothing
  --help            show this text

exec uses port 4020, or any free port if 4020 is in use. It saves its tasks in
${usualFile()}
so that you can run a command twice and the second run finds the tasks of the first one. Each run
starts with all credits. With --port, --host, --public-url or --state, exec does not use that file.
With --seed or --fresh, it uses neither that file nor port 4020.
`;

const optionsWithValue = ["port", "host", "public-url", "key", "credits", "seed", "speed", "state"];
const optionsWithoutValue = ["fresh", "help"];

/** The port unless one is given. Tasks and idempotency keys belong to an origin, so it is the same in every run. */
const usualPort = 4020;
const usualUrl = `http://127.0.0.1:${usualPort}`;

// By default V8 lets the space for short-lived objects grow until a server that creates many of them uses twice the
// memory, without being faster.
setFlagsFromString("--semi-space-growth-factor=1");

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`mediagen-emulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
});

async function run(args: readonly string[]): Promise<void> {
  const line = readCommandLine(args, optionsWithValue, optionsWithoutValue);
  const { values, switches, command = [] } = line;
  if (switches.has("help")) return void console.log(usage);
  checkCommand(line);
  const exec = line.words[0] === "exec";
  const fresh = switches.has("fresh");
  if (fresh && values["state"] !== undefined)
    throw new Error("--fresh and --state exclude each other. Pass one of them.");
  const saved = createSavedState();
  const emulator = createEmulator({
    apiKey: values["key"],
    credits: number("credits", values["credits"], 0),
    // Ids of an earlier run, whose files may still be there, must not come again.
    seed: number("seed", values["seed"], 0) ?? randomInt(2 ** 31),
    clock: { speed: number("speed", values["speed"], 0.001) ?? 1 },
    persist: saved.persist,
  });
  const { host, "public-url": publicUrl, state, seed } = values;
  if (state !== undefined) await saved.open(emulator, state).catch(nameState(state));
  const port = number("port", values["port"], 0, 65_535);
  const start: Start = (port) => listen(emulator, { port, host, publicUrl }).catch(explainListen({ port, host }));
  const isUsual = !fresh && [port, host, publicUrl, state, seed].every((value) => value === undefined);
  const isNew = fresh || (seed !== undefined && state === undefined);
  const server =
    !exec || port !== undefined || publicUrl
      ? await start(port ?? usualPort)
      : isNew
        ? await start(0)
        : await startAnyhow(start, isUsual ? () => saved.openUsual(emulator, warnOfMemory) : undefined);
  const environment = {
    MEDIAGEN_BASE_URL: publicUrl ?? server.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    MEDIAGEN_FAILED_STATUSES: emulator.statuses.failed.join(),
  };
  if (exec) await runBeside(command, server, environment);
  else serveUntilStopped(server, environment);
}

/** Rejects words that are neither an option nor `exec -- COMMAND`. */
function checkCommand({ words, command }: CommandLine): void {
  const [first, ...others] = words;
  const fail = (what: string) => {
    throw new Error(`${what} Run mediagen-emulator --help for usage.`);
  };
  if (first !== undefined && first !== "exec") fail(`"${first}" is not a known command. The only command is exec.`);
  if (first === undefined && command) fail("-- COMMAND needs exec before it: mediagen-emulator exec -- COMMAND.");
  if (others.length > 0)
    fail(`exec needs -- before the command: mediagen-emulator exec -- ${[...others, ...(command ?? [])].join(" ")}.`);
  if (first === "exec" && !command?.length) fail("exec needs a command: mediagen-emulator exec -- COMMAND.");
}

/** Returns a handler that names the flag of a state file that cannot be used. */
function nameState(path: string) {
  return (error: unknown): never => {
    const isNamed = error instanceof Error && error.message.startsWith(path);
    throw isNamed ? new Error(`--state ${error.message}`, { cause: error }) : error;
  };
}

/** Returns a handler that says why the emulator cannot listen. */
function explainListen({ port, host = "127.0.0.1" }: { readonly port: number; readonly host: string | undefined }) {
  return (error: unknown): never => {
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} is in use. Pass another --port, or --port 0 for any free one.`,
      EACCES: `port ${port} needs more permissions than this user has. Pass another --port.`,
      EADDRNOTAVAIL: `--host: "${host}" is not an address of this machine.`,
      ENOTFOUND: `--host: "${host}" is not an address of this machine.`,
    };
    const [, message] = Object.entries(messages).find(([code]) => hasCode(error, code)) ?? [];
    if (message !== undefined) throw new Error(message, { cause: error });
    // The option of `listen`, as the flag that it comes from.
    throw error instanceof Error
      ? new Error(error.message.replace(/^publicUrl:/, "--public-url:"), { cause: error })
      : error;
  };
}

type Start = (port: number) => Promise<EmulatorServer>;

/**
 * Listens on the usual port with the usual state. Takes a free port if the usual one is in use, as by a pipeline of tests, or if the
 * state cannot be used: a store of this machine has tasks of the usual base URL, and this emulator would not know them.
 */
async function startAnyhow(start: Start, openState: (() => Promise<void>) | undefined): Promise<EmulatorServer> {
  let server: EmulatorServer;
  try {
    server = await start(usualPort);
  } catch (error) {
    if (!(error instanceof Error) || !hasCode(error.cause, "EADDRINUSE")) throw error;
    server = await start(0);
    warnOfPort(`port ${usualPort} is in use.`, server, "To keep its tasks, pass --port N and --state FILE.");
    return server;
  }
  try {
    if (server.baseUrl === usualUrl) await openState?.();
    return server;
  } catch (error) {
    await server.close();
    server = await start(0);
    warnOfPort(error instanceof Error ? error.message : String(error), server, "");
    return server;
  }
}

function warnOfPort(why: string, { baseUrl }: EmulatorServer, advice: string): void {
  console.error(
    `mediagen-emulator: ${why} This run saves nothing, and uses ${baseUrl} instead: it has no tasks or idempotency keys of ` +
      `earlier runs, and later runs will not find its tasks. ${advice}`.trimEnd(),
  );
}

function warnOfMemory(reason: string): void {
  console.error(
    `mediagen-emulator: the state can no longer be saved, so later runs will not find all tasks of this one. ${reason}`,
  );
}

type Environment = Readonly<Record<string, string>>;

function serveUntilStopped(server: EmulatorServer, environment: Environment): void {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  console.log(`The emulator is running at ${server.baseUrl}

  Set these variables for your program:
  export ${variables.join(" ")}

  Tasks, calls and faults: ${server.baseUrl}/_emulator/
  Press Ctrl-C to stop it.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}

async function runBeside(
  [name = "", ...args]: readonly string[],
  server: EmulatorServer,
  environment: Environment,
): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = spawn(name, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  // On a terminal the command receives Ctrl-C too, and a second signal would end its clean-up. The emulator serves
  // until it exits.
  process.on("SIGINT", () => void (process.stdin.isTTY || child.kill("SIGINT")));
  process.on("SIGTERM", () => void child.kill("SIGTERM"));
  try {
    process.exitCode = await new Promise<number>((resolve) => {
      child.once("error", (error) => {
        console.error(
          `mediagen-emulator: could not run ${name}: ${hasCode(error, "ENOENT") ? "command not found" : error.message}.`,
        );
        // As a shell does.
        resolve(hasCode(error, "ENOENT") ? 127 : 126);
      });
      child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    await server.close();
    process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM");
  }
}

function number(name: string, text: string | undefined, least: number, most: number = Infinity): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  const range = most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`;
  if (text.trim() === "" || !Number.isFinite(value) || value < least || value > most)
    throw new Error(`--${name}: "${text}" is not valid. Use a number${range}.`);
  return value;
}
