import { orAbort, startDeadline, type Time } from "./clock.ts";
import { ConnectionError, ServiceError } from "./errors.ts";
import { isPrivate } from "./private-address.ts";
import type { CallOptions } from "./task.ts";
import type { Fetch } from "./transport.ts";

/** Gets a result's address without following redirects; the key is never part of it. */
export type ResultGet = (url: URL, init: ResultRequest) => Promise<Response>;

/** What a result is asked for with. */
export interface ResultRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether the host may be this machine or one of a private network. */
  readonly allowPrivate: boolean;
}

/** How to fetch results. */
export interface ResultOptions extends CallOptions {
  /**
   * The most bytes that one result may have.
   * @default 4_294_967_296 (4 GiB)
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long a result may stand still, in milliseconds.
   * @default 30_000
   */
  readonly stallTimeoutMs?: number | undefined;
  /**
   * How long one result may take in all, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether results may come from this machine or a private network.
   * @default true where the base URL is there itself, else false
   */
  readonly allowPrivateHosts?: boolean | undefined;
  /** Is told of each piece that arrives. */
  readonly onProgress?: ((progress: ResultProgress) => void) | undefined;
}

/** How far a result has come. */
export interface ResultProgress {
  /** Which result, from 0. */
  readonly index: number;
  /** How many results there are. */
  readonly count: number;
  /** How many bytes of it have arrived. */
  readonly bytes: number;
  /** Its size; undefined where its server does not say. */
  readonly totalBytes: number | undefined;
}

/** Where a result's bytes go. */
export interface ResultSink {
  write(piece: Uint8Array): Promise<void> | void;
  /** Takes back what was written: the bytes come anew from the first. */
  restart(): Promise<void> | void;
}

/** One result: where it stands, and where it stands now if that address has expired. */
export interface ResultSource {
  readonly index: number;
  readonly count: number;
  readonly address: string;
  renew(): Promise<string | undefined>;
}

const redirectsAtMost = 3;
const attemptsAtMost = 5;
const expired: readonly number[] = [401, 403, 404, 410];

/** The getter that stands on a fetch function. */
export function webGet(fetch: Fetch): ResultGet {
  // Browsers show nothing of a redirect that they do not follow; there the engine guards private hosts by itself.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return (url, { headers, signal }) => fetch(new Request(url, { headers, signal, redirect }));
}

/** What copying a result stands on. */
export interface ResultContext {
  readonly get: ResultGet;
  readonly time: Time;
  /** Whether the base URL's host is itself this machine or one of a private network. */
  readonly privateBase: boolean;
}

/**
 * Copies one result into a sink: follows few redirects, renews an expired address once, and goes on where it broke off if
 * the server can. Answers the media type that the server told.
 */
export async function copyResult(source: ResultSource, sink: ResultSink, context: ResultContext, options: ResultOptions): Promise<string | undefined> {
  const { time } = context;
  const { timeoutMs = 30 * 60_000, signal } = options;
  const whole = startDeadline(time, timeoutMs, () => new Error(`the result took longer than ${timeoutMs} ms`), signal);
  const copy: Copy = { address: source.address, renewed: false, bytes: 0, etag: null };
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await copyOnce(copy, source, sink, context, { ...options, signal: whole.signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof Final) throw error.cause;
        if (whole.passed) throw new ConnectionError("download", whole.signal.reason);
        if (attempt >= attemptsAtMost) throw error instanceof ServiceError ? error : new ConnectionError("download", error);
        // If the pause is cut short, the next attempt tells by whom.
        await time.sleep(time.random() * 250 * 2 ** attempt, whole.signal).catch(() => undefined);
      }
    }
  } finally {
    whole.end();
  }
}

/** How far a copy has come over its attempts. */
interface Copy {
  address: string;
  renewed: boolean;
  bytes: number;
  etag: string | null;
}

/** Carries an error that another attempt would meet again. */
class Final extends Error {
  override readonly name = "Final";
}

function final(cause: unknown): Final {
  return new Final("no other attempt", { cause });
}

async function copyOnce(copy: Copy, source: ResultSource, sink: ResultSink, context: ResultContext, options: ResultOptions & { readonly signal: AbortSignal }): Promise<string | undefined> {
  const { maxBytes = 2 ** 32, stallTimeoutMs = 30_000, onProgress, signal } = options;
  const stalled = () => new Error(`the result stood still for ${stallTimeoutMs} ms`);
  const stall = startDeadline(context.time, stallTimeoutMs, stalled, signal);
  let response: Response | undefined;
  try {
    response = await orAbort(follow(copy, context, options, stall.signal), stall.signal);
    if (expired.includes(response.status) && !copy.renewed) {
      copy.renewed = true;
      copy.address = (await source.renew()) ?? copy.address;
      throw new Error(`the address had expired (HTTP ${response.status})`);
    }
    const { status, headers, body } = response;
    if (status !== 200 && status !== 206) throw refusal(status);
    if (copy.bytes > 0 && !(status === 206 && headers.get("content-range")?.startsWith(`bytes ${copy.bytes}-`))) {
      copy.bytes = 0;
      await kept(sink.restart());
    }
    copy.etag = headers.get("etag");
    const length = headers.get("content-length");
    const totalBytes = length === null ? undefined : copy.bytes + Number(length);
    const reader = body?.getReader();
    for (;;) {
      if (Math.max(copy.bytes, totalBytes ?? 0) > maxBytes) throw final(new ServiceError(`the result is larger than ${maxBytes} bytes`, "download", { status, text: "" }));
      const read = await orAbort(reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }), stall.signal);
      if (read.done) break;
      stall.restart(stallTimeoutMs, stalled);
      await kept(sink.write(read.value));
      copy.bytes += read.value.byteLength;
      onProgress?.({ index: source.index, count: source.count, bytes: copy.bytes, totalBytes });
    }
    if (totalBytes !== undefined && copy.bytes < totalBytes) throw new Error(`the result ended after ${copy.bytes} of ${totalBytes} bytes`);
    response = undefined;
    return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  } catch (error) {
    throw stall.passed ? stall.signal.reason : error;
  } finally {
    stall.end();
    // An abandoned body would hold its connection, and with it the process; that it is beyond cancelling changes nothing.
    void response?.body?.cancel().catch(() => undefined);
  }
}

/** What the sink does with the bytes; its errors are its own, and another attempt would not mend them. */
async function kept(done: Promise<void> | void): Promise<void> {
  try {
    await done;
  } catch (error) {
    throw final(error);
  }
}

function refusal(status: number): Error {
  const error = new ServiceError(`the result's server answered HTTP ${status}`, "download", { status, text: "" });
  return status === 429 || (status >= 500 && status !== 501) ? error : final(error);
}

async function follow(copy: Copy, { get, privateBase }: ResultContext, { allowPrivateHosts = privateBase }: ResultOptions, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (copy.bytes > 0) headers["range"] = `bytes=${copy.bytes}-`;
  if (copy.bytes > 0 && copy.etag) headers["if-range"] = copy.etag;
  let url = checked(copy.address, undefined, allowPrivateHosts);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, { headers, signal, allowPrivate: allowPrivateHosts });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (redirects >= redirectsAtMost) throw unusable(copy.address, `leads on more than ${redirectsAtMost} times`);
    url = checked(location, url, allowPrivateHosts);
  }
}

/** An address that may be fetched from. */
function checked(address: string, from: URL | undefined, allowPrivateHosts: boolean): URL {
  if (!URL.canParse(address, from?.href)) throw unusable(address, "is no absolute address");
  const url = new URL(address, from?.href);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw unusable(address, "is neither http nor https");
  if (from?.protocol === "https:" && url.protocol === "http:") throw unusable(address, "leads from https to http");
  if (!allowPrivateHosts && isPrivate(url)) throw unusable(address, "is on this machine or in a private network (allowPrivateHosts says otherwise)");
  return url;
}

/** Why an address is not fetched from; no other attempt is made. */
export function unusable(address: string, why: string): Error {
  return final(new ServiceError(`the result's address ${JSON.stringify(address.slice(0, 200))} ${why}`, "download", { status: 0, text: "" }));
}
