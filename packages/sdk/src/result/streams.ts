import { readOptions } from "../errors/options.ts";
import { ConnectionError } from "../errors/errors.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { onAbort } from "../time/deadline.ts";
import type { ResultContext } from "./context.ts";
import { reportFetching, resultOptions } from "./fetching.ts";
import { type Piece, readResult } from "./read-result.ts";
import { resultsOf, type TaskResult } from "./results-of.ts";

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
export async function streams(task: Task, given: ResultOptions): Promise<readonly ResultStream[]> {
  return reportFetching("streams", task, async (context) => {
    // A limit on all of it would also limit what reads the stream.
    const options = { resultTimeoutMs: Infinity, ...readOptions("streams", given, resultOptions) };
    const opened: ResultStream[] = [];
    try {
      for (const source of await resultsOf("streams", task, options.signal, context))
        opened.push(await openStream(source, context, options));
      return opened;
    } catch (error) {
      // Nobody else can close their connections.
      for (const { stream } of opened) void stream.cancel(error);
      throw error;
    }
  });
}

/** Resolves as soon as the first bytes show the type. Later ones are fetched as fast as they are read. */
async function openStream(source: TaskResult, context: ResultContext, options: ResultOptions): Promise<ResultStream> {
  const stop = new AbortController();
  const outer = options.signal;
  outer?.throwIfAborted();
  const release = onAbort(outer, () => stop.abort(outer?.reason));
  const pieces = readResult(source, context, { ...options, isSlow: true, signal: stop.signal });
  const held = await readHead(pieces).catch((error: unknown) => {
    release();
    throw error;
  });
  const [first] = held;
  const isCancelled = () => stop.signal.aborted && !outer?.aborted;
  const head = Uint8Array.from(held.flatMap(({ bytes }) => [...bytes.subarray(0, headLength)]));
  let passedOn = 0;
  const next = async () => {
    try {
      return continued(held.shift() ?? (await pieces.next()).value ?? undefined, passedOn);
    } catch (error) {
      // To cancel a stream is not a failure.
      if (!isCancelled()) throw error;
      return undefined;
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Aborted while nobody reads, a stream ends at once, and so does its connection.
        onAbort(stop.signal, () => {
          release();
          if (!isCancelled()) controller.error(stop.signal.reason);
          void pieces.return();
        });
      },
      async pull(controller) {
        const piece = await reportFetching("streams", source.task, next);
        if (!piece) {
          release();
          if (!isCancelled()) controller.close();
          return;
        }
        passedOn += piece.bytes.byteLength;
        controller.enqueue(piece.bytes);
      },
      cancel: (reason) => stop.abort(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, type: mediaTypeOf(head)?.type ?? first?.type, bytes: first?.totalBytes, index: source.index };
}

/** Reads enough of a result to see its type. */
async function readHead(pieces: AsyncIterator<Piece, void>): Promise<Piece[]> {
  let held: Piece[] = [];
  for (let end = 0; end < headLength;) {
    const { value: piece } = await pieces.next();
    if (!piece) break;
    if (piece.at === 0) held = [];
    held.push(piece);
    end = piece.at + piece.bytes.byteLength;
  }
  return held;
}

/** Returns the next piece; rejects one that begins again, because what was passed on cannot be taken back. */
function continued(piece: Piece | undefined, passedOn: number): Piece | undefined {
  if (!piece || piece.at === passedOn) return piece;
  const what = `the stream ended after ${passedOn} bytes, and the result has to be fetched again, which is free`;
  const cause = new Error("it was interrupted, and its server cannot continue it");
  throw new ConnectionError("download", cause, `${what} (${cause.message})`);
}
