import type { Agent } from "node:http";
import { invalidRequest } from "../errors/errors.ts";
import { isLoopback } from "../call/transport.ts";
import type { ClientOptions } from "../client/options.ts";

/** Options for the connections of `@mediagen/sdk/node`. */
export interface ConnectOptions {
  /**
   * The agent for every request to the service and for every result: for a proxy, your own
   * certificate authorities, or a client certificate. One of `node:https`, or of a package such as
   * `proxy-agent`.
   * @default connections of the SDK, through the proxy that the environment names
   */
  readonly agent?: Agent | undefined;
}

/**
 * Returns whether requests go through node:http. Bun and Deno only imitate it, so their own fetch
 * is used.
 */
export function usesNodeHttp({ fetch }: Pick<ClientOptions, "fetch">): boolean {
  return !fetch && !("Deno" in globalThis) && !("bun" in process.versions);
}

/**
 * Rejects an agent that would have no effect, and a proxy of the environment for the base URL that
 * cannot be used.
 */
export function checkConnectOptions(
  { agent }: ConnectOptions,
  origin: string,
  isNodeHttp: boolean,
): void {
  if (agent === undefined) return void (isNodeHttp && environmentProxy(new URL(origin)));
  // The cast: Node calls this method, which its types leave out.
  const isAgent =
    typeof (agent as { readonly addRequest?: unknown } | null)?.addRequest === "function";
  if (isNodeHttp && isAgent) return;
  // The value is not shown: it may be the URL of a proxy, with a password.
  const problem = isAgent
    ? "has no effect with your own fetch, on Bun and on Deno, where fetch opens the connections"
    : "is not an agent of node:http or node:https";
  const advice = isAgent
    ? "Use an option of your fetch function."
    : "Use one such as new https.Agent().";
  throw invalidRequest("createMediaGen", "agent", "invalid", problem, advice);
}

/**
 * Returns the environment's proxy for a URL: none for this machine, which is seldom meant. Rejects
 * one that Node cannot use.
 */
export function environmentProxy(url: URL): string | undefined {
  const namedBy = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"].find(
    read,
  );
  if (namedBy === undefined || isLoopback(url) || isExcluded(url, read("NO_PROXY") ?? ""))
    return undefined;
  const text = read(namedBy) ?? "";
  // As curl reads it: without a scheme it is an http proxy.
  const href = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (isUsable(href)) return new URL(href).href;
  const problem = "names a proxy that this version of Node cannot use by itself";
  const advice = `Use { agent: new ProxyAgent() } from the package proxy-agent, an http or https proxy on Node 24, or NO_PROXY for ${url.hostname}.`;
  throw invalidRequest("createMediaGen", namedBy, "invalid", problem, advice);
}

const read = (name: string) => process.env[name.toLowerCase()] || process.env[name] || undefined;

/** Returns whether Node's agents have the option `proxyEnv`, and can use this URL in it. */
function isUsable(href: string): boolean {
  // In a longer URL, a password was not percent-encoded.
  const isWhole = /^https?:\/\/[^/?#]+\/?$/i.test(href) && !/%(?![\da-f]{2})/i.test(href);
  return (
    isWhole && URL.canParse(href) && process.allowedNodeEnvironmentFlags.has("--use-env-proxy")
  );
}

/** Returns whether a NO_PROXY list contains `*`, the URL's host or a domain above it. */
function isExcluded({ hostname }: URL, list: string): boolean {
  const host = hostIn(hostname);
  const excluded = list.split(/[\s,]+/).map(hostIn);
  return excluded.some((domain) => domain === "*" || (domain && `.${host}`.endsWith(`.${domain}`)));
}

/**
 * Returns the host in an entry of NO_PROXY, such as `.example.com`, `example.com.:443`, `::1` or
 * `[::1]:443`. Ports do not count.
 */
function hostIn(entry: string): string {
  const text = entry.toLowerCase().replace(/^\*?\./, "");
  const [, inBrackets] = /^\[(.*)\](?::\d+)?$/.exec(text) ?? [];
  // A text with more colons than one is an IPv6 address.
  return inBrackets ?? text.replace(/^([^:]*):\d+$/, "$1").replace(/\.$/, "");
}
