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

/** Opens a task's results as streams. The entry point documents it. */
export function streams(task: Task, given: ResultOptions): Promise<readonly ResultStream[]> {
  return reportFetching("streams", task, async (host) => {
    // A limit on all of it would also limit what reads the stream.
    const options = { resultTimeoutMs: Infinity, ...readOptions("streams", given, resultOptions) };
    const opened: ResultStream[] = [];
    try {
      for (const result of await resultsOf("streams", task, host, options.signal))
        opened.push(await openStream(result, options));
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
