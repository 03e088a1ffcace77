import { InvalidRequestError } from "../errors/errors.ts";

/** Refuses browsers, unless the caller has said that this is meant. */
export function refuseBrowser(meant: boolean): void {
  if (meant || !isBrowser()) return;
  const allowed =
    "a server: in a page the key is everyone's, and browsers repeat a generation whose answer is lost: it is paid twice. allowBrowser: true takes the risk";
  const issue = { field: "allowBrowser", got: "a browser", allowed };
  throw new InvalidRequestError("createMediaGen: there is no client", [issue]);
}

/** A page, or a browser's worker, which has no page; the workers of Node, Deno and others call themselves otherwise. */
function isBrowser(): boolean {
  const { window, navigator } = globalThis as {
    readonly window?: { readonly document?: unknown };
    readonly navigator?: { readonly userAgent?: string };
  };
  return window?.document !== undefined || navigator?.userAgent?.startsWith("Mozilla/") === true;
}
