import { withOneSlash } from "./paths.ts";

/**
 * A request as the emulator reads it. A server can create one without the cost of a web Request.
 */
export interface EmulatorRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The complete URL. */
  readonly url: URL;
  /**
   * The beginning of the URLs of results: the public base URL of the emulator, without a slash at
   * its end.
   */
  readonly baseUrl: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Returns the value of a header.
   *
   * @param name The name in lower case.
   * @returns The value; null if there is no such header.
   * @example const type = request.header("content-type");
   */
  header(name: string): string | null;
  /**
   * Reads the body.
   *
   * @param limit The maximum size in bytes.
   * @returns The body; undefined if it is larger than the limit.
   * @example const body = await request.bytes(1024 * 1024);
   */
  bytes(limit: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** A response of the emulator, before it becomes a web Response or is written to a socket. */
export interface EmulatorResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or null. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** Returns a JSON response. */
export function json(value: unknown, status = 200): EmulatorResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** Returns a plain text response. */
export function plain(status: number, text: string): EmulatorResponse {
  return { status, headers: { "content-type": "text/plain" }, body: `${text}\n` };
}

/** Converts a web Request. */
export function emulatorRequestOf(request: Request): EmulatorRequest {
  const url = new URL(request.url);
  url.pathname = withOneSlash(url.pathname);
  return {
    method: request.method,
    url,
    baseUrl: url.origin,
    signal: request.signal,
    header: (name) => request.headers.get(name),
    bytes: (limit) => readAll(request, limit),
  };
}

async function readAll(
  { body, headers }: Request,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(headers.get("content-length") ?? 0) > limit) return undefined;
  const chunks: BlobPart[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    length += read.value.byteLength;
    // It is not cancelled: Node's body of a FormData would then reject where nobody can catch it.
    if (length > limit) return undefined;
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
