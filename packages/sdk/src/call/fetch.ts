import { type Deadline, orAbort } from "../time/deadline.ts";
import { NeverSentError, provesUnsent } from "../money/evidence.ts";
import { BodyText, type Reply, type Transport } from "./transport.ts";

/** The second argument of a fetch function: only what every implementation accepts. */
export interface FetchInit {
  /** `POST` for the service; without it, the request is the GET of a result. */
  readonly method?: string;
  /** The headers, with the API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON text, or a form as a single Blob. */
  readonly body?: string | Blob;
  /** A signal that aborts when the call ends early. */
  readonly signal: AbortSignal;
  /** The handling of redirects: `error` for the service, `manual` for results. */
  readonly redirect: "error" | "manual" | "follow";
}

/** The headers of a fetch function's response. */
export type FetchHeaders = Pick<Headers, "get"> & Iterable<[string, string]>;

/** The part of a fetch function's response that the SDK reads. */
export interface FetchResponse extends Pick<Response, "status" | "redirected"> {
  /** The headers. */
  readonly headers: FetchHeaders;
  /** The body: a web stream, or one of Node's, as node-fetch has it. */
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<unknown> | null;
}

/**
 * A fetch function: the runtime's own, undici's, node-fetch's, or your own around one of them.
 *
 * @param url The complete URL.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export function postInit(
  headers: FetchInit["headers"],
  body: string | Blob,
  signal: AbortSignal,
): FetchInit {
  // A followed redirect would send the key elsewhere and hide whether the first host accepted the
  // request. workerd does not support "error", only "manual". Its 3xx responses are rejected like
  // all others.
  const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";
  return { method: "POST", headers, signal, redirect, body };
}

export function toWebResponse(given: FetchResponse): Response {
  const { status, redirected, headers, body } = given;
  // The cast: it has everything that the SDK reads.
  if (!body || "getReader" in body) return given as Response;
  // The cast: only Node has such bodies, and its streams have `from`.
  const { from } = ReadableStream as unknown as {
    from(body: AsyncIterable<unknown>): ReadableStream;
  };
  const stream = [204, 205, 304].includes(status) ? null : from(body);
  const response = new Response(stream, { status, headers: [...headers] });
  return Object.defineProperty(response, "redirected", { value: redirected });
}

/**
 * @param sendsOnce whether it is the runtime's fetch, or one with `fetchSendsOnce`. Only then does
 * a rejection prove anything
 */
export function fetchTransport(given: Fetch | undefined, sendsOnce: boolean): Transport {
  const send: Transport = async ({ url, headers, body }, { deadline, beforeSend }) => {
    await orAbort(beforeSend(), deadline);
    // The runtime's is looked up at each call, because tests and tracers replace it.
    const fetch: Fetch = given ?? globalThis.fetch;
    const sending = fetch(url, postInit(headers, body, deadline.signal)).catch((error: unknown) => {
      throw sendsOnce && provesUnsent(error) ? new NeverSentError(error) : error;
    });
    // A fetch function may ignore the signal.
    const response = toWebResponse(await orAbort(sending, deadline));
    const received = await readBody(response, deadline);
    const { status, redirected, headers: all } = response;
    // Those of some mocks cannot be listed. A response that names a paid task must not be lost over
    // that.
    return {
      status,
      redirected,
      ...received,
      headers: Symbol.iterator in all ? Object.fromEntries(all) : {},
    };
  };
  return send;
}

/**
 * Reads the body of a response to its end, or until it breaks off or the deadline passes, also if
 * the fetch function ignores the signal.
 */
async function readBody(
  { body }: Response,
  deadline: Deadline,
): Promise<Pick<Reply, "text" | "broken">> {
  const collected = new BodyText();
  const reader = body?.getReader();
  try {
    for (let piece; reader && !(piece = await orAbort(reader.read(), deadline)).done;) {
      const tooLong = collected.add(piece.value);
      if (tooLong) throw tooLong;
    }
    return { text: String(collected) };
  } catch (broken) {
    return { text: String(collected), broken };
  } finally {
    // An unread body would keep its connection open.
    void reader?.cancel().catch(() => undefined);
  }
}
