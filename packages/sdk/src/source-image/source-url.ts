import { mergeHeaders, userAgent } from "../call/headers.ts";
import { hideInError } from "../call/hide-key.ts";
import {
  ConnectionError,
  invalidRequest,
  InvalidRequestError,
  MediaGenError,
  messageOf,
  ServiceError,
} from "../errors/errors.ts";
import { describeDuration, nothingWasSent, shorten } from "../errors/issue.ts";
import type { ResultGet, ResultResponse } from "../result/context.ts";
import { lengthOf, mediaTypeIn } from "../result/headers.ts";
import { followRedirects } from "../result/redirects.ts";
import { compressed, privateNetwork, type UnusableUrl } from "../result/unusable-url.ts";
import { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";

/** A file that may be an image, and how errors name it. */
export interface Candidate {
  readonly blob: Blob;
  readonly subject: string;
  readonly name?: string | undefined;
  /** The media type that its server says. */
  readonly contentType?: string | undefined;
}

/** Limits and name of a source image that is requested. */
export interface Reading {
  /** The name of the image in errors. */
  readonly subject: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly tooLarge: () => Error;
}

/** Requests the image of a URL, by the rules for results: without a key, and into no private network. */
export async function requestImage(
  url: string,
  get: ResultGet,
  allowPrivate: boolean,
  reading: Reading,
): Promise<Candidate> {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: "", password: "" };
  if (username || password) {
    const problem = "contains a user or password";
    throw invalidRequest("fileFrom", reading.subject, "notAllowed", problem, "Use a URL without them.", nothingWasSent);
  }
  const headers = mergeHeaders(userAgent(), { "accept-encoding": "identity" });
  const request = (signal: AbortSignal) =>
    followRedirects(url, get, { headers, signal, allowPrivate, maxBytes: reading.maxBytes }, toInvalid);
  return readImage(request, reading, nameIn(url));
}

/** Reads the image of a response, up to its limits. */
export async function readImage(
  respond: (signal: AbortSignal) => Promise<ResultResponse>,
  { subject, maxBytes, timeoutMs, signal, tooLarge }: Reading,
  name?: string,
): Promise<Candidate> {
  const deadline = new Deadline(
    new Time(),
    timeoutMs,
    () => new Error(`it took longer than ${describeDuration(timeoutMs)}`),
    signal,
  );
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await orAbort(respond(deadline.signal), deadline.signal);
    reader = response.body?.getReader();
    const { status } = response;
    const what = `${subject} has HTTP status ${status}`;
    const advice = "Nothing was sent. Check the URL of the image.";
    if (status < 200 || status > 299) throw new ServiceError(what, "fileFrom", { status, text: "" }, { advice });
    const length = lengthOf(response) ?? 0;
    if (length > maxBytes) throw tooLarge();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    while (reader) {
      const { done, value } = await orAbort(reader.read(), deadline.signal);
      if (done) break;
      if (!ArrayBuffer.isView(value)) throw new Error("it has something else than bytes");
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge();
      // The cast: a response's bytes are never in shared memory.
      pieces.push(value as Uint8Array<ArrayBuffer>);
    }
    // Less of an image would be billed as well.
    if (bytes < length) throw new Error(`it ended after ${bytes} of ${length} bytes`);
    return { blob: new Blob(pieces), subject, name, contentType: mediaTypeIn(response) };
  } catch (error) {
    // Nothing more is wanted of the body, which would keep its connection.
    void reader?.cancel().catch(() => undefined);
    signal?.throwIfAborted();
    if (error instanceof MediaGenError) throw error;
    const cause = hideInError(deadline.passed ? deadline.signal.reason : error, hideUrls);
    const what = `${subject} was not read, and nothing was sent to the service (${messageOf(cause)})`;
    throw new ConnectionError("fileFrom", cause, what);
  } finally {
    deadline.end();
  }
}

function toInvalid({ url, why }: UnusableUrl): InvalidRequestError {
  const advice = why === compressed ? "Use the bytes of the image." : "Use a public https URL.";
  const allowed = why === privateNetwork ? " Pass { allowPrivateHosts: true } to allow it." : "";
  return invalidRequest("fileFrom", JSON.stringify(showUrl(url)), "notAllowed", why, advice + allowed, nothingWasSent);
}

/** Returns a URL without what may be a secret: the user and password, the query and the fragment. */
export function showUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text).href : text;
  return shorten(url.replace(/^([^/?#]*\/\/)[^/?#]*@/, "$1").replace(/[?#].+/s, "?..."));
}

/** Engines and fetch functions name URLs in their errors. */
function hideUrls(text: string): string {
  return text.replace(/https?:\/\/[^\s"'<>]+/gi, showUrl);
}

/** Returns the name of the file that a URL names by its extension. */
export function nameIn(text: string): string | undefined {
  return /[^/]+\.\w+$/.exec(URL.canParse(text) ? new URL(text).pathname : "")?.[0];
}
