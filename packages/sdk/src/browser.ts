import { InvalidRequestError } from "./errors.ts";

/** Refuses browsers, unless the caller has said that this is meant. */
export function refuseBrowser(allowed: boolean): void {
  if (allowed || !isBrowser()) return;
  const issue = {
    field: "allowBrowser",
    got: "a client in a browser",
    allowed:
      "a client on a server. In a page the key is everyone's, and a browser sends a request again by itself when its answer is lost: " +
      "a generation may be paid twice. allowBrowser: true takes that risk, best without a key and with a baseUrl of a server of yours",
  };
  throw new InvalidRequestError("createMediaGen: there is no client", [issue]);
}

/** A page, or a browser's worker, which has no page; the workers of Node, Deno and others call themselves otherwise. */
function isBrowser(): boolean {
  const { window, navigator } = globalThis as { readonly window?: { readonly document?: unknown }; readonly navigator?: { readonly userAgent?: string } };
  return window?.document !== undefined || /^Mozilla\//.test(navigator?.userAgent ?? "");
}
