/** A request as the emulator reads it: what a web Request says, without the cost of one where a socket brought it. */
export interface Incoming {
  /** The HTTP method. */
  readonly method: string;
  /** The whole address. */
  readonly url: URL;
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
  /** A header by its name in lower case. */
  header(name: string): string | null;
  /** The body, or undefined where it is longer than the limit. */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** An answer, before it becomes a Response or goes to a socket. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null where there is none. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** An answer of JSON. */
export function json(value: unknown, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** An answer of text for a person. */
export function plain(status: number, text: string): Answer {
  return { status, headers: { "content-type": "text/plain" }, body: `${text}\n` };
}

/** Reads a web Request. */
export function incomingOf(request: Request): Incoming {
  return {
    method: request.method,
    url: new URL(request.url),
    signal: request.signal,
    header: (name) => request.headers.get(name),
    bytes: (limit) => readAll(request, limit),
  };
}

async function readAll({ body, headers }: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(headers.get("content-length") ?? 0) > limit) return undefined;
  const chunks: BlobPart[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    length += read.value.byteLength;
    if (length > limit) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
