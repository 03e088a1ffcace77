#!/usr/bin/env node
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { createEmulator } from "./emulator/create-emulator.ts";
import { type EmulatorServer, listen } from "./node/server.ts";
import { createStateFile } from "./node/state-file.ts";
import type { Emulator } from "./service/emulator.ts";

const usage = `mediagen-emulator: the Media Generation Service on this machine

  mediagen-emulator [options]                     serve until stopped
  mediagen-emulator [options] exec -- COMMAND     serve while COMMAND runs, with MEDIAGEN_BASE_URL and
                                                  MEDIAGEN_API_KEY set; exit with its exit code

  --port N        listen on this port                          (4020; any free one with exec)
  --host ADDRESS  listen on this address                       (127.0.0.1)
  --key KEY       the API key that calls must carry            (emulator-key)
  --credits N     the balance in credits                       (10000)
  --seed N        the seed of ids and pictures                 (1)
  --speed N       how many times as fast time passes           (1)
  --state FILE    save tasks and credits to this file
  --help          show this text
`;

// By default V8 lets the space for short-lived objects grow until a server that creates many of them uses twice the
// memory,
// without being faster.
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
    options: {
      port: { type: "string" },
      host: { type: "string" },
      key: { type: "string" },
      credits: { type: "string" },
      seed: { type: "string" },
      speed: { type: "string" },
      state: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return void console.log(usage);
  const exec = positionals[0] === "exec";
  if (positionals.length > (exec ? 1 : 0) || (exec ? command.length === 0 : command.length > 0)) throw new Error(usage);
  const file = values.state === undefined ? undefined : createStateFile(values.state);
  const emulator = createEmulator({
    apiKey: values.key,
    credits: number("credits", values.credits, 0),
    seed: number("seed", values.seed, 0),
    clock: { speed: number("speed", values.speed, 0.001) ?? 1 },
    persist: file?.persist,
  });
  const saved = await file?.read();
  if (saved !== undefined) {
    const now = emulator.clock.now();
    emulator.restore(saved);
    emulator.clock.advance(Math.max(0, now - emulator.clock.now()));
  }
  // Written once at the start, so that a file that cannot be written is reported before a task is lost.
  await file?.persist(emulator.snapshot);
  const port = number("port", values.port, 0) ?? (exec ? 0 : 4020);
  const server = await listen(emulator, { port, host: values.host });
  if (exec) await runBeside(command, server, emulator);
  else serveUntilStopped(server, emulator);
}

function serveUntilStopped(server: EmulatorServer, { client }: Emulator): void {
  console.log(`The Media Generation Service, emulated, at ${server.baseUrl}

  export MEDIAGEN_BASE_URL=${server.baseUrl} MEDIAGEN_API_KEY=${client.apiKey}
  ${server.baseUrl}/_emulator/ shows its tasks, calls and faults; Ctrl+C stops it.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}

async function runBeside(
  [name = "", ...args]: readonly string[],
  server: EmulatorServer,
  { client }: Emulator,
): Promise<void> {
  const env = { ...process.env, MEDIAGEN_BASE_URL: server.baseUrl, MEDIAGEN_API_KEY: client.apiKey };
  const child = spawn(name, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  // On a terminal the command receives Ctrl+C too, and a second signal would end its clean-up. The emulator serves
  // until it exits.
  process.on("SIGINT", () => void (process.stdin.isTTY || child.kill("SIGINT")));
  process.on("SIGTERM", () => void child.kill("SIGTERM"));
  try {
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
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
