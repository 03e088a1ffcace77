import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import {
  AuthenticationError,
  createMediaGen,
  type MediaGen,
  ServiceError,
} from "@mediagen/sdk/node";
import { accessFile, saveAccess } from "../client/access.ts";
import { openContext } from "../client/connect.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { explain } from "../errors/explain.ts";
import { flagsOf, type Options } from "../flags/flags.ts";
import { kinds } from "../tasks/task-name.ts";
import type { Command, Parsed } from "../usage/command.ts";
import { ask } from "../terminal/ask.ts";

/** `mediagen login` and `mediagen logout`. */
export async function run({ options }: Parsed, { name }: Command): Promise<void> {
  if (name === "login") return login(options);
  const file = accessFile();
  const had = existsSync(file) ? "the saved key is removed from" : "no key is saved in";
  await rm(file, { force: true });
  openContext(options).progress.note(`${had} ${file}`);
}

/** Asks for a base URL and a key, checks them, and saves them. From a pipe, it reads the key. */
async function login(options: Options): Promise<void> {
  const { signal, progress } = openContext(options);
  const isTyped = process.stdin.isTTY;
  const preset = options.baseUrl ?? process.env["MEDIAGEN_BASE_URL"];
  const baseUrl = (preset || (isTyped && (await ask("Base URL: ", signal))) || "").trim();
  if (!baseUrl)
    throw usageError(
      "the base URL is missing",
      "Nothing was sent or saved. Pass --base-url, or set MEDIAGEN_BASE_URL.",
    );
  const typed = isTyped
    ? await ask(`API key for ${baseUrl} (not shown): `, signal, true)
    : await text(process.stdin);
  const apiKey = typed.trim();
  if (!/^[\x20-\x7e]+$/.test(apiKey))
    throw usageError(
      "the API key is not one line of ASCII",
      "Nothing was sent or saved. Type it, or pipe it to stdin.",
    );
  const media = createMediaGen({ baseUrl, apiKey, allowHttp: options.allowHttp });
  const response = await check(media, signal);
  await saveAccess(baseUrl, apiKey);
  progress.note(`the key for ${media.origin} is saved in ${accessFile()}`);
  progress.note(`a test query of a task that does not exist returned: ${response}`);
  progress.note("if that is about the key, run mediagen login again");
  if (process.env["MEDIAGEN_API_KEY"])
    progress.warn("mediagen: MEDIAGEN_API_KEY is set, and is used in place of the saved key");
}

/**
 * Queries a task that does not exist, and returns what the service says. It rejects a key that the
 * service rejects. That the service does so by an HTTP status is not documented, and no free call
 * needs a right key. So the user reads whether the text is about the key.
 */
async function check(media: MediaGen, signal: AbortSignal): Promise<string> {
  try {
    await media[kinds()[0] ?? "image"].query("mediagen-login", { signal });
    return "it exists";
  } catch (error) {
    const { message, advice, exitCode } = explain(error, { flags: flagsOf("login") });
    const isRejected = error instanceof AuthenticationError;
    // Without a code, it is not the service that responds.
    if (
      error instanceof ServiceError &&
      error.code !== undefined &&
      !isRejected &&
      !error.isRetryable
    )
      return message;
    const what = isRejected ? `the key was rejected: ${message}` : message;
    const more = isRejected ? "Check the key and the base URL." : advice;
    throw new CommandError(what, {
      advice: `Nothing was saved. ${more}`,
      exitCode,
      cause: error,
    });
  }
}
