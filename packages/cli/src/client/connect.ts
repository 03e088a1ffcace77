import { access, constants, mkdir } from "node:fs/promises";
import {
  type BeforeGenerate,
  createMediaGen,
  fileStore,
  type MediaGen,
  type MediaGenEvent,
  type NodeMediaGenOptions,
  type StoreFailed,
} from "@mediagen/sdk/node";
import { disk } from "@mediagen/sdk/kit";
import { messageOf, usageError } from "../errors/command-error.ts";
import { type Interrupt, listenForInterrupt } from "./interrupt.ts";
import type { Options } from "../flags/flags.ts";
import { clockText } from "../terminal/text.ts";
import { createOutput, type Output } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { type Access, checkAccess, readAccess } from "./access.ts";

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
   * Creates the client, with the store that the options name or the one in the state directory.
   * `beforeGenerate` is called before a form is sent.
   */
  connect(beforeGenerate?: BeforeGenerate): Promise<MediaGen>;
}

/** Listens for signals, and sets up stdout and stderr by the options. */
export function openContext(options: Options): CommandContext {
  const interrupt = listenForInterrupt();
  const { signal } = interrupt;
  const progress = createProgress(options);
  const connect = async (beforeGenerate?: BeforeGenerate) => {
    const found = await readAccess(options);
    checkAccess(found, options);
    const directory = options.noStore ? undefined : (options.store ?? disk.stateDirectory());
    if (directory !== undefined && beforeGenerate) await checkWritable(directory);
    const store = directory === undefined ? undefined : fileStore(directory);
    return createMediaGen({ ...clientOptions(options, found, progress), beforeGenerate, store });
  };
  return { interrupt, signal, progress, output: createOutput(options), connect };
}

/**
 * Rejects a store that cannot be written to: a generation that is not recorded may be lost or
 * billed twice.
 */
async function checkWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw usageError(
      `generations cannot be recorded in ${directory}: ${messageOf(error)}`,
      "Nothing was sent. Pass --store with another directory, or --no-store to record nothing.",
      error,
    );
  }
}

/** Returns the client's options. */
export function clientOptions(
  options: Options,
  { baseUrl, apiKey }: Access,
  progress: Progress,
): NodeMediaGenOptions {
  return {
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    allowHttp: options.allowHttp,
    statuses: { failed: options.failedStatus },
    onEvent: (event) => report(event, progress),
  };
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

function storeFailedText({ task, generationId, error }: StoreFailed): string {
  const what = task
    ? `the task ${task.kind}:${task.taskid}`
    : `the generation ${generationId ?? ""}`.trim();
  return `mediagen: the store could not record ${what}: ${messageOf(error)}`;
}
