import dns from "node:dns";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Readable } from "node:stream";
import { messageOf } from "../errors/errors.ts";
import type { ResultGet } from "../result/context.ts";
import { privateNetwork, unusableUrl } from "../result/redirects.ts";
import { isPrivateAddress } from "../transport/address.ts";
import type { ConnectOptions, Lookup, LookupAddress } from "./connect-options.ts";
import { Connections } from "./connections.ts";
import { decode } from "./decode.ts";
import { loadHttpModules, moduleFor } from "./http-modules.ts";

/**
 * Creates what gets results with node:http. A host name is checked when it is resolved for the connection itself: a name that resolves to
 * a public address in an earlier check may resolve to this machine in the next. A proxy resolves names by itself, unchecked.
 *
 * @param home the origin of the service, if a client gets results
 */
export async function nodeGet(options: ConnectOptions, home?: string): Promise<ResultGet> {
  const modules = await loadHttpModules();
  const connections = new Connections(modules, options);
  return async (url, { headers, signal, allowPrivate }) => {
    const lookup = allowPrivate ? options.lookup : lookUpPublic(url, options.lookup);
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

function responseOf(message: IncomingMessage, url: URL): Response {
  const { statusCode = 0, headers } = message;
  // A Response accepts no other status.
  if (statusCode < 200 || statusCode > 599) throw new Error(`${statusCode} is not an HTTP status`);
  const received = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) received.set(name, value.toString());
  const isEmpty = [204, 205, 304].includes(statusCode);
  if (isEmpty) message.resume();
  // The cast: the DOM's and Node's types of the same stream class differ.
  const body = isEmpty ? null : (Readable.toWeb(bodyOf(message, url)) as ReadableStream);
  return new Response(body, { status: statusCode, headers: received });
}

function bodyOf(message: IncomingMessage, url: URL): Readable {
  // A part of what is compressed begins in the middle of it. Who asked for the part sees the encoding.
  if (message.statusCode === 206) return message;
  try {
    return decode(message);
  } catch (error) {
    throw unusableUrl(url.href, `cannot be read: ${messageOf(error)}`);
  }
}

function lookUpPublic(url: URL, given: Lookup | undefined): Lookup {
  return (hostname, options, callback) =>
    (given ?? dns.lookup)(hostname, { ...options, all: true }, (error, found: string | LookupAddress[] = []) => {
      // A lookup of the caller's may know of one address only.
      const addresses = typeof found === "string" ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => isPrivateAddress(address)))
        return callback(unusableUrl(url.href, privateNetwork), "");
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}
