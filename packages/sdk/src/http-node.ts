import { webRuntime } from "./client/runtime.ts";
import { createHttpClientOn, type HttpClient } from "./client/http-client.ts";
import type { ClientOptions } from "./client/options.ts";
import { lazyTransport, usesNodeHttp } from "./node/lazy-transport.ts";
import { checkConnectOptions, type ConnectOptions } from "./node/connect-options.ts";

export type { HttpClient } from "./client/http-client.ts";
export type { ClientOptions } from "./client/options.ts";
export type { ConnectOptions, Lookup, LookupAddress, LookupOptions, Pem, TlsOptions } from "./node/connect-options.ts";
export type { paths } from "./spec/paths.gen.ts";

/**
 * Creates the low-level client on node:http: openapi-fetch, typed by the service's description. It adds the API key and
 * sends forms as multipart. It opens no envelope, checks no field, and retries nothing. A body that is encoded already
 * (Blob, FormData, bytes, URLSearchParams) is sent unchanged.
 *
 * @returns The client of openapi-fetch.
 * @throws An `InvalidRequestError` if an option is not valid
 * @example
 * const http = createHttpClient({ baseUrl: "https://media.example", apiKey: "..." });
 * const { data } = await http.POST("/v1/video/infobytaskid", { body: { taskid: "..." } });
 */
export function createHttpClient(options: ClientOptions & ConnectOptions = {}): HttpClient {
  return createHttpClientOn(options, (given) => {
    const isNodeHttp = usesNodeHttp(given);
    checkConnectOptions("createHttpClient", given, isNodeHttp);
    return isNodeHttp ? lazyTransport(given) : webRuntime(given).transport;
  });
}
