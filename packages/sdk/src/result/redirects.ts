import { isPrivate } from "../call/address.ts";
import type { ResultGet, ResultRequest, ResultResponse } from "./context.ts";
import { privateNetwork, UnusableUrl } from "./unusable-url.ts";

const maxRedirects = 3;

/**
 * Requests a URL and follows its redirects. Each URL is checked before it is requested.
 *
 * @param explain Returns the error for a URL that must not be requested. As a `MediaGenError` it is not retried.
 */
export async function followRedirects(
  first: string,
  get: ResultGet,
  request: ResultRequest,
  explain: (unusable: UnusableUrl) => Error,
): Promise<ResultResponse> {
  try {
    return await follow(first, get, request);
  } catch (error) {
    throw error instanceof UnusableUrl ? explain(error) : error;
  }
}

async function follow(first: string, get: ResultGet, request: ResultRequest): Promise<ResultResponse> {
  let url = checkUrl(first, undefined, request.allowPrivate);
  for (let redirects = 0; ; redirects++) {
    const response = await get(url, request);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (redirects >= maxRedirects) throw new UnusableUrl(first, `redirects more than ${maxRedirects} times`);
    url = checkUrl(location, url, request.allowPrivate);
  }
}

function checkUrl(text: string, from: URL | undefined, allowPrivate: boolean): URL {
  if (!URL.canParse(text, from?.href)) throw new UnusableUrl(text, "is not an absolute URL");
  const url = new URL(text, from?.href);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new UnusableUrl(text, "is neither http nor https");
  if (from?.protocol === "https:" && url.protocol === "http:") throw new UnusableUrl(text, "leads from https to http");
  if (!allowPrivate && isPrivate(url)) throw new UnusableUrl(text, privateNetwork);
  return url;
}
