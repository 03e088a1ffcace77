import createFetchClient, { type Client } from "openapi-fetch";
import { type Fetch, postInit, toWebResponse } from "./call/fetch.ts";
import { ignoredWithKey, keyHeaders } from "./call/headers.ts";
import { type ClientOptions, clientOptions } from "./client/options.ts";
import { readAccess } from "./client/settings.ts";
import { type OptionTypes, readOptions } from "./errors/options.ts";
import { encodeForm, invalidField } from "./form/multipart.ts";
import { operations } from "./spec/operations.gen.ts";
import type { paths } from "./spec/paths.gen.ts";

export type { paths } from "./spec/paths.gen.ts";

/**
 * The client of openapi-fetch, typed by the service's description, whose operations are all POST.
 */
export type HttpClient = Pick<Client<paths>, "POST" | "use" | "eject">;

/** Options of `createHttpClient`. */
export type HttpClientOptions = Omit<
  ClientOptions,
  "fetchSendsOnce" | "queryTimeoutMs" | "generateTimeoutMs"
>;

const { apiKey, baseUrl, headers, allowHttp, allowBrowser, fetch } = clientOptions;
const ofHttp: OptionTypes<HttpClientOptions> = {
  apiKey,
  baseUrl,
  headers,
  allowHttp,
  allowBrowser,
  fetch,
};
const subject = "createHttpClient";
const forms = Object.values(operations).flatMap(({ generate }) =>
  Object.values(generate).map(({ path }) => path),
);

/**
 * Creates the low-level client: openapi-fetch on the runtime's fetch, typed by the service's
 * description. It adds the API key and sends forms as multipart, from memory. It has no store,
 * checks no bounds, opens no envelope and retries nothing. After a lost response, a generation may
 * have been billed. Its only timeout is the `signal` of a call.
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
    // A middleware or the options of a call may name another URL: neither the key nor a paid form
    // goes there.
    if (!request.url.startsWith(`${baseUrl}/`))
      throw invalidField(subject, "url", "is elsewhere", `Use ${baseUrl}.`);
    // Without it, the parts of a form cannot be read. A middleware may have dropped it.
    if (!request.headers.has("content-type"))
      throw invalidField(subject, "headers.content-type", "is missing");
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    request.signal.throwIfAborted();
    for (const [name, use] of key === undefined ? [] : ignoredWithKey)
      if (request.headers.has(name))
        throw invalidField(subject, `headers.${name}`, "would be ignored", `Use ${use}.`);
    const all = { ...Object.fromEntries(request.headers), ...keyHeaders(key, subject) };
    const send: Fetch = given.fetch ?? globalThis.fetch;
    const init = postInit(all, await request.blob(), request.signal);
    return send(request.url, init).then(toWebResponse, (error: unknown) => {
      // Undici's parser attaches what it could not read. An echo of the request contains the key.
      // The cast: any value can be thrown.
      Reflect.deleteProperty(Object((error as Error | undefined)?.cause) as object, "data");
      throw error;
    });
  };
  const { POST, use, eject } = createFetchClient<paths>({ baseUrl, fetch, headers });
  const post = async (path: string, init: { readonly body?: unknown } = {}) => {
    if (!forms.includes(path)) return POST(path as never, init as never);
    const body = await encodeForm(subject, init.body);
    // A type of the caller's own would have no boundary.
    const params = { header: { "content-type": body.type } };
    return POST(
      path as never,
      { ...init, body, params, bodySerializer: (form: Blob) => form } as never,
    );
  };
  // The casts: what passes through has the types of the client that is returned.
  return { POST: post, use, eject } as HttpClient;
}
