import { hash } from "../media/hash.ts";
import type { Context } from "../service/context.ts";
import { type EmulatorRequest, type EmulatorResponse, plain } from "../service/exchange.ts";
import { connectionReset } from "../service/faults.ts";
import { readMultipart } from "../service/multipart.ts";
import type { Exchange, RecordedResponse, Session } from "../service/session.ts";

type Serve = (request: EmulatorRequest) => Promise<EmulatorResponse>;

/** Serves a request, and adds the exchange to each recording. Streamed responses are not recorded. */
export async function recordExchange(
  request: EmulatorRequest,
  serve: Serve,
  { behaviour }: Context,
  recordings: Iterable<Exchange[]>,
): Promise<EmulatorResponse> {
  const bytes = await request.bytes(behaviour.bodyLimit);
  const add = (response: Exchange["response"]) => {
    for (const exchanges of recordings)
      exchanges.push({ request: lineOf(request), body: bodyOf(request, bytes), response });
  };
  // Not spread, because reading `signal` would create it.
  const again: EmulatorRequest = Object.create(request, { bytes: { value: async () => bytes } }) as EmulatorRequest;
  try {
    const response = await serve(again);
    const { status, headers, body } = response;
    if (!(body instanceof ReadableStream)) add({ status, headers, ...recordedBody(body, request.baseUrl) });
    return response;
  } catch (error) {
    if (!request.signal.aborted) add("reset");
    throw error;
  }
}

/** Returns a function that serves the recorded responses of each request in order, and repeats the last one. */
export function createReplay({ exchanges }: Session, { behaviour, calls, clock, routes }: Context): Serve {
  const left = new Map<string, Exchange["response"][]>();
  for (const { request, body, response } of exchanges) {
    const key = JSON.stringify([request, body]);
    left.get(key)?.push(response) ?? left.set(key, [response]);
  }
  return async (request) => {
    const { url } = request;
    const call = calls.open(clock.now(), request, routes.get(url.pathname)?.operation);
    const line = lineOf(request);
    const responses = left.get(JSON.stringify([line, bodyOf(request, await request.bytes(behaviour.bodyLimit))]));
    const response = responses && (responses.length > 1 ? responses.shift() : responses[0]);
    if (!response) calls.blame(call, [`the recorded session has no ${line} with this body`]);
    if (response === "reset") throw connectionReset();
    call.status = response?.status ?? 404;
    return response
      ? { status: response.status, headers: response.headers, body: replayedBody(response, request.baseUrl) }
      : plain(404, "the recorded session has no such request");
  };
}

function lineOf({ method, url }: EmulatorRequest): string {
  return `${method} ${url.pathname}${url.search}`;
}

/** Returns a value that identifies a body, because the boundaries of forms vary. */
function bodyOf(request: EmulatorRequest, bytes: Uint8Array | undefined): unknown {
  if (!bytes?.length) return null;
  const type = request.header("content-type") ?? "";
  const form = type.startsWith("multipart/") ? readMultipart(bytes, type) : undefined;
  if (form === undefined || typeof form === "string") {
    const text = new TextDecoder().decode(bytes);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  return form.map(({ name, fileName, bytes: content }) =>
    fileName === undefined
      ? [name, new TextDecoder().decode(content)]
      : [name, { size: content.length, hash: hash(binary(content)) }],
  );
}

function recordedBody(body: string | Uint8Array | null, baseUrl: string): Pick<RecordedResponse, "text" | "base64"> {
  if (body === null) return {};
  return typeof body === "string" ? { text: body.replaceAll(baseUrl, "{base}") } : { base64: btoa(binary(body)) };
}

function replayedBody({ text, base64 }: RecordedResponse, baseUrl: string): EmulatorResponse["body"] {
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return text?.replaceAll("{base}", baseUrl) ?? null;
}

/** Returns a text with a character for each byte. */
function binary(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}
