import createFetchClient, { type Client } from "openapi-fetch";
import { keyHeaders, readKey } from "../call/api-key.ts";
import type { WireFields } from "../form/form.ts";
import { toFormData } from "../form/parts.ts";
import { operations } from "../spec/operations.gen.ts";
import type { paths } from "../spec/paths.gen.ts";
import { longestDelayMs } from "../time/clock.ts";
import { type OutgoingRequest, type Transport, withoutBytes } from "../transport/transport.ts";
import type { ClientOptions } from "./options.ts";
import { readAccess, readTimeouts } from "./settings.ts";

/** The client of openapi-fetch, typed by the service's description. */
export type HttpClient = Client<paths>;

/** Creates the openapi-fetch client on a transport: it adds the key and sends forms as multipart, and opens no envelope. */
export function createHttpClientOn(transport: Transport, options: ClientOptions): HttpClient {
  const { baseUrl, apiKey, headers } = readAccess("createHttpClient", options);
  const { queryMs, generateMs } = readTimeouts("createHttpClient", options);
  const formUrls = new Set(
    Object.values(operations).flatMap(({ generate }) => Object.values(generate).map(({ path }) => baseUrl + path)),
  );
  const fetch = async (request: Request): Promise<Response> => {
    const { origin, pathname } = new URL(request.url);
    const paid = formUrls.has(origin + pathname);
    // AbortSignal.timeout takes whole numbers alone.
    const timeoutMs = Math.ceil(Math.min(paid ? generateMs : queryMs, longestDelayMs));
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const key = await readKey(apiKey, signal);
      const outgoing = await outgoingOf(request, paid, keyHeaders(key, request.url));
      return (await transport(outgoing, { paid, signal })).response();
    } catch (error) {
      throw signal.aborted ? signal.reason : withoutBytes(error);
    }
  };
  const client = createFetchClient<paths>({ baseUrl, fetch, headers });
  // openapi-fetch tells a serializer neither path nor media type, so the path chooses it. The casts: these pass through, and their
  // types are those of the client that is returned.
  const init = (path: string, given: Init = {}) => {
    if (isEncoded(given.body)) return { bodySerializer: asItIs, ...given, headers: withoutType(given.headers) };
    return formUrls.has(baseUrl + path) ? { bodySerializer: toForm, ...given } : given;
  };
  return {
    ...client,
    POST: (path: string, given?: Init) => client.POST(path as never, init(path, given) as never),
    request: (method: string, path: string, given?: Init) =>
      client.request(method as never, path as never, init(path, given) as never),
  } as HttpClient;
}

/** What is read of the options of a call. */
interface Init {
  readonly body?: unknown;
  readonly headers?: object;
}

function toForm(fields: WireFields | FormData): FormData {
  return fields instanceof FormData ? fields : toFormData(fields);
}

/** Whether a body is bytes already. FormData is not: openapi-fetch knows what it is. */
function isEncoded(body: unknown): boolean {
  return (
    body instanceof Blob || body instanceof URLSearchParams || body instanceof ArrayBuffer || ArrayBuffer.isView(body)
  );
}

function asItIs(body: unknown): unknown {
  return body;
}

/** Headers that let an encoded body name its own type; openapi-fetch would call it JSON. */
function withoutType(headers: object | undefined): object {
  return { "content-type": null, ...(headers instanceof Headers ? Object.fromEntries(headers) : headers) };
}

async function outgoingOf(
  request: Request,
  isForm: boolean,
  keyed: Readonly<Record<string, string>>,
): Promise<OutgoingRequest> {
  const headers = Object.fromEntries(request.headers);
  const body = await request.blob();
  // Bytes have no type, and `new Request(request, { headers })` in a middleware leaves it out. Without it no server reads the body.
  const type = headers["content-type"] ?? (isForm ? await formTypeOf(body) : "application/json");
  return { url: request.url, headers: { ...headers, ...(type && { "content-type": type }), ...keyed }, body };
}

/** Returns the media type of an encoded form, which begins with its boundary. */
async function formTypeOf(body: Blob): Promise<string | undefined> {
  const [, boundary] = /^--([\w'+.-]{1,70})\r\n/.exec(await body.slice(0, 74).text()) ?? [];
  return boundary && `multipart/form-data; boundary=${boundary}`;
}
