import { mergeHeaders, userAgent } from "../call/headers.ts";
import { hideInError } from "../call/hide-key.ts";
import {
  ConnectionError,
  type InvalidRequestError,
  invalidRequest,
  MediaGenError,
  messageOf,
  ServiceError,
} from "../errors/errors.ts";
import { describeDuration, describeValue, mustBe, nothingWasSent, shorten } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import type { CallOptions } from "../task/task.ts";
import { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { type Fetch, type FetchResponse, toWebResponse } from "../call/fetch.ts";
import { Body, tooLarge } from "./body.ts";
import {
  compressed,
  getPublic,
  isCompressed,
  type ResultGet,
  type ResultResponse,
  UnusableError,
  webGet,
} from "./get.ts";

/** A source of an image: an http(s) URL, a data URI, bytes, a response, a stream, or in Node the path of a file. */
export type FileSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | FetchResponse
  | NonNullable<FetchResponse["body"]>;

/** Options of `fileFrom`. */
export interface FileFromOptions extends CallOptions {
  /** The file name that is sent. @default the source's own name, or else `file` with the extension of its type */
  readonly name?: string | undefined;
  /**
   * The maximum size, in bytes. The default is for what is read into memory: a URL, a data URI, a response or a stream.
   * It is the size of the service's largest image, 16,777,216 pixels, uncompressed. A file on disk, and bytes that you
   * hold already, have no limit unless you set one.
   * @default 67_108_864 (64 MiB)
   */
  readonly maxBytes?: number | undefined;
  /** The timeout for reading a URL, a response or a stream, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether a URL may lead to this machine or a private network. Never allow it for URLs from your users. Only
   * `@mediagen/sdk/node` without your own `fetch` checks the IP address that it connects to. Behind a proxy, it checks
   * the IP addresses that this machine resolves the name to. The proxy may resolve a name otherwise.
   * @default false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /** The fetch function that requests a URL. @default globalThis.fetch, or node:http with `@mediagen/sdk/node` */
  readonly fetch?: Fetch | undefined;
}

const fileFromOptions: OptionTypes<FileFromOptions> = {
  name: "text",
  maxBytes: "number",
  timeoutMs: "number",
  allowPrivateHosts: "boolean",
  fetch: "function",
  signal: "signal",
};
/** The limit of what is read into memory. */
const maxBytesInMemory = 64 * 1024 * 1024;

/** What the Node entry point adds. */
interface FileRuntime {
  readonly get?: ResultGet | undefined;
  /** Opens a file by its path or its `file:` URL. */
  readonly openPath?: (path: string) => Promise<File>;
}

/** An image that is there or has to be read, and how errors name it. */
interface Source {
  readonly subject: string;
  readonly name?: string | undefined;
  readonly image: Blob | ((signal: AbortSignal) => Promise<ResultResponse>);
}

/** Returns a source image, with its media type read from its first bytes. The entry points document it. */
export async function fileFrom(source: FileSource, given: FileFromOptions, runtime: FileRuntime = {}): Promise<File> {
  const options = readOptions("fileFrom", given, fileFromOptions, nothingWasSent);
  options.signal?.throwIfAborted();
  const { image, subject, name } = await open(source, options, runtime);
  const blob = image instanceof Blob ? image : await read(image, subject, options);
  if (blob.size > (options.maxBytes ?? Infinity)) throw invalidSource(subject, tooLarge(options.maxBytes));
  const head = new Uint8Array(await blob.slice(0, headLength).arrayBuffer());
  const { type, extension } = mediaTypeOf(head) ?? {};
  if (type?.startsWith("image/")) return new File([blob], options.name || name || `file.${extension}`, { type });
  const isPage = /^\s*</.test(String.fromCharCode(...head));
  throw notAnImage(subject, blob.size === 0 ? "is empty" : isPage ? "is an HTML page" : "is not an image");
}

async function open(source: FileSource, options: FileFromOptions, runtime: FileRuntime): Promise<Source> {
  if (source instanceof Blob)
    return { image: source, subject: "the image", name: "name" in source ? String(source.name) : undefined };
  // The cast: whatever is in shared memory is copied, or rejected by the engine.
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return { image: new Blob([source as ArrayBuffer]), subject: "the image" };
  if (typeof source === "string" || source instanceof URL) return openText(String(source), options, runtime);
  // By their shapes: they may be those of another library, and naming the classes loads all of fetch in Node.
  if (typeof source === "object" && source !== null) {
    if ("status" in source && "headers" in source && "body" in source) return openResponse(source, "the response");
    const whole = { status: 200, redirected: false, headers: new Headers() };
    if ("getReader" in source || Symbol.asyncIterator in source)
      return openResponse({ ...whole, body: source }, "the stream");
  }
  throw notAnImage("source", mustBe(sources, source), "");
}

async function openText(text: string, options: FileFromOptions, runtime: FileRuntime): Promise<Source> {
  const { get = webGet(options.fetch), openPath } = runtime;
  const { allowPrivateHosts: allowPrivate = false, maxBytes = maxBytesInMemory } = options;
  if (/^data:/i.test(text)) return decodeDataUri(text, maxBytes);
  // Also a URL that must not be requested. A path may begin with a letter and a colon.
  if (/^(https?:|(?!file:)[a-z][a-z\d+.-]+:\/\/)/i.test(text)) {
    const headers = mergeHeaders(userAgent(), { "accept-encoding": "identity" });
    const image = (signal: AbortSignal) => getPublic(text, get, { headers, signal, allowPrivate, maxBytes });
    return { image, subject: JSON.stringify(showUrl(text)), name: nameIn(text) };
  }
  const advice = "Use a URL, a data URI, bytes, a Blob or a Response. Paths need fileFrom of @mediagen/sdk/node.";
  if (!openPath) throw notAnImage(describeValue(text), "is a path", advice);
  const image = await openPath(text);
  return { image, subject: describeValue(text), name: image.name };
}

function openResponse(given: FetchResponse, subject: string): Source {
  for (const one of [given, given.body])
    if (one && (("bodyUsed" in one && one.bodyUsed) || ("locked" in one && one.locked)))
      throw notAnImage(subject, "has been read before", "Use a Response whose body has not been read.");
  if (isCompressed(given)) throw notAnImage(subject, compressed, "Use the bytes of the image.");
  return { image: async () => toWebResponse(given), subject, name: nameIn("url" in given ? String(given.url) : "") };
}

/** Reads the image of a response, up to its limits. */
async function read(
  respond: (signal: AbortSignal) => Promise<ResultResponse>,
  subject: string,
  { maxBytes = maxBytesInMemory, timeoutMs = 60_000, signal }: FileFromOptions,
): Promise<Blob> {
  const timeout = () => new Error(`it took longer than ${describeDuration(timeoutMs)}`);
  const deadline = new Deadline(new Time(), timeoutMs, timeout, signal);
  let body: Body | undefined;
  try {
    const response = await orAbort(respond(deadline.signal), deadline.signal);
    body = new Body(response, maxBytes);
    const { status } = response;
    const advice = "Nothing was sent. Check the URL of the image.";
    if (status < 200 || status > 299)
      throw new ServiceError(`${subject} has HTTP status ${status}`, "fileFrom", { status, body: "" }, { advice });
    const pieces: BlobPart[] = [];
    for (let piece; (piece = await body.next(deadline.signal));) pieces.push(piece);
    return new Blob(pieces);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof MediaGenError) throw error;
    if (error instanceof UnusableError) throw invalidSource(subject, error);
    const cause = hideInError(deadline.passed ? deadline.signal.reason : error, hideUrls);
    const what = `${subject} was not read, and nothing was sent to the service (${messageOf(cause)})`;
    throw new ConnectionError("fileFrom", cause, what);
  } finally {
    deadline.end();
    body?.cancel();
  }
}

/** Decodes a data URI, once it is known to be not too large: Base64 has four characters for three bytes. */
function decodeDataUri(text: string, maxBytes: number): Source {
  const subject = "the data URI";
  if (text.length * 0.75 > maxBytes + 1_000) throw invalidSource(subject, tooLarge(maxBytes));
  const [, isBase64, encoded] = /^[^,]*?(;\s*base64\s*)?,(.*)$/is.exec(text) ?? [];
  // A character for each byte.
  const data = encoded?.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    const bytes = isBase64 ? atob(data ?? "") : data;
    if (bytes !== undefined)
      return { image: new Blob([Uint8Array.from(bytes, (character) => character.charCodeAt(0))]), subject };
  } catch {
    // It is no Base64.
  }
  throw notAnImage(subject, "is not valid", 'Use one such as "data:image/png;base64,...".');
}

const useImages = "Use an image file (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF).";
const sources = "a URL, a data URI, bytes, a Blob, a Response, a stream, or with @mediagen/sdk/node a path";

/** Returns the error for a source that is no image. */
export function notAnImage(subject: string, problem: string, advice: string = useImages): InvalidRequestError {
  return invalidRequest("fileFrom", subject, "invalid", problem, advice, nothingWasSent);
}

/** Returns the error for a source whose URL must not be requested, or whose bytes must not be used. */
function invalidSource(subject: string, { url, message, advice }: UnusableError): InvalidRequestError {
  if (url === undefined) return notAnImage(subject, message, advice);
  const use = advice ?? "Use a public https URL.";
  return invalidRequest("fileFrom", JSON.stringify(showUrl(url)), "notAllowed", message, use, nothingWasSent);
}

/** Returns a URL without what may be a secret: the user and password, the query and the fragment. */
function showUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text).href : text;
  return shorten(url.replace(/^([^/?#]*\/\/)[^/?#]*@/, "$1").replace(/[?#].+/s, "?..."));
}

/** Engines and fetch functions name URLs in their errors. */
function hideUrls(text: string): string {
  return text.replace(/https?:\/\/[^\s"'<>]+/gi, showUrl);
}

/** Returns the name of the file that a URL names by its extension. */
function nameIn(text: string): string | undefined {
  return /[^/]+\.\w+$/.exec(URL.canParse(text) ? new URL(text).pathname : "")?.[0];
}
