import { type Fetch, type FetchResponse, toWebResponse } from "../call/fetch.ts";
import { userAgent } from "../call/headers.ts";
import { hideInError } from "../call/hide-key.ts";
import {
  ConnectionError,
  invalidRequest,
  MediaGenError,
  messageOf,
  ServiceError,
} from "../errors/errors.ts";
import { mustBe, nothingWasSent } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import { isObject } from "../spec/values.ts";
import type { CallOptions } from "../task/task.ts";
import { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { lengthOf, readBody, tooLarge, type Wait } from "./body.ts";
import {
  getPublic,
  type ResultGet,
  type ResultResponse,
  showUrl,
  UnusableError,
  webGet,
} from "./get.ts";

/**
 * A source of an image: an http(s) URL, a data URI, bytes, a response, a stream, or in Node the
 * path of a file.
 */
export type FileSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | FetchResponse
  | FileStream;

/** A web stream, or one of Node's. */
export type FileStream = NonNullable<FetchResponse["body"]>;

/** Options of `fileFrom`. */
export interface FileFromOptions extends CallOptions {
  /**
   * The file name that is sent.
   * @default the source's own name, or else `file` with the extension
   * of its type
   */
  readonly name?: string | undefined;
  /**
   * The maximum size, in bytes. The default is for what is read into memory: a URL, a data URI, a
   * response or a stream. A file on disk, and bytes that you hold already, have no limit unless you
   * set one.
   * @default 67_108_864 (64 MiB)
   */
  readonly maxBytes?: number | undefined;
  /**
   * Whether a URL may lead to this machine or a private network. Never allow it for URLs from your
   * users. The checks are those of `allowPrivateHosts` in `ResultOptions`; with your own `fetch`,
   * no name is resolved.
   * @default false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /**
   * The fetch function that requests an http(s) URL.
   * @default globalThis.fetch, or node:http with
   * `@mediagen/sdk/node`
   */
  readonly fetch?: Fetch | undefined;
}

const fileFromOptions: OptionTypes<FileFromOptions> = {
  name: "text",
  maxBytes: "number",
  allowPrivateHosts: "boolean",
  fetch: "function",
  signal: "signal",
};
const maxBytesInMemory = 64 * 1024 * 1024;
const timeoutMs = 60_000;
const sources =
  "a URL, a data URI, bytes, a Blob, a Response, a stream, or with @mediagen/sdk/node a path";
const images = "an image file (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF)";

interface OpenOptions extends FileFromOptions {
  readonly get?: ResultGet | undefined;
  readonly openPath?: (path: string) => Promise<File>;
}

export async function fileFrom(
  source: FileSource,
  given: FileFromOptions,
  runtime: OpenOptions = {},
): Promise<File> {
  const options = readOptions("fileFrom", given, fileFromOptions, nothingWasSent);
  const { signal, name } = options;
  signal?.throwIfAborted();
  const text = typeof source === "string" || source instanceof URL ? String(source) : undefined;
  const subject = subjectOf(text);
  const deadline = new Deadline(
    new Time(),
    timeoutMs,
    () => new Error("it took longer than a minute"),
    signal,
  );
  const wait: Wait = (promise) => orAbort(promise, deadline.signal);
  try {
    const opened = await wait(open(text ?? source, { ...options, ...runtime }, deadline.signal));
    const { maxBytes = opened instanceof Blob ? Infinity : maxBytesInMemory } = options;
    const blob = opened instanceof Blob ? opened : await read(opened, subject, maxBytes, wait);
    if (blob.size > maxBytes) throw tooLarge(maxBytes);
    const { type, extension } =
      mediaTypeOf(new Uint8Array(await blob.slice(0, headLength).arrayBuffer())) ?? {};
    if (!type?.startsWith("image/")) throw new UnusableError(`is not ${images}`);
    const from = text ?? String((source as { readonly url?: unknown }).url);
    const [named = ""] = /[^/]+\.\w+$/.exec(URL.canParse(from) ? new URL(from).pathname : "") ?? [];
    const own = "name" in blob ? String(blob.name) : named;
    return new File([blob], name || own || `file.${extension}`, { type });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof MediaGenError) throw error;
    if (error instanceof UnusableError)
      throw invalidRequest("fileFrom", subject, "invalid", error.message, "", nothingWasSent);
    // Engines and fetch functions name URLs in their errors.
    const cause = hideInError(error, (words) => words.replace(/https?:[^\s"'<>]+/gi, "[a URL]"));
    const what = `${subject} was not read, and nothing was sent to the service (${messageOf(cause)})`;
    throw new ConnectionError("fileFrom", cause, what);
  } finally {
    deadline.end();
  }
}

function subjectOf(text: string | undefined): string {
  if (text === undefined) return "the source";
  return /^data:/i.test(text) ? "the data URI" : showUrl(text);
}

async function open(
  source: FileSource,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<Blob | ResultResponse> {
  const { fetch, get = webGet(fetch), openPath, allowPrivateHosts: allowPrivate = false } = options;
  if (source instanceof Blob) return source;
  // The cast: whatever is in shared memory is copied, or rejected by the engine.
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return new Blob([source as ArrayBuffer]);
  // By their shapes: they may be those of another library, and naming the classes loads all of
  // fetch in Node.
  if (isObject(source) && "status" in source && "body" in source)
    return toWebResponse(source as FetchResponse);
  if (isObject(source) && ("getReader" in source || Symbol.asyncIterator in source))
    return toWebResponse({
      status: 200,
      redirected: false,
      headers: new Headers(),
      body: source as FileStream,
    });
  if (typeof source !== "string") throw new UnusableError(mustBe(sources, source));
  const { maxBytes = maxBytesInMemory } = options;
  // Decoding one blocks the process. Base64 has four characters for three bytes.
  if (/^data:/i.test(source) && source.length * 0.75 > maxBytes + 1_000) throw tooLarge(maxBytes);
  if (/^data:/i.test(source))
    return globalThis.fetch(source).catch(() => {
      throw new UnusableError("is not valid");
    });
  // Also a URL that must not be requested. A path may begin with a letter and a colon.
  if (/^(https?:|(?!file:)[a-z][a-z\d+.-]+:\/\/)/i.test(source)) {
    const headers = { ...userAgent(), "accept-encoding": "identity" };
    return getPublic(source, get, { headers, signal, allowPrivate, maxBytes });
  }
  if (openPath) return openPath(source);
  throw new UnusableError("is a path, which only fileFrom of @mediagen/sdk/node reads");
}

async function read(
  response: ResultResponse,
  subject: string,
  maxBytes: number,
  wait: Wait,
): Promise<Blob> {
  const { status, body } = response;
  if (status !== 200) {
    void body?.cancel().catch(() => undefined);
    const advice = "Nothing was sent. Check the URL of the image.";
    throw new ServiceError(
      `${subject} has HTTP status ${status}`,
      "fileFrom",
      { status, body: "" },
      { advice },
    );
  }
  const pieces: BlobPart[] = [];
  const start = { at: 0, totalBytes: lengthOf(response) };
  for await (const bytes of readBody(response, maxBytes, wait, start)) pieces.push(bytes);
  return new Blob(pieces);
}
