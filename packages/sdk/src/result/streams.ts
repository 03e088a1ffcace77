import { ConnectionError } from "../errors/errors.ts";
import { readOptions } from "../errors/options.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { onAbort } from "../time/deadline.ts";
import { readResult, type Result } from "./read-result.ts";
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
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = (reason: unknown) => {
    release();
    stop.abort(reason);
    void pieces.return();
  };
  // Aborted while nobody reads, a stream ends at once, and so does its connection.
  const release = onAbort(signal, () => {
    controller?.error(signal?.reason);
    end(signal?.reason);
  });
  let passedOn = 0;
  const next = async () => {
    try {
      const { value: piece } = await pieces.next();
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
  let held = first;
  const pull = async () => {
    const piece = held ?? (await reportFetching("streams", result.task, next));
    held = undefined;
    if (stop.signal.aborted) return;
    passedOn += piece?.bytes.byteLength ?? 0;
    if (piece) controller?.enqueue(piece.bytes);
    else {
      end(undefined);
      controller?.close();
    }
  };
  const source = { start: (given: typeof controller) => void (controller = given), pull, cancel: end };
  const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return { stream, type: first?.type, bytes: first?.totalBytes, index: result.index };
}

/** Creates the error of a stream whose result begins again: what was passed on cannot be taken back. */
function interrupted(passedOn: number): ConnectionError {
  const what = `the stream ended after ${passedOn} bytes, and the result has to be fetched again, which is free`;
  const cause = new Error("it was interrupted, and its server cannot continue it");
  return new ConnectionError("download", cause, `${what} (${cause.message})`);
}
