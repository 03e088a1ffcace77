#!/usr/bin/env node
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { createEmulator } from "./emulator/create-emulator.ts";
import { hasCode } from "./node/error-code.ts";
import { type EmulatorServer, listen } from "./node/server.ts";
import { createSavedState, usualFile } from "./node/saved-state.ts";

const usage = `mediagen-emulator: the Media Generation Service on this machine

  mediagen-emulator [options]                     serve until stopped
  mediagen-emulator [options] exec -- COMMAND     serve while COMMAND runs, with MEDIAGEN_BASE_URL,
                                                  MEDIAGEN_API_KEY and MEDIAGEN_FAILED_STATUSES set;
                                                  exit with its exit code

  --port N          listen on this port                (4020; with exec any free one if 4020 is in use,
                                                       or if the run knows no task of an earlier one)
  --host ADDRESS    listen on this address             (127.0.0.1)
  --public-url URL  the base URL for clients, if they use a proxy or another host name
  --key KEY         the API key that calls must carry  (emulator-key)
  --credits N       the balance in credits             (10000)
  --seed N          the seed of ids and pictures       (a random one)
  --speed N         how many times as fast time passes (1)
  --state FILE      save tasks and credits to this file
  --fresh           save nothing and know no task of an earlier run
  --help            show this text

Without --port, --host, --public-url, --seed, --state and --fresh, exec saves its tasks in
${usualFile()}: run a command twice, and the second run knows the
tasks of the first one. Each run begins with all credits.
`;

const options = {
  port: { type: "string" },
  host: { type: "string" },
  "public-url": { type: "string" },
  key: { type: "string" },
  credits: { type: "string" },
  seed: { type: "string" },
  speed: { type: "string" },
  state: { type: "string" },
  fresh: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** The port unless one is given. Tasks and idempotency keys belong to an origin, so it is the same in every run. */
const usualPort = 4020;
const usualUrl = `http://127.0.0.1:${usualPort}`;

// By default V8 lets the space for short-lived objects grow until a server that creates many of them uses twice the
// memory, without being faster.
setFlagsFromString("--semi-space-growth-factor=1");

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});

async function run(args: readonly string[]): Promise<void> {
  const dashes = args.indexOf("--");
  const command = dashes < 0 ? [] : args.slice(dashes + 1);
  const { values, positionals } = parseArgs({
    args: dashes < 0 ? [...args] : args.slice(0, dashes),
    allowPositionals: true,
    options,
  });
  if (values.help) return void console.log(usage);
  const exec = positionals[0] === "exec";
  if (positionals.length > (exec ? 1 : 0) || (exec ? command.length === 0 : command.length > 0)) throw new Error(usage);
  if (values.fresh && values.state !== undefined) throw new Error("--fresh and --state exclude each other.");
  const saved = createSavedState();
  const emulator = createEmulator({
    apiKey: values.key,
    credits: number("credits", values.credits, 0),
    // Ids of an earlier run, whose files may still be there, must not come again.
    seed: number("seed", values.seed, 0) ?? randomInt(2 ** 31),
    clock: { speed: number("speed", values.speed, 0.001) ?? 1 },
    persist: saved.persist,
  });
  if (values.state !== undefined) await saved.open(emulator, values.state);
  const { host, "public-url": publicUrl, state, seed, fresh } = values;
  const port = number("port", values.port, 0);
  const start: Start = (port) => listen(emulator, { port, host, publicUrl });
  const isUsual = [values.port, host, publicUrl, state, seed, fresh].every((value) => value === undefined);
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
    if (!hasCode(error, "EADDRINUSE")) throw error;
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
    `mediagen-emulator: ${why} This run saves nothing, and its base URL is ${baseUrl}: tasks and idempotency keys of other ` +
      `runs do not belong to it, and later runs do not know its tasks. ${advice}`.trimEnd(),
  );
}

function warnOfMemory(reason: string): void {
  console.error(
    `mediagen-emulator: this run saves nothing more, and later runs do not know all of its tasks. ${reason}`,
  );
}

type Environment = Readonly<Record<string, string>>;

function serveUntilStopped(server: EmulatorServer, environment: Environment): void {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  console.log(`The Media Generation Service, emulated, at ${server.baseUrl}

  export ${variables.join(" ")}
  ${server.baseUrl}/_emulator/ shows its tasks, calls and faults; Ctrl+C stops it.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}

async function runBeside(
  [name = "", ...args]: readonly string[],
  server: EmulatorServer,
  environment: Environment,
): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = spawn(name, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  // On a terminal the command receives Ctrl+C too, and a second signal would end its clean-up. The emulator serves
  // until it exits.
  process.on("SIGINT", () => void (process.stdin.isTTY || child.kill("SIGINT")));
  process.on("SIGTERM", () => void child.kill("SIGTERM"));
  try {
    process.exitCode = await new Promise<number>((resolve) => {
      child.once("error", (error) => {
        console.error(
          `mediagen-emulator: ${name} could not be run: ${hasCode(error, "ENOENT") ? "there is no such command" : error.message}.`,
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

function number(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least)
    throw new Error(`--${name}: "${text}" is not valid. Use a number, at least ${least}.`);
  return value;
}
