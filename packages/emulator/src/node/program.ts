import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { createEmulator } from "../emulator/create-emulator.ts";
import { hasCode } from "./error-code.ts";
import {
  type CommandLine,
  numberOf,
  readArguments,
  readBehaviour,
  textOf,
  usage,
} from "./options.ts";
import { lineOf, reportText } from "./report-file.ts";
import { resultsFrom } from "./results-directory.ts";
import { createSavedState, type SavedState } from "./saved-state.ts";
import { type EmulatorServer, listen } from "./server.ts";
import type { ClockMode } from "../service/clock.ts";
import type { Emulator } from "../service/emulator-types.ts";

/** Defined by the build. */
declare const MEDIAGEN_VERSION: string;

/** The default port. It is fixed, because tasks and idempotency keys belong to an origin. */
const usualPort = 4020;
const warn = (what: string) => console.error(`mediagen-emulator: ${what}`);

/** Runs the command line, and sets the exit code. */
export const run = (args: readonly string[]): Promise<void> =>
  serve(args).catch((error: unknown) => {
    warn(messageOf(error));
    process.exitCode = 2;
  });

async function serve(args: readonly string[]): Promise<void> {
  const line = readArguments(args);
  if (line.values["help"]) return void console.log(usage);
  if (line.values["version"]) return void console.log(MEDIAGEN_VERSION);
  checkCommand(line);
  const saved = createSavedState();
  const results = textOf(line, "results");
  const emulator = createEmulator({
    apiKey: textOf(line, "key"),
    credits: numberOf(line, "credits", 0),
    // Ids must not repeat those of an earlier run, whose files may still exist.
    seed: numberOf(line, "seed", 0) ?? randomInt(2 ** 31),
    // The cast: createEmulator rejects other words.
    clock: (textOf(line, "clock") as ClockMode | undefined) ?? {
      speed: numberOf(line, "speed", 0.001) ?? 1,
    },
    behaviour: readBehaviour(line, process.env),
    results:
      results === undefined ? undefined : await resultsFrom(results).catch(nameOption("results")),
    persist: saved.persist,
  });
  // Written at the start too, so that an unwritable file is reported immediately.
  await writeReport(line, emulator);
  const server = await startServer(line, emulator, saved);
  const environment = {
    MEDIAGEN_BASE_URL: textOf(line, "public-url") ?? server.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
  };
  if (line.positionals[0] === "exec") await runBeside(line.command ?? [], server, environment);
  else await serveUntilStopped(server, environment);
  await writeReport(line, emulator);
  if (emulator.behaviour.strict) judge(emulator);
}

/** Rejects arguments that are neither an option nor `exec -- COMMAND`. */
function checkCommand({ positionals: [first, ...others], command, values }: CommandLine): void {
  const fail = (what: string) => {
    throw new Error(`${what} Run mediagen-emulator --help for usage.`);
  };
  if (first !== undefined && first !== "exec")
    fail(`"${first}" is not a known command. The only command is exec.`);
  if (first === undefined && command)
    fail("-- COMMAND needs exec before it: mediagen-emulator exec -- COMMAND.");
  if (others.length > 0)
    fail(
      `exec needs -- before the command: mediagen-emulator exec -- ${[...others, ...(command ?? [])].join(" ")}.`,
    );
  if (first === "exec" && !command?.length)
    fail("exec needs a command: mediagen-emulator exec -- COMMAND.");
  for (const [one, other] of [["fresh", "state"] as const, ["clock", "speed"] as const])
    if (values[one] !== undefined && values[other] !== undefined)
      throw new Error(`--${one} and --${other} exclude each other. Pass one of them.`);
}

async function writeReport(line: CommandLine, emulator: Emulator): Promise<void> {
  const path = textOf(line, "report");
  if (path !== undefined)
    await writeFile(path, reportText(path, emulator.report())).catch(nameOption("report"));
}

/** Returns an error handler that adds the name of the option to errors about its file. */
const nameOption = (option: string) => (error: unknown) => {
  throw new Error(`--${option}: ${messageOf(error)}`, { cause: error });
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Sets the exit code to 1 if calls had violations and the command has not failed. */
function judge(emulator: Emulator): void {
  const { violatingCalls: count, violations } = emulator.report();
  if (count === 0) return;
  const lines = violations.slice(0, 10).map((call) => `\n  ${lineOf(call)}`);
  warn(`--strict: ${count} call${count === 1 ? "" : "s"} had violations:${lines.join("")}`);
  process.exitCode ||= 1;
}

/**
 * Starts the server with the port, host and state of the options. `exec` uses the usual port and
 * file. If it cannot, it takes a free port and saves nothing: with the usual base URL but without
 * that file, it would not know tasks that a store has for this URL.
 */
async function startServer(
  line: CommandLine,
  emulator: Emulator,
  saved: SavedState,
): Promise<EmulatorServer> {
  const [host, publicUrl, state, seed] = ["host", "public-url", "state", "seed"].map((name) =>
    textOf(line, name),
  );
  const port = numberOf(line, "port", 0, 65_535);
  if (state !== undefined) await saved.open(emulator, state).catch(nameOption("state"));
  const start = (port: number) =>
    listen(emulator, { port, host, publicUrl }).catch(explainListen(port, host));
  if (line.positionals[0] !== "exec" || port !== undefined || publicUrl)
    return start(port ?? usualPort);
  if (line.values["fresh"] || (seed !== undefined && state === undefined)) return start(0);
  let server: EmulatorServer | undefined;
  try {
    server = await start(usualPort);
    const cannotSave =
      "the state can no longer be saved, so later runs will not find all tasks of this one.";
    if (host === undefined && state === undefined)
      await saved.openUsual(emulator, (reason) => warn(`${cannotSave} ${reason}`));
    return server;
  } catch (error) {
    await server?.close();
    if (!server && !(error instanceof Error && hasCode(error.cause, "EADDRINUSE"))) throw error;
    const other = await start(0);
    warn(
      `${messageOf(error)} This run saves nothing, and uses ${other.baseUrl} instead: it has no tasks or ` +
        "idempotency keys of earlier runs, and later runs will not find its tasks. To keep its tasks, pass --port N and --state FILE.",
    );
    return other;
  }
}

/** Returns an error handler that explains why the emulator cannot listen. */
const explainListen =
  (port: number, host = "127.0.0.1") =>
  (error: unknown) => {
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} is in use. Pass another --port, or --port 0 for any free one.`,
      EACCES: `port ${port} needs more permissions than this user has. Pass another --port.`,
      EADDRNOTAVAIL: `--host: "${host}" is not an address of this machine.`,
      ENOTFOUND: `--host: "${host}" is not an address of this machine.`,
    };
    const code = Object.keys(messages).find((one) => hasCode(error, one)) ?? "";
    throw new Error(messages[code] ?? messageOf(error).replace(/^publicUrl:/, "--public-url:"), {
      cause: error,
    });
  };

async function serveUntilStopped(
  server: EmulatorServer,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
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
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = spawn(name, args, { stdio: "inherit", env, shell: process.platform === "win32" });
  // On a terminal the command receives Ctrl-C too, and a second signal would end its clean-up. The
  // emulator serves until it exits.
  process.on("SIGINT", () => void (process.stdin.isTTY || child.kill("SIGINT")));
  process.on("SIGTERM", () => void child.kill("SIGTERM"));
  try {
    process.exitCode = await new Promise<number>((resolve) => {
      child.once("error", (error) => {
        const isMissing = hasCode(error, "ENOENT");
        warn(`could not run ${name}: ${isMissing ? "command not found" : error.message}.`);
        // The exit codes of a shell.
        resolve(isMissing ? 127 : 126);
      });
      child.once("close", (code, signal) =>
        resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
      );
    });
  } finally {
    await server.close();
    process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM");
  }
}
