import { createReadStream } from "node:fs";
import { addAbortSignal, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { isatty, ReadStream } from "node:tty";
import {
  createMediaGen,
  fileJournal,
  type FileJournal,
  type JournalFailed,
  type MediaGen,
  type NodeMediaGenOptions,
} from "@mediagen/sdk/node";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { clockText } from "./duration.ts";
import { quoted } from "./printable.ts";
import type { Progress } from "./progress.ts";

/** What every command that asks the service takes. */
export interface ConnectOptions {
  readonly baseUrl?: string;
  readonly keyFd?: number;
  readonly allowHttp?: true;
  readonly journal?: string;
  readonly failedStatus?: readonly number[];
  readonly json?: true;
  readonly quiet?: true;
}

/** A client as the command line asks for it, and its journal. */
export interface Connected {
  readonly media: MediaGen;
  readonly journal: FileJournal | undefined;
}

/** What a connection tells while it works. */
export interface ConnectListener {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Hears when a form is about to be sent. */
  readonly beforeGenerate?: () => void;
}

/** Connects, with the journal that is asked for. */
export async function connect(options: ConnectOptions, listener: ConnectListener): Promise<Connected> {
  const journal = options.journal === undefined ? undefined : fileJournal(options.journal);
  return { media: createMediaGen({ ...(await clientOptions(options, listener)), journal }), journal };
}

/** What a client is created with. The key comes from the environment or a file descriptor, which no list of processes shows. */
export async function clientOptions(
  options: ConnectOptions,
  { signal, progress, beforeGenerate }: ConnectListener,
): Promise<NodeMediaGenOptions> {
  return {
    baseUrl: options.baseUrl,
    allowHttp: options.allowHttp,
    apiKey: options.keyFd === undefined ? undefined : await readKey(options.keyFd, signal),
    statuses: { failed: options.failedStatus },
    beforeGenerate,
    onEvent(event) {
      if (event.type === "retried")
        progress.now(
          `${event.operation} was turned away (${event.status === undefined ? String(event.error) : `HTTP ${event.status}`}); again in ${clockText(event.delayMs)}`,
        );
      if (event.type === "journalFailed") progress.warn(journalFailedText(event));
    },
  };
}

/** The options that a command which goes on from here needs too; what stands in the environment is there again. */
export function connectFlags({
  baseUrl,
  keyFd,
  allowHttp,
  journal,
  failedStatus = [],
}: ConnectOptions): readonly string[] {
  const flag = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, quoted(String(value))];
  return [
    ...flag("--base-url", baseUrl),
    ...flag("--key-fd", keyFd),
    ...(allowHttp ? ["--allow-http"] : []),
    ...flag("--journal", journal === process.env["MEDIAGEN_JOURNAL"] ? undefined : journal),
    ...failedStatus.flatMap((status) => flag("--failed-status", status)),
  ];
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
  if (key === "") throw fail("there is no key");
  return key;
}

/**
 * What comes from a file descriptor, which stays open: it may be one of the engine's own, given by mistake. A terminal is not
 * read as a file is, for such a read could not be given up.
 */
function openFd(fd: number): Readable {
  if (fd === 0) return process.stdin;
  return isatty(fd) ? new ReadStream(fd) : createReadStream("", { fd, autoClose: false });
}

function journalFailedText({ entry, error }: JournalFailed): string {
  const what = entry.type === "created" ? `the task ${entry.task.kind}:${entry.task.taskid}` : `"${entry.type}"`;
  return `mediagen: the journal could not note ${what}: ${error instanceof Error ? error.message : String(error)}`;
}
