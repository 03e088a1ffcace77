import dns from "node:dns";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { messageOf } from "../errors/errors.ts";
import type { ResultGet, ResultResponse } from "../result/context.ts";
import { privateNetwork, UnusableUrl } from "../result/unusable-url.ts";
import { orAbort } from "../time/deadline.ts";
import { isPrivateAddress } from "../transport/address.ts";
import type { ConnectOptions, Lookup, LookupAddress } from "./connect-options.ts";
import { Connections, hostOf, listing } from "./connections.ts";
import { decode } from "./decode.ts";
import { loadHttpModules, moduleFor } from "./http-modules.ts";
import { proxyFor } from "./http-proxy.ts";

/**
 * Creates the function that gets results with node:http. A host name is checked when it is resolved for the connection itself: a name
 * that resolves to a public address in an earlier check may resolve to this machine in the next. A proxy resolves names by itself. The
 * hosts of source images, which users may pass, are therefore resolved here first, and must not be private.
 *
 * @param home the origin of the service, if a client gets results
 */
export async function nodeGet(options: ConnectOptions, home?: string): Promise<ResultGet> {
  const modules = await loadHttpModules();
  const connections = new Connections(modules, options);
  return async (url, { headers, signal, allowPrivate }) => {
    const lookup = allowPrivate ? options.lookup : lookUpPublic(url, options.lookup);
    if (!allowPrivate && home === undefined && proxyFor(url, options.proxy, process.env))
      await rejectPrivate(url, lookup, signal);
    const connection = await connections.forResult(url, home, lookup);
    return new Promise((resolve, reject) => {
      moduleFor(url, modules)
        .request(url, { headers, signal, ...connection }, (message) => {
          try {
            resolve(responseOf(message, url));
          } catch (error) {
            message.destroy();
            reject(error);
          }
        })
        .on("error", reject)
        // After a response this does nothing. Without one, as when the server switches protocols, there is no other event.
        .once("close", () => reject(new Error("the connection closed without a response")))
        .end();
    });
  };
}

/** The maximum wait for the addresses of a host that a proxy connects to: some machines behind one resolve none, and fail slowly. */
const lookUpMs = 2_000;

/** Rejects a URL whose host this machine resolves to an address that is not public. */
async function rejectPrivate(url: URL, lookup: Lookup | undefined, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const resolved = new Promise<void>((resolve, reject) => {
    timer = setTimeout(resolve, lookUpMs);
    (lookup ?? dns.lookup)(hostOf(url), { all: true }, (error) =>
      error instanceof UnusableUrl ? reject(error) : resolve(),
    );
  });
  await orAbort(resolved, signal).finally(() => clearTimeout(timer));
}

/** Returns the used part of a response. For a `Response`, Node would load its fetch, which takes longer than a small result. */
function responseOf(message: IncomingMessage, url: URL): ResultResponse {
  const { statusCode = 0, headers } = message;
  // fetch accepts no other status.
  if (statusCode < 200 || statusCode > 599) throw new Error(`${statusCode} is not an HTTP status`);
  const isEmpty = [204, 205, 304].includes(statusCode);
  if (isEmpty) message.resume();
  // The cast: the DOM's and Node's types of the same stream class differ.
  const body = isEmpty ? null : (Readable.toWeb(bodyOf(message, url)) as ReadableStream);
  return { status: statusCode, headers: { get: (name) => headers[name]?.toString() ?? null }, body };
}

function bodyOf(message: IncomingMessage, url: URL): Readable {
  // A part of a compressed body begins in the middle of it. The caller that requested the part sees the encoding.
  if (message.statusCode === 206) return message;
  try {
    return decode(message);
  } catch (error) {
    throw new UnusableUrl(url.href, `cannot be read: ${messageOf(error)}`);
  }
}

function lookUpPublic(url: URL, given: Lookup | undefined): Lookup {
  return (hostname, options, callback) =>
    listing(given ?? dns.lookup)(hostname, { ...options, all: true }, (error, found) => {
      // The cast: a list was requested.
      const addresses = (found ?? []) as LookupAddress[];
      const [first] = addresses;
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => isPrivateAddress(address)))
        return callback(new UnusableUrl(url.href, privateNetwork), "");
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}
