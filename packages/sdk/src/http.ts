import { createHttpClientOn, type HttpClient } from "./client/http-client.ts";
import { webRuntime } from "./client/runtime.ts";
import type { ClientOptions } from "./client/options.ts";

export type { HttpClient } from "./client/http-client.ts";
export type { ClientOptions } from "./client/options.ts";
export type { paths } from "./spec/paths.gen.ts";

/**
 * Creates the low-level client: openapi-fetch, typed by the service's description. It adds the API key and sends forms
 * as multipart. It opens no envelope, checks no field, and retries nothing. A body that is encoded already (Blob,
 * FormData, bytes, URLSearchParams) is sent unchanged.
 *
 * @returns The client of openapi-fetch.
 * @throws An `InvalidRequestError` if an option is not valid
 * @example
 * const http = createHttpClient({ baseUrl: "https://media.example", apiKey: "..." });
 * const { data } = await http.POST("/v1/video/infobytaskid", { body: { taskid: "..." } });
 */
export function createHttpClient(options: ClientOptions = {}): HttpClient {
  return createHttpClientOn(options, (given) => webRuntime(given).transport);
}
