#!/usr/bin/env node
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { setFlagsFromString } from "node:v8";
import { createEmulator } from "./emulator/create-emulator.ts";
import type { CommandLine } from "./node/command-line.ts";
import { hasCode } from "./node/error-code.ts";
import { readArguments, readBehaviour, readNumber, usage } from "./node/options.ts";
import { lineOf, reportText } from "./node/report-file.ts";
import { resultsFrom } from "./node/results-directory.ts";
import { type EmulatorServer, listen } from "./node/server.ts";
import { createSavedState, type SavedState } from "./node/saved-state.ts";
import { readSession, writeSession } from "./node/session-file.ts";
import type { Emulator } from "./service/emulator-types.ts";
import type { Session } from "./service/session.ts";

/** The default port. It is fixed, because tasks and idempotency keys belong to an origin. */
const usualPort = 4020;
const usualUrl = `http://127.0.0.1:${usualPort}`;

// By default V8 lets the space for short-lived objects grow until a server that creates many of them uses twice the
// memory, without being faster.
setFlagsFromString("--semi-space-growth-factor=1");
// Saves a fifth of the memory under load, and costs a tenth more CPU.
setFlagsFromString("--optimize-for-size");

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`mediagen-emulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
});

async function run(args: readonly string[]): Promise<void> {
  const line = readArguments(args);
  const { values, switches, command = [] } = line;
  if (switches.has("help")) return void console.log(usage);
  checkCommand(line);
  const saved = createSavedState();
  const { results, replay } = values;
  const emulator = createEmulator({
    apiKey: values["key"],
    credits: readNumber(line, "credits", 0),
    // Ids must not repeat those of an earlier run, whose files may still exist.
    seed: readNumber(line, "seed", 0) ?? randomInt(2 ** 31),
    clock: { speed: readNumber(line, "speed", 0.001) ?? 1 },
    behaviour: readBehaviour(line, process.env),
    results: results === undefined ? undefined : await resultsFrom(results).catch(nameOption("results")),
    replay: replay === undefined ? undefined : await readSession(replay).catch(nameOption("replay")),
    persist: saved.persist,
  });
  // Written at the start too, so that an unwritable file is reported immediately.
  const nothing: Session = { version: 1, exchanges: [] };
  await writeOutputs(line, emulator, nothing);
  const stop = values["record"] === undefined ? () => nothing : emulator.record();
  const server = await startServer(line, emulator, saved);
  const environment = {
    MEDIAGEN_BASE_URL: values["public-url"] ?? server.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
    MEDIAGEN_FAILED_STATUSES: emulator.statuses.failed.join(),
  };
  if (line.words[0] === "exec") await runBeside(command, server, environment);
  else await serveUntilStopped(server, environment);
  await writeOutputs(line, emulator, stop());
  if (emulator.behaviour.strict) judge(emulator);
}

/** Writes the report and the recording, if requested. */
async function writeOutputs({ values }: CommandLine, emulator: Emulator, session: Session): Promise<void> {
  const { report, record } = values;
  if (report !== undefined) await writeFile(report, reportText(report, emulator.report())).catch(nameOption("report"));
  if (record !== undefined) await writeSession(record, session).catch(nameOption("record"));
}

/** Returns an error handler that adds the name of the option to errors about its file. */
function nameOption(option: string) {
  return (error: unknown): never => {
    throw new Error(`--${option}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  };
}

/** Sets the exit code to 1 if calls had violations and the command has not failed. */
function judge(emulator: Emulator): void {
  const { violatingCalls, violations } = emulator.report();
  if (violatingCalls === 0) return;
  const lines = violations.slice(0, 10).map((call) => `\n  ${lineOf(call)}`);
  console.error(
    `mediagen-emulator: --strict: ${violatingCalls} call${violatingCalls === 1 ? "" : "s"} had violations:${lines.join("")}`,
  );
  process.exitCode ||= 1;
}

/** Starts the server with the port, host and state of the options. */
async function startServer(line: CommandLine, emulator: Emulator, saved: SavedState): Promise<EmulatorServer> {
  const { host, "public-url": publicUrl, state, seed } = line.values;
  const fresh = line.switches.has("fresh");
  if (fresh && state !== undefined) throw new Error("--fresh and --state exclude each other. Pass one of them.");
  const port = readNumber(line, "port", 0, 65_535);
  if (state !== undefined) await saved.open(emulator, state).catch(nameState(state));
  const start: Start = (port) => listen(emulator, { port, host, publicUrl }).catch(explainListen({ port, host }));
  if (line.words[0] !== "exec" || port !== undefined || publicUrl) return start(port ?? usualPort);
  if (fresh || (seed !== undefined && state === undefined)) return start(0);
  const isUsual = [host, state, seed].every((value) => value === undefined);
  return startAnyhow(start, isUsual ? () => saved.openUsual(emulator, warnOfMemory) : undefined);
}

/** Rejects arguments that are neither an option nor `exec -- COMMAND`. */
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

/** Returns an error handler that adds the flag to errors about a state file. */
function nameState(path: string) {
  return (error: unknown): never => {
    const isNamed = error instanceof Error && error.message.startsWith(path);
    throw isNamed ? new Error(`--state ${error.message}`, { cause: error }) : error;
  };
}

/** Returns an error handler that explains why the emulator cannot listen. */
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
    // Replaces the option of `listen` with its flag.
    throw error instanceof Error
      ? new Error(error.message.replace(/^publicUrl:/, "--public-url:"), { cause: error })
      : error;
  };
}

type Start = (port: number) => Promise<EmulatorServer>;

/**
 * Listens on the default port with the default state. Uses a free port if the default one is in use, or if the state cannot be
 * used. With the default base URL but without that state, it would not know tasks that a store has for this URL.
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

async function serveUntilStopped(server: EmulatorServer, environment: Environment): Promise<void> {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  console.log(`The emulator is running at ${server.baseUrl}

  Set these variables for your program:
  export ${variables.join(" ")}

  Tasks, calls and faults: ${server.baseUrl}/_emulator/
  Press Ctrl-C to stop it.`);
  await new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
  });
  await server.close();
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
        // The exit codes of a shell.
        resolve(hasCode(error, "ENOENT") ? 127 : 126);
      });
      child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    await server.close();
    process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM");
  }
}
