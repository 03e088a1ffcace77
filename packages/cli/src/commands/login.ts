import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { AuthenticationError, createMediaGen, type MediaGen, ServiceError } from "@mediagen/sdk/node";
import { accessFile, saveAccess } from "../client/access.ts";
import { openContext } from "../client/connect.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
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
  const { allowHttp, unverified } = options;
  const { signal, progress } = openContext(options);
  const isTyped = process.stdin.isTTY;
  const preset = options.baseUrl ?? process.env["MEDIAGEN_BASE_URL"];
  const baseUrl = (preset || (isTyped && (await ask("Base URL: ", signal))) || "").trim();
  if (!baseUrl)
    throw usageError(
      "the base URL is missing",
      "Nothing was sent or saved. Pass --base-url, or set MEDIAGEN_BASE_URL.",
    );
  const typed = isTyped ? await ask(`API key for ${baseUrl} (not shown): `, signal, true) : await text(process.stdin);
  const apiKey = typed.trim();
  if (!/^[\x20-\x7e]+$/.test(apiKey))
    throw usageError(
      "the API key is not one line of ASCII",
      "Nothing was sent or saved. Type it, or pipe it to stdin.",
    );
  const connect = (key: string) => createMediaGen({ baseUrl, apiKey: key, allowHttp });
  const media = connect(apiKey);
  if (!unverified) await check(media, () => connect(crypto.randomUUID()), signal);
  await saveAccess(baseUrl, apiKey);
  const proof = unverified ? "without checking it" : "the service did not reject it";
  progress.note(`the key for ${media.origin} is saved in ${accessFile()}; ${proof}`);
  if (process.env["MEDIAGEN_API_KEY"])
    progress.warn("mediagen: MEDIAGEN_API_KEY is set, and is used in place of the saved key");
}

/**
 * Rejects a key that the service does not tell from a made-up one. The service does not document how it responds to a wrong key, and
 * has no free call that needs a right one. So both keys query a task that does not exist.
 */
async function check(media: MediaGen, connectMadeUp: () => MediaGen, signal: AbortSignal): Promise<void> {
  const responseTo = async (one: MediaGen): Promise<CommandError> => {
    try {
      await one[kinds()[0] ?? "image"].query("mediagen-login", { signal });
      return new CommandError("it knows a task that was never created", "", exitCodes.failed);
    } catch (error) {
      const explained = explain(error, { flags: flagsOf("login") });
      if (error instanceof ServiceError && !error.isRetryable) return explained;
      throw new CommandError(explained.message, `Nothing was saved. ${explained.advice}`, explained.exitCode, error);
    }
  };
  const { message, cause } = await responseTo(media);
  const isRejected = cause instanceof AuthenticationError;
  if (!isRejected && (await responseTo(connectMadeUp())).message !== message) return;
  const advice = "Nothing was saved. Check the key and the base URL.";
  if (isRejected) throw new CommandError(`the key was rejected: ${message}`, advice, exitCodes.failed, cause);
  throw new CommandError(
    `the service responds to this key as to a made-up one: ${message}`,
    `${advice} If the message is about neither, add --unverified.`,
    exitCodes.failed,
    cause,
  );
}
