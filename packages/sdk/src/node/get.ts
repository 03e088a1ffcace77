import dns from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { isPrivateAddress } from "../result/address.ts";
import { privateHost, type ResultGet, type ResultResponse, UnusableError } from "../result/get.ts";
import { type ConnectOptions, environmentProxy } from "./connect-options.ts";
import { exchange, freshFor } from "./connection.ts";
import { decode } from "./decode.ts";

/**
 * Creates the function that gets results with node:http. A host name is checked when it is resolved for the connection itself: a name
 * that resolves to a public address in an earlier check may resolve to this machine in the next. An agent or a proxy may resolve names
 * by itself. So they are resolved here first, too, and must not be private.
 */
export function nodeGet(options: ConnectOptions): ResultGet {
  return async (url, { headers, signal, allowPrivate }) => {
    const lookup = allowPrivate ? undefined : lookUpPublic(url);
    if (lookup && (options.agent ?? environmentProxy(url))) await rejectPrivate(url, lookup);
    const request = { headers, signal, agent: freshFor(url, options), ...(lookup && { lookup }) };
    const send = (sending: ClientRequest) => sending.end();
    return exchange(url, request, send, async (message) => responseOf(message));
  };
}

/** Returns the used part of a response. For a `Response`, Node would load its fetch, which takes longer than a small result. */
function responseOf(message: IncomingMessage): ResultResponse {
  const { statusCode: status = 0, headers } = message;
  // A part of a compressed body begins in the middle of it. The caller that requested the part sees the encoding.
  const body = Readable.toWeb(status === 206 ? message : decode(message));
  // The cast: the DOM's and Node's types of the same stream class differ.
  return { status, headers: { get: (name) => headers[name]?.toString() ?? null }, body: body as ReadableStream };
}

/** The maximum wait for the addresses of a host that a proxy connects to: some machines behind one resolve none, and fail slowly. */
const lookUpMs = 2_000;

/** Rejects a URL whose host this machine resolves to an address that is not public. */
function rejectPrivate({ hostname }: URL, lookup: LookupFunction): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, lookUpMs).unref();
    const host = hostname.replace(/^\[|\]$/g, "");
    lookup(host, { all: true }, (error) => (error instanceof UnusableError ? reject(error) : resolve()));
  });
}

function lookUpPublic(url: URL): LookupFunction {
  return (hostname, options, callback) =>
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(privateHost(url.href), "");
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}
