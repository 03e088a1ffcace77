import { ConnectionError } from "../errors/errors.ts";
import { readOptions } from "../errors/options.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { onAbort } from "../time/deadline.ts";
import { type Piece, readResult, type Result } from "./read-result.ts";
import { reportFetching, resultOptions, resultsOf } from "./results.ts";

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
 * Opens every result of a task as a stream. Pass it to object storage or to an HTTP client without holding it in
 * memory. No more is fetched than you read.
 *
 * An interrupted result continues where it stopped, if its server supports that. Otherwise its stream ends with a
 * `ConnectionError`, and you have to fetch the result again.
 *
 * Each stream holds a connection until you have read it to the end or cancelled it. The time that you take to read does
 * not count as a stall. It counts for `resultTimeoutMs`, which has no limit by default.
 *
 * @param task A task that has succeeded.
 * @returns The results, in the order of the task's record, as soon as the first bytes of each have arrived.
 * @throws An {@link InvalidRequestError} if there is no result yet
 * @throws A {@link ServiceError} if a result's server rejects the request, or the result's URL must not be requested
 * @throws A {@link ConnectionError} if no first bytes of a result arrive; calling again is safe
 * @throws The signal's reason if the signal aborts
 * @example
 * const [clip] = await streams(task);
 * const response = new Response(clip?.stream, { headers: { "content-type": clip?.type ?? "video/mp4" } });
 */
export async function streams(task: Task, options: ResultOptions = {}): Promise<readonly ResultStream[]> {
  return reportFetching("streams", task, async (host) => {
    // A limit on all of it would also limit what reads the stream.
    const given = { resultTimeoutMs: Infinity, ...readOptions("streams", options, resultOptions) };
    const opened: ResultStream[] = [];
    try {
      for (const result of await resultsOf("streams", task, host, given.signal))
        opened.push(await openStream(result, given));
      return opened;
    } catch (error) {
      // Nobody else can close their connections.
      for (const { stream } of opened) void stream.cancel(error);
      throw error;
    }
  });
}

/** Resolves as soon as the first bytes show the type. Later ones are fetched as fast as they are read. */
async function openStream(result: Result, options: ResultOptions): Promise<ResultStream> {
  const { signal } = options;
  signal?.throwIfAborted();
  const stop = new AbortController();
  const pieces = readResult(result, { ...options, isSlow: true, signal: stop.signal });
  const end = (reason: unknown) => {
    release();
    stop.abort(reason);
    void pieces.return();
  };
  // Aborted while nobody reads, a stream releases its connection at once.
  const release = onAbort(signal, () => end(signal?.reason));
  let passedOn = 0;
  let held: Piece | undefined;
  const next = async () => {
    try {
      signal?.throwIfAborted();
      const piece = held ?? (await pieces.next()).value;
      held = undefined;
      if (piece && piece.at !== passedOn) throw interrupted(passedOn);
      return piece;
    } catch (error) {
      // To cancel a stream is not a failure.
      if (stop.signal.aborted && !signal?.aborted) return undefined;
      end(error);
      throw error;
    }
  };
  const first = await next();
  held = first || undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = await reportFetching("streams", result.task, next);
    signal?.throwIfAborted();
    if (stop.signal.aborted) return;
    passedOn += piece?.bytes.byteLength ?? 0;
    if (piece) return controller.enqueue(piece.bytes);
    end(undefined);
    controller.close();
  };
  const stream = new ReadableStream<Uint8Array>({ pull, cancel: end }, { highWaterMark: 0 });
  return { stream, type: first?.type, bytes: first?.totalBytes, index: result.index };
}

/** Creates the error of a stream whose result begins again: what was passed on cannot be taken back. */
function interrupted(passedOn: number): ConnectionError {
  const what = `the stream ended after ${passedOn} bytes, and the result has to be fetched again, which is free`;
  const cause = new Error("it was interrupted, and its server cannot continue it");
  return new ConnectionError("download", cause, `${what} (${cause.message})`);
}
