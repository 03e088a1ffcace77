import { type OptionTypes, readOptions } from "../errors/options.ts";
import { type InvalidRequestError, invalidRequest } from "../errors/errors.ts";
import { describeValue, mustBe, nothingWasSent } from "../errors/issue.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import type { ResultGet } from "../result/context.ts";
import { isCompressed } from "../result/headers.ts";
import { compressed } from "../result/unusable-url.ts";
import { webGet } from "../result/web-get.ts";
import type { CallOptions } from "../task/task.ts";
import { type Fetch, type FetchResponse, toWebFetch, toWebResponse } from "../call/fetch.ts";
import { bytesOfDataUri } from "./data-uri.ts";
import { type Candidate, nameIn, readImage, requestImage, type Reading, showUrl } from "./source-url.ts";

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
  /**
   * The file name that is sent.
   * @default the source's own name, or else `file` with the extension of its type
   */
  readonly name?: string | undefined;
  /**
   * The maximum size, in bytes. The default is for what is read into memory: a URL, a data URI, a response or a stream.
   * It is the size of the service's largest image, 16,777,216 pixels, uncompressed. A file on disk, and bytes that you
   * hold already, have no limit unless you set one.
   * @default 67_108_864 (64 MiB)
   */
  readonly maxBytes?: number | undefined;
  /**
   * The timeout for reading a URL, a response or a stream, in milliseconds.
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether a URL may lead to this machine or a private network. Never allow it for URLs from your users. Only
   * `@mediagen/sdk/node` without your own `fetch` checks the IP address that it connects to. Behind a proxy, it checks
   * the IP addresses that this machine resolves the name to. The proxy may resolve a name otherwise.
   * @default false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /**
   * The fetch function that requests a URL.
   * @default globalThis.fetch, or node:http with `@mediagen/sdk/node`
   */
  readonly fetch?: Fetch | undefined;
}

const ofFileFrom: OptionTypes<FileFromOptions> = {
  name: "text",
  maxBytes: "number",
  timeoutMs: "number",
  allowPrivateHosts: "boolean",
  fetch: "function",
  signal: "signal",
};
const maxBytesInMemory = 64 * 1024 * 1024;

/** Returns a source image, with its media type read from its first bytes. The entry points document it. */
export async function fileFrom(source: FileSource, given: FileFromOptions, get?: ResultGet): Promise<File> {
  const options = readFileOptions(given);
  return toFile(await open(source, options, get), options);
}

/** Returns the options; rejects those that are not valid, and an aborted signal. */
export function readFileOptions(given: FileFromOptions): FileFromOptions {
  const options = readOptions("fileFrom", given, ofFileFrom, nothingWasSent);
  options.signal?.throwIfAborted();
  return options;
}

/** Returns what is an image by its first bytes, and not too large, as a file with its type and a name. */
export async function toFile(
  { blob, subject, name, contentType }: Candidate,
  { name: given = name, maxBytes = Infinity }: FileFromOptions,
): Promise<File> {
  if (blob.size === 0) throw notAnImage(subject, "is empty");
  if (blob.size > maxBytes) throw tooLarge(subject, maxBytes);
  const head = new Uint8Array(await blob.slice(0, headLength).arrayBuffer());
  const { type, extension } = mediaTypeOf(head) ?? {};
  const isPage = contentType === "text/html" || /^\s*</.test(String.fromCharCode(...head));
  const problem = isPage ? "is an HTML page" : "is not an image";
  if (!type?.startsWith("image/")) throw notAnImage(subject, problem);
  return new File([blob], given || `file.${extension}`, { type });
}

async function open(source: FileSource, options: FileFromOptions, get: ResultGet | undefined): Promise<Candidate> {
  if (typeof source === "string" || source instanceof URL) return openText(String(source), options, get);
  if (source instanceof Blob)
    return { blob: source, subject: "the image", name: "name" in source ? String(source.name) : undefined };
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    // The cast: whatever is in shared memory is copied, or rejected by the engine.
    return { blob: new Blob([source as ArrayBuffer]), subject: "the image" };
  }
  if (isResponse(source)) return openResponse(source, options);
  if (isStream(source)) {
    rejectRead(source, "the stream");
    const response = toWebResponse({ status: 200, redirected: false, headers: new Headers(), body: source });
    return readImage(async () => response, readingOf(options, "the stream"));
  }
  throw notAnImage("source", mustBe(sources, source), "");
}

async function openText(text: string, options: FileFromOptions, get: ResultGet | undefined): Promise<Candidate> {
  const { maxBytes = maxBytesInMemory } = options;
  if (/^data:/i.test(text)) {
    const subject = "the data URI";
    // Checked before it is decoded: Base64 has four characters for three bytes.
    if (text.length * 0.75 > maxBytes + 1_000) throw tooLarge(subject, maxBytes);
    const bytes = bytesOfDataUri(text);
    if (!bytes) throw notAnImage(subject, "is not valid", 'Use one such as "data:image/png;base64,...".');
    if (bytes.length > maxBytes) throw tooLarge(subject, maxBytes);
    return { blob: new Blob([bytes]), subject };
  }
  if (!isUrl(text)) {
    const advice = "Use a URL, a data URI, bytes, a Blob or a Response. Paths need fileFrom of @mediagen/sdk/node.";
    throw notAnImage(describeValue(text), "is a path", advice);
  }
  const { fetch } = options;
  const web = () => webGet(fetch ? toWebFetch(fetch) : (url, init) => globalThis.fetch(url, init));
  return requestImage(
    text,
    get ?? web(),
    options.allowPrivateHosts ?? false,
    readingOf(options, JSON.stringify(showUrl(text))),
  );
}

function openResponse(given: FetchResponse, options: FileFromOptions): Promise<Candidate> {
  const url = "url" in given && typeof given.url === "string" ? given.url : "";
  const subject = url === "" ? "the response" : `the response of ${JSON.stringify(showUrl(url))}`;
  rejectRead(given, subject);
  rejectRead(given.body, subject);
  if (isCompressed(given)) throw notAnImage(subject, compressed, "Use the bytes of the image.");
  return readImage(async () => toWebResponse(given), readingOf(options, subject), nameIn(url));
}

function rejectRead(body: object | null, subject: string): void {
  if (!body || !(("bodyUsed" in body && body.bodyUsed) || ("locked" in body && body.locked))) return;
  throw notAnImage(subject, "has been read before", "Use a Response whose body has not been read.");
}

function readingOf(
  { maxBytes = maxBytesInMemory, timeoutMs = 60_000, signal }: FileFromOptions,
  subject: string,
): Reading {
  return { subject, maxBytes, timeoutMs, signal, tooLarge: () => tooLarge(subject, maxBytes) };
}

/** Whether a text is a URL, also one that must not be requested. A path may begin with a letter and a colon. */
export function isUrl(text: string): boolean {
  return /^(https?:|[a-z][a-z\d+.-]+:\/\/)/i.test(text) && !/^file:/i.test(text);
}

/** By its shape, because it may be that of another library, and because naming the class loads all of fetch in Node. */
function isResponse(source: object): source is FetchResponse {
  return typeof source === "object" && source !== null && "status" in source && "headers" in source && "body" in source;
}

function isStream(source: object): source is NonNullable<FetchResponse["body"]> {
  return typeof source === "object" && source !== null && ("getReader" in source || Symbol.asyncIterator in source);
}

const useImages = "Use an image file (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF).";
const sources = "a URL, a data URI, bytes, a Blob, a Response, a stream, or with @mediagen/sdk/node a path";

/** Returns the error for a source that is no image. */
export function notAnImage(subject: string, problem: string, advice: string = useImages): InvalidRequestError {
  return invalidRequest("fileFrom", subject, "invalid", problem, advice, nothingWasSent);
}

function tooLarge(subject: string, maxBytes: number): InvalidRequestError {
  const advice = "Use a smaller image, or pass { maxBytes } to raise the limit.";
  return notAnImage(subject, `has more than ${maxBytes} bytes`, advice);
}
