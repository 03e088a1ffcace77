import dns from "node:dns";
import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import {
  isNotPublic,
  isPrivateAddress,
  type ResultGet,
  type ResultResponse,
  UnusableError,
} from "../result/get.ts";
import { type ConnectOptions, environmentProxy } from "./connect-options.ts";
import { agentFor, decode, exchange, targetOf } from "./connection.ts";

/**
 * Creates the function that gets results with node:http. A host name is checked when it is resolved
 * for the connection itself: a moment later, it may resolve to this machine. An agent or a proxy
 * may resolve names by itself, so they are resolved here first, too.
 */
export function nodeGet(options: ConnectOptions): ResultGet {
  return async (url, { headers, signal, allowPrivate }) => {
    const target = { ...targetOf(url), agent: agentFor(url, options), headers };
    if (!allowPrivate && (options.agent ?? environmentProxy(url))) await rejectPrivate(target.host);
    const receive = async (message: IncomingMessage): Promise<ResultResponse> => {
      const { statusCode: status = 0, headers } = message;
      // A part of a compressed body begins in the middle of it. The caller that requested the part
      // sees the encoding.
      const body = Readable.toWeb(status === 206 ? message : decode(message));
      // No Response, for which Node would load its fetch. The cast: the DOM's and Node's types of
      // the same stream class differ.
      return {
        status,
        headers: { get: (name) => headers[name]?.toString() ?? null },
        body: body as ReadableStream,
      };
    };
    const request = allowPrivate ? target : { ...target, lookup: lookUpPublic };
    return exchange(request, signal, async (sending) => void sending.end(), receive);
  };
}

/**
 * The maximum wait for the addresses of a host that a proxy connects to: some machines behind one
 * resolve none, and fail slowly.
 */
const lookUpMs = 2_000;

function rejectPrivate(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, lookUpMs).unref();
    lookUpPublic(host, { all: true }, (error) =>
      error instanceof UnusableError ? reject(error) : resolve(),
    );
  });
}

const lookUpPublic: LookupFunction = (hostname, options, callback) =>
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
    if (addresses.some(({ address }) => isPrivateAddress(address)))
      return callback(new UnusableError(isNotPublic), "");
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
