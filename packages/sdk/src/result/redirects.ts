import { ServiceError } from "../errors/errors.ts";
import { isPrivate } from "../transport/address.ts";
import type { ResultGet, ResultRequest } from "./context.ts";

const maxRedirects = 3;

/** Gets a result and follows its redirects. Each URL is checked before it is requested. */
export async function followRedirects(first: string, get: ResultGet, request: ResultRequest): Promise<Response> {
  let url = checkUrl(first, undefined, request.allowPrivate);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, request);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (redirects >= maxRedirects) throw unusableUrl(first, `redirects more than ${maxRedirects} times`);
    url = checkUrl(location, url, request.allowPrivate);
  }
}

function checkUrl(text: string, from: URL | undefined, allowPrivate: boolean): URL {
  if (!URL.canParse(text, from?.href)) throw unusableUrl(text, "is not an absolute URL");
  const url = new URL(text, from?.href);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw unusableUrl(text, "is neither http nor https");
  if (from?.protocol === "https:" && url.protocol === "http:") throw unusableUrl(text, "leads from https to http");
  if (!allowPrivate && isPrivate(url)) throw unusableUrl(text, privateNetwork);
  return url;
}

/** Why a URL with a private host is not requested, and how to allow it. */
export const privateNetwork =
  "leads to this machine or into a private network. Pass { allowPrivateHosts: true } if you trust the service's URLs";

/** Returns the error for a URL that must not be requested. As a `MediaGenError` it is not retried. */
export function unusableUrl(url: string, why: string): Error {
  return new ServiceError(`the result's URL ${JSON.stringify(url.slice(0, 200))} ${why}`, "download", {
    status: 0,
    text: "",
  });
}
