import createFetchClient, { type Client } from "openapi-fetch";
import { keyHeaders, readKey } from "../call/api-key.ts";
import { ignoredWithKey } from "../call/headers.ts";
import { type InvalidRequestError, invalidRequest } from "../errors/errors.ts";
import { readOptions } from "../errors/read-options.ts";
import { describeValue, type IssueCode, nothingWasSent } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import { toFormData } from "../form/parts.ts";
import { isObject } from "../spec/is-object.ts";
import { operations } from "../spec/operations.gen.ts";
import type { paths } from "../spec/paths.gen.ts";
import { longestDelayMs } from "../time/clock.ts";
import { orAbort } from "../time/deadline.ts";
import { type OutgoingRequest, type Transport, withoutBytes } from "../transport/transport.ts";
import { clientOptionNames } from "./option-names.ts";
import type { ClientOptions } from "./options.ts";
import { readAccess, readTimeouts } from "./settings.ts";

/** The client of openapi-fetch, typed by the service's description. */
export type HttpClient = Client<paths>;

/** Creates the openapi-fetch client on a transport: it adds the key and sends forms as multipart, but opens no envelope. */
export function createHttpClientOn<O extends ClientOptions>(
  given: O,
  createTransport: (options: O) => Transport,
): HttpClient {
  const options = readOptions("createHttpClient", given, clientOptionNames);
  const { baseUrl, apiKey, headers } = readAccess("createHttpClient", options);
  const { queryMs, generateMs } = readTimeouts(options);
  const transport = createTransport(options);
  const formUrls = new Set(
    Object.values(operations).flatMap(({ generate }) => Object.values(generate).map(({ path }) => baseUrl + path)),
  );
  const home = new URL(baseUrl).origin;
  const fetch = async (request: Request): Promise<Response> => {
    const { origin, pathname } = new URL(request.url);
    // A middleware or the options of a call may name another: neither the key nor a paid form goes there.
    if (origin !== home)
      throw reject(
        "url",
        "notAllowed",
        origin,
        `a URL at ${home}, or a client for the other service`,
        `is at ${origin}`,
      );
    if (request.method !== "POST") throw reject("method", "notAllowed", request.method, "POST", `is ${request.method}`);
    const paid = formUrls.has(origin + pathname);
    // AbortSignal.timeout takes whole numbers alone.
    const timeoutMs = Math.ceil(Math.min(paid ? generateMs : queryMs, longestDelayMs));
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const key = await readKey(apiKey, signal);
      for (const [name, instead] of key === undefined ? [] : ignoredWithKey)
        if (request.headers.has(name))
          throw reject(`headers.${name}`, "notAllowed", "a value (not shown)", instead, "would be ignored");
      const outgoing = await outgoingOf(request, paid, signal, keyHeaders(key, request.url, "createHttpClient"));
      return (await transport(outgoing, { paid, signal })).response();
    } catch (error) {
      throw signal.aborted ? signal.reason : withoutBytes(error);
    }
  };
  const client = createFetchClient<paths>({ baseUrl, fetch, headers });
  // openapi-fetch tells a serializer neither path nor media type, so the path chooses it. The casts: these pass through, and their
  // types are those of the client that is returned.
  const init = async (path: string, given: Init = {}) => {
    const { body } = given;
    if (isEncoded(body))
      return { bodySerializer: asItIs, ...given, body: await inMemory(body), headers: withoutType(given.headers) };
    if (!formUrls.has(baseUrl + path)) return given;
    return { bodySerializer: toForm, ...given, body: await inMemory(checkForm(body)) };
  };
  return {
    ...client,
    POST: async (path: string, given?: Init) => client.POST(path as never, (await init(path, given)) as never),
    request: async (method: string, path: string, given?: Init) =>
      client.request(method as never, path as never, (await init(path, given)) as never),
  } as HttpClient;
}

function reject(
  field: string,
  code: IssueCode,
  received: string,
  expected: string,
  problem?: string,
): InvalidRequestError {
  return invalidRequest("createHttpClient", field, code, received, expected, nothingWasSent, { problem });
}

/** The options of a call that are read. */
interface Init {
  readonly body?: unknown;
  readonly headers?: object;
}

function toForm(fields: WireFields | FormData): FormData {
  return fields instanceof FormData ? fields : toFormData(fields);
}

/** Rejects a form that would be encoded without some of its values, and be billed all the same. */
function checkForm(body: unknown): unknown {
  if (body instanceof FormData) return body;
  // A Map, a stream or another FormData has no fields of its own.
  if (!isObject(body) || Symbol.iterator in body || Symbol.asyncIterator in body)
    throw reject("body", "wrongType", describeValue(body), "an object of fields, or the FormData of this runtime");
  for (const [field, value] of Object.entries(body))
    for (const one of [value].flat() as unknown[])
      if (!(one instanceof Blob) && typeof one === "object" && one !== null)
        throw reject(field, "wrongType", describeValue(one), "text, a number, a boolean or a Blob, or a list of them");
  return body;
}

/**
 * Returns a body whose files are in memory. Node 24 ends the process if a file on disk has changed when a Request reads it, and
 * openapi-fetch makes a Request of a body.
 */
async function inMemory(value: unknown): Promise<unknown> {
  if (value instanceof File) return new File([await value.arrayBuffer()], value.name, { type: value.type });
  if (value instanceof Blob) return new Blob([await value.arrayBuffer()], { type: value.type });
  if (Array.isArray(value)) return Promise.all(value.map(inMemory));
  if (value instanceof FormData) {
    const form = new FormData();
    // The cast: a text stays one.
    for (const [name, one] of value) form.append(name, (await inMemory(one)) as Blob);
    return form;
  }
  if (typeof value !== "object" || value === null || isEncoded(value)) return value;
  const fields = Object.entries(value).map(async ([name, one]) => [name, await inMemory(one)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

/** Returns whether a body is bytes already. FormData is not: openapi-fetch handles it. */
function isEncoded(body: unknown): boolean {
  return (
    body instanceof Blob || body instanceof URLSearchParams || body instanceof ArrayBuffer || ArrayBuffer.isView(body)
  );
}

function asItIs(body: unknown): unknown {
  return body;
}

/** Returns headers that keep the type of an encoded body, which openapi-fetch would set to JSON. */
function withoutType(headers: object | undefined): object {
  return { "content-type": null, ...(headers instanceof Headers ? Object.fromEntries(headers) : headers) };
}

async function outgoingOf(
  request: Request,
  isForm: boolean,
  signal: AbortSignal,
  keyed: Readonly<Record<string, string>>,
): Promise<OutgoingRequest> {
  const headers = Object.fromEntries(request.headers);
  const body = await orAbort(request.blob(), signal);
  // Bytes have no type, and `new Request(request, { headers })` in a middleware leaves it out. Without it no server reads the body.
  const type = headers["content-type"] ?? (isForm ? await formTypeOf(body) : "application/json");
  return { url: request.url, headers: { ...headers, ...(type && { "content-type": type }), ...keyed }, body };
}

/** Returns the media type of an encoded form, which begins with its boundary. */
async function formTypeOf(body: Blob): Promise<string | undefined> {
  const [, boundary] = /^--([\w'+.-]{1,70})\r\n/.exec(await body.slice(0, 74).text()) ?? [];
  return boundary && `multipart/form-data; boundary=${boundary}`;
}
