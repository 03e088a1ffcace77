import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { disk } from "@mediagen/sdk/kit";
import { CommandError, messageOf, usageError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Options } from "../flags/flags.ts";
import { commandLine, typedCommand, withCommands } from "../terminal/shell-commands.ts";

/** The base URL and the API key of a command; undefined if they are not set. */
export interface Access {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The origin that a saved key is for, if it is not this one. */
  readonly savedFor?: string;
}

/** Returns the file of `mediagen login`. It has two lines: the base URL and the API key. */
export function accessFile(): string {
  const { XDG_CONFIG_HOME: config = "" } = process.env;
  return join(isAbsolute(config) ? config : join(homedir(), ".config"), "mediagen", "login");
}

/**
 * Returns what flags and variables say, and otherwise what is saved. A saved key is used only for
 * the origin that it was saved with.
 */
export async function readAccess({ baseUrl }: Options): Promise<Access> {
  const { MEDIAGEN_BASE_URL, MEDIAGEN_API_KEY: apiKey } = process.env;
  const url = baseUrl ?? (MEDIAGEN_BASE_URL || undefined);
  if (apiKey) return { baseUrl: url, apiKey };
  const saved = await readSaved();
  if (!saved) return { baseUrl: url };
  const savedFor = originOf(saved.baseUrl) ?? "";
  return url === undefined || originOf(url) === savedFor
    ? { ...saved, baseUrl: url ?? saved.baseUrl }
    : { baseUrl: url, savedFor };
}

/** Returns the origin of a URL; undefined if it is not valid. */
export function originOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

async function readSaved(): Promise<Required<Pick<Access, "baseUrl" | "apiKey">> | undefined> {
  const text = await readFile(accessFile(), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [, baseUrl, apiKey] = /^(https?:\/\/\S+)\n([\x20-\x7e]+)\n$/i.exec(text) ?? [];
  // Its text may be a key, and is not shown.
  if (baseUrl === undefined || apiKey === undefined)
    throw usageError(
      `${accessFile()} is damaged`,
      "Nothing was sent. Run mediagen login again, or mediagen logout.",
    );
  return { baseUrl, apiKey };
}

/**
 * Saves a base URL and its key in place of the last ones. If that fails, those stay as they are.
 */
export async function saveAccess(baseUrl: string, apiKey: string): Promise<void> {
  const path = accessFile();
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await disk.replaceFile(path, `${baseUrl}\n${apiKey}\n`, 0o600);
  } catch (error) {
    const advice = "What was saved before has not changed. Fix that and run the command again.";
    throw new CommandError(`the key could not be saved: ${messageOf(error)}`, {
      advice,
      exitCode: exitCodes.failed,
      cause: error,
    });
  }
}

/**
 * Rejects a command without a base URL or a key before anything is sent, and says how to try it
 * free of charge.
 */
export function checkAccess({ baseUrl, apiKey, savedFor }: Access, options: Options): void {
  const access = { MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY: apiKey };
  const missing = Object.entries(access).flatMap(([name, value]) =>
    value === undefined ? name : [],
  );
  if (missing.length === 0) return;
  const saved = savedFor === undefined ? "" : `; the saved key is only for ${savedFor}`;
  const what = `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not set${saved}`;
  const advice = "Nothing was sent. Run mediagen login, or set both variables.";
  if (options.baseUrl !== undefined) throw usageError(what, advice);
  const free = `${advice} To try it without spending credits, use the emulated service:`;
  throw usageError(what, withCommands(free, commandLine("emulator", "exec", "--", typedCommand())));
}
