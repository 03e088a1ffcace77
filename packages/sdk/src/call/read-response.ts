import type { ResponseHeaders, ServiceResponse } from "../errors/errors.ts";
import type { IncomingResponse } from "./transport.ts";
import { type Hide, hideInResponse } from "./hide-key.ts";

/** The maximum length of a body. No response of the service is longer. */
const longestBody = 1024 * 1024;

/**
 * Reads a response completely, up to a limit, and hides the key if the service repeats it.
 */
export async function readResponse(incoming: IncomingResponse, now: number, hide: Hide): Promise<ServiceResponse> {
  const { status, redirected } = incoming;
  const retryAfterMs = readRetryAfter(incoming.header("retry-after"), now);
  let body: Uint8Array = new Uint8Array();
  let length = 0;
  await incoming.read((bytes) => {
    const end = length + bytes.byteLength;
    if (end > longestBody) throw new Error(`the response is longer than ${longestBody} bytes`);
    // Most responses arrive in one piece. Many small ones, kept as they are, would fill the memory.
    if (length === 0) body = bytes;
    else {
      if (end > body.byteLength) body = grown(body, end);
      body.set(bytes, length);
    }
    length = end;
  });
  const text = decoder.decode(body.subarray(0, length));
  const shown = hide(text);
  const json = parse(text);
  return {
    status,
    text: shown,
    json: shown === text ? json : hideInResponse(json, hide),
    retryAfterMs,
    redirected,
    requestId: () => readRequestId(incoming, hide),
    headers: () => readResponseHeaders(incoming, hide),
  };
}

/** Decodes complete texts, and keeps nothing between them. */
const decoder = new TextDecoder();

/** Copies bytes into a buffer of twice the needed size. */
function grown(body: Uint8Array, needed: number): Uint8Array {
  const copy = new Uint8Array(2 * needed);
  copy.set(body);
  return copy;
}

/** Headers in which services and proxies return the id of a request, the service's own first. */
const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid", "cf-ray"];

function readRequestId(incoming: IncomingResponse, hide: Hide): string | undefined {
  for (const name of idHeaders) {
    const id = incoming.header(name);
    if (id) return hide(id);
  }
  return undefined;
}

/** Returns the headers without cookies, which are secrets and of no use to a caller. */
function readResponseHeaders(incoming: IncomingResponse, hide: Hide): ResponseHeaders {
  const pairs = [...incoming.headers()].filter(([name]) => !/^(set-)?cookie2?$/.test(name));
  return Object.fromEntries(pairs.map(([name, value]) => [hide(name), hide(value)]));
}

/** The maximum depth of JSON, so that recursion ends. No response of the service is as deep. */
const deepest = 64;
/** Matches a text with enough brackets to be deeper. Few have them, and walking through the value of a short text costs more. */
const maybeDeep = new RegExp(`^(?:[^[{]*[[{]){${deepest + 1}}`);

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return maybeDeep.test(text) && isDeeper(json, deepest) ? undefined : json;
  } catch {
    return undefined; // HTML, cut JSON, nothing: every reader of a response handles that.
  }
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (most === 0) return true;
  // The cast: what JSON.parse returns. A list of the values would be garbage for each response.
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], most - 1)) return true;
  return false;
}

/** Returns a Retry-After header, in seconds or as a date, in milliseconds from now. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  // Date.parse reads "-1" as a year; an HTTP date begins with a weekday.
  const date = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : date - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
