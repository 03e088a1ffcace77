import { readOptions } from "../errors/read-options.ts";
import { ConnectionError } from "../errors/errors.ts";
import { headLength, mediaTypeOf } from "../form/media-type.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { offAbort, onAbort } from "../time/abort-listeners.ts";
import type { ResultContext } from "./context.ts";
import { copyResult } from "./copy.ts";
import { reportFetching, resultOptionNames } from "./fetching.ts";
import { resultsOf, type TaskResult } from "./results-of.ts";
import type { ResultSink } from "./transfer.ts";

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
    const options = { resultTimeoutMs: Infinity, ...readOptions("streams", given, resultOptionNames) };
    const opened: ResultStream[] = [];
    try {
      for (const source of await resultsOf("streams", task, options.signal))
        opened.push(await openStream(source, context, options));
      return opened;
    } catch (error) {
      // Nobody else can close their connections.
      for (const { stream } of opened) void stream.cancel(error);
      throw error;
    }
  });
}

/** Resolves as soon as the head of the result is known. */
async function openStream(source: TaskResult, context: ResultContext, options: ResultOptions): Promise<ResultStream> {
  options.signal?.throwIfAborted();
  const sink = new StreamSink(options.signal);
  const copied = copyResult(source, sink, context, { ...options, signal: sink.signal });
  await Promise.race([sink.opened, copied]).catch((error: unknown) => {
    sink.fail(error);
    throw error;
  });
  const { stream, type, bytes } = sink.open();
  const passOn = async () => {
    try {
      await copied;
      await sink.flush();
    } catch (error) {
      // To cancel a stream is not a failure.
      if (!sink.isCancelled) throw error;
    }
  };
  reportFetching("streams", source.task, passOn).then(
    () => sink.close(),
    (error: unknown) => sink.fail(error),
  );
  return { stream, type, bytes, index: source.index };
}

/** Passes a result on as fast as it is read: at most one piece waits. */
class StreamSink implements ResultSink {
  readonly waits = true;
  readonly opened: Promise<void>;
  #controller: TransformStreamDefaultController<Uint8Array> | undefined;
  readonly #pipe = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => void (this.#controller = controller),
  });
  readonly #writer = this.#pipe.writable.getWriter();
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #contentType: string | undefined;
  #totalBytes: number | undefined;
  /** Pieces that are not passed on yet: before the stream is open, its first bytes. */
  #held: Uint8Array[] = [];
  #isOpen = false;
  #passedOn = 0;
  #onOpen: () => void = () => undefined;

  /** `outer` is the caller's signal. */
  constructor(outer: AbortSignal | undefined) {
    this.opened = new Promise((resolve) => (this.#onOpen = resolve));
    this.#outer = outer;
    onAbort(outer, this);
    // As soon as the stream is cancelled, nothing more is fetched.
    this.#writer.closed.catch((reason: unknown) => this.#stop.abort(reason));
  }

  /** Aborts when the stream is cancelled, or when the caller's signal aborts. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isCancelled(): boolean {
    return this.#stop.signal.aborted && !this.#outer?.aborted;
  }

  begin(type: string | undefined, totalBytes: number | undefined): void {
    this.#contentType = type;
    this.#totalBytes = totalBytes;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#held.push(piece);
    const length = this.#held.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#isOpen || length >= headLength) await this.flush();
  }

  restart(): void {
    this.#held = [];
    if (!this.#isOpen) return;
    const what = `the stream ended after ${this.#passedOn} bytes, and the result has to be fetched again, which is free`;
    const cause = new Error("it was interrupted, and its server cannot continue it");
    throw new ConnectionError("download", cause, `${what} (${cause.message})`);
  }

  /** Returns the stream with its type and size, if known. */
  open(): Omit<ResultStream, "index"> {
    this.#isOpen = true;
    this.#onOpen();
    const head = Uint8Array.from(this.#held.flatMap((piece) => [...piece.subarray(0, headLength)]));
    const type = mediaTypeOf(head)?.type ?? this.#contentType;
    return { stream: this.#pipe.readable, type, bytes: this.#totalBytes };
  }

  /** Passes on the held pieces. */
  async flush(): Promise<void> {
    this.#isOpen = true;
    this.#onOpen();
    for (let piece = this.#held[0]; piece; piece = this.#held[0]) {
      await this.#writer.write(piece);
      this.#held.shift();
      this.#passedOn += piece.byteLength;
    }
  }

  /** Ends the stream as complete. */
  close(): void {
    offAbort(this.#outer, this);
    // A stream that was cancelled cannot be closed.
    this.#writer.close().catch(() => undefined);
  }

  /** Ends the stream in an error. */
  fail(failure: unknown): void {
    offAbort(this.#outer, this);
    // Aborting the writer would wait until somebody reads.
    this.#controller?.error(failure);
  }

  /** @internal Called by the caller's signal when it aborts. */
  handleEvent(): void {
    const reason: unknown = this.#outer?.reason;
    this.#stop.abort(reason);
    this.#controller?.error(reason);
  }
}
