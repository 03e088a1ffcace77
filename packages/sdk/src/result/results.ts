import { ConnectionError, invalidRequest } from "../errors/errors.ts";
import { mustBe, notLost, returnedTask, shorten } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { onAbort } from "../time/deadline.ts";
import { readResult, type Result, type ResultHost } from "./read-result.ts";

export const resultOptions: OptionTypes<ResultOptions> = {
  maxBytes: "number",
  stallTimeoutMs: "limit",
  allowPrivateHosts: "boolean",
  onProgress: "function",
  signal: "signal",
};

/** The hosts of tasks. A task is plain data to its user, so the client is kept apart from it. */
export const hosts: WeakMap<Task, ResultHost> = new WeakMap();

export function reportFetching<T>(
  subject: string,
  task: Task,
  run: (host: ResultHost) => Promise<T>,
): Promise<T> {
  const host = hosts.get(task);
  if (!host) throw invalidRequest(subject, "task", "invalid", mustBe(returnedTask, task));
  return host.report({ operation: "download", task }, () => run(host));
}

export async function resultsOf(
  task: Task,
  host: ResultHost,
  signal?: AbortSignal,
): Promise<readonly Result[]> {
  const { url: named = [] } = task.record ?? (await host.check(task, signal)).record ?? {};
  // A task that was made from its id alone does not know what its form requested.
  const urls = task.model === undefined ? named : named.slice(0, task.resultCount);
  const problem = `${shorten(task.taskid)} has no results yet`;
  if (urls.length === 0)
    throw invalidRequest("download", "task", "notAllowed", problem, "Wait for it first.");
  return urls.map((url, index) => ({ task, host, index, count: urls.length, url }));
}

/**
 * Results in memory have a lower limit than those on disk: a server's mistake must not end the
 * process.
 */
const maxBytesInMemory = 256 * 1024 * 1024;

/**
 * Fetches every result of a task into memory. In Node, `download` of `@mediagen/sdk/node` saves
 * them to disk.
 *
 * @param task A task that has succeeded.
 * @param options A result of more than `maxBytes` is rejected: 256 MiB by default.
 * @returns The results, in the order of the task's record. Each has its media type, from its first
 * bytes.
 * @throws An {@link InvalidRequestError} if there is no result yet
 * @throws A {@link ServiceError} if a result's server rejects the request, or the result's URL must
 * not be requested
 * @throws A {@link ConnectionError} if a result does not arrive completely; calling again is safe
 * @throws The signal's reason if the signal aborts
 * @example
 * const [clip] = await blobs(task);
 * console.log(clip?.type);
 */
export async function blobs(task: Task, options: ResultOptions = {}): Promise<readonly Blob[]> {
  return reportFetching("blobs", task, async (host) => {
    const given = {
      maxBytes: maxBytesInMemory,
      ...readOptions("blobs", options, resultOptions, notLost),
    };
    const read: Blob[] = [];
    for (const result of await resultsOf(task, host, given.signal)) {
      let pieces: BlobPart[] = [];
      let mediaType = "";
      for await (const { at, bytes, type = "" } of readResult(result, given)) {
        if (at === 0) pieces = [];
        pieces.push(bytes);
        mediaType = type;
      }
      read.push(new Blob(pieces, { type: mediaType }));
    }
    return read;
  });
}

/** One result of a task, as a stream. */
export interface ResultStream {
  /** The bytes. Read them to the end, or cancel the stream. Until then it holds a connection. */
  readonly stream: ReadableStream<Uint8Array>;
  /** The media type, from the first bytes, or else from the server's Content-Type. */
  readonly type: string | undefined;
  /** The size in bytes; undefined if the result's server does not send it. */
  readonly bytes: number | undefined;
  /** The result's position, from 0. */
  readonly index: number;
}

/**
 * Opens every result of a task as a stream, for object storage or an HTTP client. No more is
 * fetched than you read, and the time that you take to read does not count as a stall.
 *
 * An interrupted result continues where it stopped if its server supports that. If not, its stream
 * ends with a `ConnectionError`, and you have to fetch the result again.
 *
 * @param task A task that has succeeded.
 * @returns The results, in the order of the task's record, as soon as the first bytes of each have
 * arrived.
 * @throws The errors of `blobs`, as long as no bytes of a result have arrived
 * @example
 * const [clip] = await streams(task);
 * const headers = { "content-type": clip?.type ?? "video/mp4" };
 * const response = new Response(clip?.stream, { headers });
 */
export async function streams(
  task: Task,
  options: ResultOptions = {},
): Promise<readonly ResultStream[]> {
  return reportFetching("streams", task, async (host) => {
    const given = readOptions("streams", options, resultOptions, notLost);
    const opened: ResultStream[] = [];
    try {
      for (const result of await resultsOf(task, host, given.signal))
        opened.push(await openStream(result, given));
      return opened;
    } catch (error) {
      // Nobody else can close their connections.
      for (const { stream } of opened) void stream.cancel(error);
      throw error;
    }
  });
}

/**
 * Resolves as soon as the first bytes have arrived. Later ones are fetched as fast as they are
 * read.
 */
async function openStream(result: Result, options: ResultOptions): Promise<ResultStream> {
  const stop = new AbortController();
  const release = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  const pieces = readResult(result, { ...options, signal: stop.signal });
  const first = (await pieces.next()).value || undefined;
  let held = first;
  let passedOn = 0;
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    release();
    // Closes the connection at once, also while a read is pending.
    stop.abort("the stream was cancelled");
  };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    reportFetching("streams", result.task, async () => {
      options.signal?.throwIfAborted();
      const next = held ? Promise.resolve({ value: held }) : pieces.next();
      // To cancel a stream is not a failure.
      const { value: piece } = await next.catch((error: unknown) =>
        isCancelled ? { value: undefined } : Promise.reject(error),
      );
      held = undefined;
      if (isCancelled) return;
      if (!piece) return controller.close();
      if (piece.at !== passedOn) {
        cancel();
        // What was passed on cannot be taken back.
        throw new ConnectionError(
          "download",
          new Error(`it was interrupted after ${passedOn} bytes`),
        );
      }
      passedOn += piece.bytes.byteLength;
      controller.enqueue(piece.bytes);
    });
  const stream = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return { stream, type: first?.type, bytes: first?.totalBytes, index: result.index };
}
