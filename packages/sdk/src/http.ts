import createFetchClient, { type Client } from "openapi-fetch";
import { ignoredWithKey, keyHeaders } from "./call/headers.ts";
import { type ClientOptions, clientOptions } from "./client/options.ts";
import { readAccess } from "./client/settings.ts";
import { type OptionTypes, readOptions } from "./errors/options.ts";
import { invalidRequest } from "./errors/errors.ts";
import { type IssueCode, nothingWasSent } from "./errors/issue.ts";
import { encodeForm } from "./form/multipart.ts";
import { operations } from "./spec/operations.gen.ts";
import type { paths } from "./spec/paths.gen.ts";
import { type Fetch, postInit, toWebResponse } from "./call/fetch.ts";
import { orAbort } from "./time/deadline.ts";

export type { paths } from "./spec/paths.gen.ts";

/** The client of openapi-fetch, typed by the service's description. */
export type HttpClient = Client<paths>;

/** Options of `createHttpClient`. */
export type HttpClientOptions = Pick<
  ClientOptions,
  "apiKey" | "baseUrl" | "headers" | "allowHttp" | "allowBrowser" | "fetch"
>;

const { apiKey, baseUrl, headers, allowHttp, allowBrowser, fetch } = clientOptions;
const ofHttp: OptionTypes<HttpClientOptions> = { apiKey, baseUrl, headers, allowHttp, allowBrowser, fetch };

const subject = "createHttpClient";
const invalid = (field: string, code: IssueCode, problem: string, advice?: string) =>
  invalidRequest(subject, field, code, problem, advice, nothingWasSent);

/**
 * Creates the low-level client: openapi-fetch on the runtime's fetch, typed by the service's description. It adds the API key
 * and sends forms as multipart, from memory. It has no store and no evidence: it checks no bounds, opens no envelope and retries
 * nothing. After a lost response, a generation may have been billed. Its only timeout is the `signal` of a call.
 *
 * @returns The client of openapi-fetch.
 * @throws An `InvalidRequestError` if an option is not valid
 * @example
 * const http = createHttpClient({ baseUrl: "https://media.example", apiKey: "..." });
 * const { data } = await http.POST("/v1/video/infobytaskid", { body: { taskid: "..." } });
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const given = readOptions(subject, options, ofHttp);
  const { baseUrl, apiKey, headers } = readAccess(subject, given, "apiKey" in options);
  const fetch = async (request: Request): Promise<Response> => {
    // A middleware or the options of a call may name another: neither the key nor a paid form goes there.
    const [{ origin }, home] = [new URL(request.url), new URL(baseUrl).origin];
    if (origin !== home) throw invalid("url", "notAllowed", `is at ${origin}`, `Use a URL at ${home}.`);
    if (request.method !== "POST") throw invalid("method", "notAllowed", `is ${request.method}`, "Use POST.");
    // Without it, the parts of a form cannot be read. A middleware may have dropped it.
    if (!request.headers.has("content-type")) throw invalid("headers.content-type", "missing", "is missing");
    const key = typeof apiKey === "function" ? await orAbort(apiKey(), request.signal) : apiKey;
    for (const [name, instead] of key === undefined ? [] : ignoredWithKey)
      if (request.headers.has(name))
        throw invalid(`headers.${name}`, "notAllowed", "would be ignored", `Use ${instead}.`);
    const all = { ...Object.fromEntries(request.headers), ...keyHeaders(key, subject) };
    const init = postInit(all, await request.blob(), request.signal);
    const send: Fetch = given.fetch ?? globalThis.fetch;
    return send(request.url, init).then(toWebResponse, (error: unknown) => {
      const { cause } = Object(error) as { readonly cause?: unknown };
      // Undici's parser attaches what it could not read. An echo of the request contains the key.
      if (cause instanceof Error && cause.name === "HTTPParserError") Reflect.deleteProperty(cause, "data");
      throw error;
    });
  };
  const client = createFetchClient<paths>({ baseUrl, fetch, headers });
  const forms = Object.values(operations).flatMap(({ generate }) => Object.values(generate).map(({ path }) => path));
  const encoded = async (path: string, init: { readonly body?: unknown; readonly headers?: HeadersInit } = {}) => {
    if (!forms.includes(path)) return init;
    const body = await encodeForm(subject, init.body);
    const typed = { ...Object.fromEntries(new Headers(init.headers)), "content-type": body.type };
    return { ...init, body, bodySerializer: (blob: unknown) => blob, headers: typed };
  };
  // The casts: what passes through has the types of the client that is returned.
  return {
    ...client,
    POST: async (path: string, init?: object) => client.POST(path as never, (await encoded(path, init)) as never),
    request: async (method: string, path: string, init?: object) =>
      client.request(method as never, path as never, (await encoded(path, init)) as never),
  } as HttpClient;
}
