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
  const { baseUrl, apiKey } = readAccess("createHttpClient", options);
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
      const outgoing = await outgoingOf(request, keyHeaders(key, request.url));
      return (await transport(outgoing, { paid, signal })).response();
    } catch (error) {
      throw signal.aborted ? signal.reason : withoutBytes(error);
    }
  };
  const client = createFetchClient<paths>({ baseUrl, fetch });
  // openapi-fetch tells a serializer neither path nor media type, so the path chooses it. The casts: these pass through, and their
  // types are those of the client that is returned.
  const init = (path: string, given: object) => (formUrls.has(baseUrl + path) ? { bodySerializer, ...given } : given);
  return {
    ...client,
    POST: (path: string, given: object) => client.POST(path as never, init(path, given) as never),
    request: (method: string, path: string, given: object) =>
      client.request(method as never, path as never, init(path, given) as never),
  } as HttpClient;
}

function bodySerializer(fields: WireFields | FormData): FormData {
  return fields instanceof FormData ? fields : toFormData(fields);
}

async function outgoingOf(request: Request, keyed: Readonly<Record<string, string>>): Promise<OutgoingRequest> {
  return {
    url: request.url,
    headers: { ...Object.fromEntries(request.headers), ...keyed },
    body: await request.blob(),
  };
}
