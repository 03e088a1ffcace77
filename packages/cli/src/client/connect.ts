import { constants, createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { isatty, ReadStream } from "node:tty";
import {
  type BeforeGenerate,
  createMediaGen,
  fileStore,
  type MediaGen,
  type MediaGenEvent,
  type NodeMediaGenOptions,
  type StoreFailed,
} from "@mediagen/sdk/node";
import { stateDirectory } from "@mediagen/sdk/kit";
import { messageOf, usageError } from "../errors/command-error.ts";
import { type Interrupt, listenForInterrupt } from "../errors/interrupt.ts";
import type { Options } from "../flags/flags.ts";
import { makeDirectory } from "../files/directory.ts";
import { clockText } from "../terminal/text.ts";
import { createOutput, type Output } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { commandLine, typedCommand, withCommands } from "../terminal/shell-commands.ts";

/** A placeholder for the base URL of a dry run if there is none: nothing is sent there. */
export const nowhere = "https://base-url.invalid";

/** The context of a command that calls the service. */
export interface CommandContext {
  readonly interrupt: Interrupt;
  /** The interrupt's signal. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly output: Output;
  /**
   * Creates the client, with the store that the options name or the one in the state directory. `beforeGenerate` is called before a
   * form is sent.
   */
  connect(beforeGenerate?: BeforeGenerate): Promise<MediaGen>;
}

/** Listens for signals, and sets up stdout and stderr by the options. */
export function openContext(options: Options): CommandContext {
  const interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const progress = createProgress(options);
  const connect = async (beforeGenerate?: BeforeGenerate) => {
    checkAccess(options);
    const directory = options.noStore ? undefined : (options.store ?? stateDirectory());
    if (directory !== undefined && beforeGenerate) await checkWritable(directory);
    const store = directory === undefined ? undefined : fileStore(directory);
    return createMediaGen({ ...(await clientOptions(options, signal, progress)), beforeGenerate, store });
  };
  return { interrupt, signal, progress, output: createOutput(options), connect };
}

/** Rejects a store that cannot be written to: a generation that is not recorded may be lost or billed twice. */
async function checkWritable(directory: string): Promise<void> {
  try {
    await makeDirectory(directory, 0o700);
    await access(directory, constants.W_OK);
  } catch (error) {
    throw usageError(
      `generations cannot be recorded in ${directory}: ${messageOf(error)}`,
      "Nothing was sent. Pass --store with another directory, or --no-store to record nothing.",
      error,
    );
  }
}

/** Returns the client's options. The key comes from the environment or a file descriptor, which no list of processes shows. */
export async function clientOptions(
  options: Options,
  signal: AbortSignal,
  progress: Progress,
): Promise<NodeMediaGenOptions> {
  return {
    baseUrl: options.baseUrl,
    allowHttp: options.allowHttp,
    ...(options.keyFd !== undefined && { apiKey: await readKey(options.keyFd, signal) }),
    statuses: { failed: options.failedStatus },
    onEvent: (event) => report(event, progress),
  };
}

/** Rejects a command without a base URL or a key before anything is sent, and says how to try it free of charge. */
export function checkAccess({ baseUrl, keyFd }: Options): void {
  const hasUrl = baseUrl !== undefined || process.env["MEDIAGEN_BASE_URL"];
  const hasKey = keyFd !== undefined || process.env["MEDIAGEN_API_KEY"];
  const missing = [
    ...(hasUrl ? [] : [["MEDIAGEN_BASE_URL", "--base-url"]]),
    ...(hasKey ? [] : [["MEDIAGEN_API_KEY", "--key-fd"]]),
  ];
  if (missing.length === 0) return;
  const [are, them] = missing.length > 1 ? ["are", "them"] : ["is", "it"];
  const what = `${missing.map(([variable]) => variable).join(" and ")} ${are} not set`;
  const advice = `Nothing was sent. Set ${them}, or pass ${missing.map(([, flag]) => flag).join(" and ")}.`;
  if (baseUrl !== undefined) throw usageError(what, advice);
  const free = `${advice} To try it without spending credits, use the emulated service:`;
  throw usageError(what, withCommands(free, commandLine("emulator", "exec", "--", typedCommand())));
}

function report(event: MediaGenEvent, progress: Progress): void {
  // Waits show their failed polls themselves.
  if (event.type === "retried" && !event.operation.startsWith("query")) {
    const why = event.status === undefined ? messageOf(event.error) : `HTTP ${event.status}`;
    progress.now(`${event.operation} failed (${why}); retrying in ${clockText(event.delayMs)}`);
  }
  if (event.type === "storeFailed") progress.warn(storeFailedText(event));
  if (event.type === "lateTask") {
    const { kind, taskid } = event.task;
    progress.warn(
      `mediagen: ${kind}:${taskid} arrived after its generation was recorded as unknown; it is recorded now`,
    );
  }
}

async function readKey(fd: number, signal: AbortSignal): Promise<string> {
  const fail = (why: string) =>
    usageError(`--key-fd ${fd}: ${why}`, "Open it for reading, as in: mediagen ... --key-fd 3 3< key.txt");
  let key: string;
  try {
    key = (await text(addAbortSignal(signal, openFd(fd)))).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw fail(messageOf(error));
  }
  if (key === "") throw fail("it contains no key");
  return key;
}

/**
 * Opens a file descriptor for reading. It is never closed, because a wrong number may be one of the engine's own. A terminal is not
 * read as a file, because such a read could not be cancelled.
 */
function openFd(fd: number): Readable {
  if (fd === 0) return process.stdin;
  return isatty(fd) ? new ReadStream(fd) : createReadStream("", { fd, autoClose: false });
}

function storeFailedText({ task, generationId, error }: StoreFailed): string {
  const what = task ? `the task ${task.kind}:${task.taskid}` : `the generation ${generationId ?? ""}`.trim();
  return `mediagen: the store could not record ${what}: ${messageOf(error)}`;
}
