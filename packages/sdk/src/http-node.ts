import { webRuntime } from "./client/runtime.ts";
import { createHttpClientOn, type HttpClient } from "./client/http-client.ts";
import type { ClientOptions } from "./client/options.ts";
import { lazyTransport, usesNodeHttp } from "./node/lazy-transport.ts";
import { checkConnectOptions, type ConnectOptions } from "./node/connect-options.ts";

export type { HttpClient } from "./client/http-client.ts";
export type { ClientOptions } from "./client/options.ts";
export type { ConnectOptions, Lookup, LookupAddress, LookupOptions, Pem, TlsOptions } from "./node/connect-options.ts";
export type { paths } from "./spec/paths.gen.ts";

/** Creates the low-level client, as `http.ts` does, on node:http. */
export function createHttpClient(options: ClientOptions & ConnectOptions = {}): HttpClient {
  const isNodeHttp = usesNodeHttp(options);
  checkConnectOptions("createHttpClient", options, isNodeHttp);
  return createHttpClientOn(isNodeHttp ? lazyTransport(options) : webRuntime(options).transport, options);
}
