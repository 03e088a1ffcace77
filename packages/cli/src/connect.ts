import { createReadStream } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { isatty, ReadStream } from "node:tty";
import {
  createMediaGen,
  fileStore,
  type GenerationStore,
  type MediaGen,
  type MediaGenEvent,
  type NodeMediaGenOptions,
  type StoreFailed,
} from "@mediagen/sdk/node";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { clockText } from "./duration.ts";
import type { Progress } from "./progress.ts";

/** The options of every command that calls the service. */
export interface ConnectOptions {
  readonly baseUrl?: string;
  readonly keyFd?: number;
  readonly allowHttp?: true;
  readonly store?: string;
  readonly failedStatus?: readonly number[];
  readonly pendingStatus?: readonly number[];
  readonly json?: true;
  readonly quiet?: true;
}

/** A client as the options describe it, and its store if they name one. */
export interface Connected {
  readonly media: MediaGen;
  readonly store: GenerationStore | undefined;
}

/** What a connection reports to while it works. */
export interface ConnectListener {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Called before a form is sent. */
  readonly beforeGenerate?: (() => Promise<void>) | undefined;
}

/** Creates the client, with the store that the options name. */
export async function connect(options: ConnectOptions, listener: ConnectListener): Promise<Connected> {
  const store = options.store === undefined ? undefined : fileStore(options.store);
  return { media: createMediaGen({ ...(await clientOptions(options, listener)), store }), store };
}

/** Returns the client's options. The key comes from the environment or a file descriptor, which no list of processes shows. */
export async function clientOptions(
  options: ConnectOptions,
  { signal, progress, beforeGenerate }: ConnectListener,
): Promise<NodeMediaGenOptions> {
  return {
    baseUrl: options.baseUrl,
    allowHttp: options.allowHttp,
    apiKey: options.keyFd === undefined ? undefined : await readKey(options.keyFd, signal),
    statuses: { failed: options.failedStatus, pending: options.pendingStatus },
    beforeGenerate,
    onEvent: (event) => report(event, progress),
    // What the log would say at this level is reported above, in the command's own words.
    logLevel: "off",
  };
}

function report(event: MediaGenEvent, progress: Progress): void {
  if (event.type === "retried") {
    const why = event.status === undefined ? String(event.error) : `HTTP ${event.status}`;
    progress.now(`${event.operation} failed (${why}); retrying in ${clockText(event.delayMs)}`);
  }
  if (event.type === "storeFailed") progress.warn(storeFailedText(event));
  if (event.type === "taskMayHaveFailed") {
    const { kind, taskid, status, message } = event;
    const means =
      `If ${status} means that it has failed, pass --failed-status ${status} or set MEDIAGEN_FAILED_STATUSES=${status}. ` +
      `If it means that it goes on, pass --pending-status ${status}.`;
    progress.warn(
      `mediagen: ${kind}:${taskid} has status ${status} and the message ${JSON.stringify(message)}. ${means}`,
    );
  }
  if (event.type === "lateTask") {
    const { kind, taskid } = event.task;
    progress.warn(
      `mediagen: ${kind}:${taskid} arrived after its generation was recorded as unknown; it is recorded now`,
    );
  }
}

async function readKey(fd: number, signal: AbortSignal): Promise<string> {
  const fail = (why: string) =>
    new CommandError(
      `--key-fd ${fd}: ${why}`,
      "Open it for reading, as in: mediagen ... --key-fd 3 3< key.txt",
      exitCodes.usage,
    );
  let key: string;
  try {
    key = (await text(addAbortSignal(signal, openFd(fd)))).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw fail(error instanceof Error ? error.message : String(error));
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
  return `mediagen: the store could not record ${what}: ${error instanceof Error ? error.message : String(error)}`;
}
