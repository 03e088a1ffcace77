import type { Hide } from "../call/hide-key.ts";
import { ServiceError } from "../errors/response-errors.ts";
import { shorten } from "../errors/issue.ts";
import { isPrivate } from "../transport/address.ts";
import type { ResultGet, ResultRequest, ResultResponse } from "./context.ts";

const maxRedirects = 3;

/** Gets a result and follows its redirects. Each URL is checked before it is requested, and shown without the key. */
export async function followRedirects(
  first: string,
  get: ResultGet,
  request: ResultRequest,
  hide: Hide,
): Promise<ResultResponse> {
  try {
    return await follow(first, get, request);
  } catch (error) {
    throw error instanceof UnusableUrl ? error.toServiceError(hide) : error;
  }
}

async function follow(first: string, get: ResultGet, request: ResultRequest): Promise<ResultResponse> {
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

/** A URL that must not be requested, before the key is hidden in it. */
class UnusableUrl extends Error {
  readonly #url: string;
  readonly #why: string;

  constructor(url: string, why: string) {
    super(why);
    this.#url = url;
    this.#why = why;
  }

  /** As a `MediaGenError` it is not retried. */
  toServiceError(hide: Hide): ServiceError {
    // Hidden first: half a key is no longer recognized.
    const shown = JSON.stringify(shorten(hide(this.#url)));
    return new ServiceError(`the result's URL ${shown} ${this.#why}`, "download", { status: 0, text: "" });
  }
}

/** Returns the error for a URL that must not be requested. */
export function unusableUrl(url: string, why: string): Error {
  return new UnusableUrl(url, why);
}
