import dns, { type LookupAddress } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { type ResultGet, unusable } from "../result/copy.ts";
import { isPrivateAddress } from "../transport/address.ts";
import { refuseProxy } from "./proxy.ts";

/**
 * Gets results by node:http. A name is looked at where it is looked up, for the connection itself: a name that is public
 * when it is checked may be this machine when it is called.
 */
export const nodeGet: ResultGet = (url, { headers, signal, allowPrivate }) =>
  new Promise((resolve, reject) => {
    refuseProxy(url, process.env);
    const { request } = url.protocol === "https:" ? https : http;
    // Without an agent: a connection that is kept was looked up for somebody else.
    const options = { headers, signal, agent: false, ...(allowPrivate ? {} : { lookup: lookUpPublic(url) }) };
    request(url, options, (message) => {
      const { statusCode = 0, headers: told } = message;
      const fail = (error: Error) => {
        message.destroy();
        reject(error);
      };
      if (told["content-encoding"] !== undefined && told["content-encoding"] !== "identity") {
        return fail(unusable(url.href, "answers compressed although it was not asked to"));
      }
      // A Response takes no other, and would end the process from in here.
      if (statusCode < 200 || statusCode > 599) return fail(new Error(`there is no HTTP status ${statusCode}`));
      const received = new Headers();
      for (const [name, value] of Object.entries(told)) if (value !== undefined) received.set(name, value.toString());
      const isEmpty = [204, 205, 304].includes(statusCode);
      // The cast: DOM's and Node's types of one and the same stream class differ.
      const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream);
      if (isEmpty) message.resume();
      resolve(new Response(body, { status: statusCode, headers: received }));
    })
      .on("error", reject)
      // After an answer this says nothing any more. Without one, as when the server switches protocols, it is all there is.
      .once("close", () => reject(new Error("the connection closed without an answer")))
      .end();
  });

function lookUpPublic(url: URL): LookupFunction {
  return (hostname, options, callback) =>
    dns.lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error(`${hostname} has no address`), "");
      if (addresses.some(({ address }) => isPrivateAddress(address))) {
        return callback(
          unusable(url.href, "leads to this machine or into a private network (allowPrivateHosts says otherwise)"),
          "",
        );
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}
