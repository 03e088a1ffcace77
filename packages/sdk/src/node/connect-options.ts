import { readOptions } from "../errors/read-options.ts";
import { invalidRequest } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";

/** Options for the connections of `@mediagen/sdk/node`. */
export interface ConnectOptions {
  /**
   * The timeout for establishing a connection, including proxy and TLS, in milliseconds. Nothing has been sent by then.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The proxy for the service and for results: an http or https URL, with `user:password@` if the proxy requires it.
   * Hosts in NO_PROXY are reached directly. `false` ignores the proxies of the environment.
   * @default HTTPS_PROXY, HTTP_PROXY or ALL_PROXY of the environment, except for this machine
   */
  readonly proxy?: string | URL | false | undefined;
  /** Your own certificate authorities, and a client certificate. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The function that resolves host names, called as Node's `dns.lookup`. A proxy resolves the names of other hosts
   * itself.
   * @default dns.lookup
   */
  readonly lookup?: Lookup | undefined;
}

/** Certificates and keys, each as Node's `tls.createSecureContext` takes it. */
export interface TlsOptions {
  /**
   * Certificate authorities that are trusted in addition to those of Node: for the service, for results and for an
   * https proxy.
   */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** The client certificate. Only the origin of the base URL receives it. */
  readonly cert?: Pem | undefined;
  /** The private key of `cert`. */
  readonly key?: Pem | undefined;
  /** The client certificate and its key in one file (PKCS #12), instead of `cert` and `key`. */
  readonly pfx?: Uint8Array | undefined;
  /** The passphrase of `key` or `pfx`. */
  readonly passphrase?: string | undefined;
}

/** A certificate or key in PEM. */
export type Pem = string | Uint8Array;

/** A function like Node's `dns.lookup`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** The second argument of a lookup. */
export interface LookupOptions {
  /** The address family: 4, 6, or 0 for both. */
  readonly family?: number | "IPv4" | "IPv6" | undefined;
  /** The flags of `getaddrinfo`. */
  readonly hints?: number | undefined;
  /** Whether all addresses are requested, as a list. */
  readonly all?: boolean | undefined;
}

/** An address that a lookup has found. */
export interface LookupAddress {
  /** The IP address. */
  address: string;
  /** The address family: 4 or 6. */
  family: number;
}

const proxyUrls =
  "the URL of an http or https proxy, such as http://proxy.example:3128. SOCKS and PAC files are not supported";
const ofTls: Readonly<Record<keyof TlsOptions, true>> = {
  ca: true,
  cert: true,
  key: true,
  pfx: true,
  passphrase: true,
};

/**
 * Checks the options that only connections on node:http have.
 *
 * @throws An {@link InvalidRequestError} if one is not valid, or there will be no such connection
 */
export function checkConnectOptions(subject: string, options: ConnectOptions, isUsed: boolean): void {
  const { proxy, tls, lookup } = options;
  for (const [name, value] of Object.entries({ proxy, tls, lookup })) {
    if (isUsed || value === undefined) continue;
    const problem = "has no effect with your own fetch, on Bun and on Deno, where fetch opens the connections";
    const expected = "the fetch function's own option for it";
    throw invalidRequest(subject, name, "notAllowed", "a value (not shown)", expected, undefined, { problem });
  }
  // The rest of it is checked when it is read, as that of the environment is.
  if (proxy !== undefined && proxy !== false && !/^https?:\/\//i.test(String(proxy)))
    throw invalidRequest(subject, "proxy", "wrongFormat", "an invalid value (not shown)", proxyUrls);
  if (lookup !== undefined && typeof lookup !== "function")
    throw invalidRequest(subject, "lookup", "wrongType", describeValue(lookup), "a function such as dns.lookup");
  if (tls !== undefined) checkTls(subject, tls);
}

function checkTls(subject: string, tls: TlsOptions): void {
  if (typeof tls !== "object" || tls === null)
    throw invalidRequest(subject, "tls", "wrongType", "a value (not shown)", "one such as { ca }", undefined, {
      problem: "is not an object",
    });
  readOptions(subject, tls, Object.keys(ofTls), undefined, "tls");
  const reject = (name: keyof TlsOptions, expected: string) =>
    invalidRequest(subject, `tls.${name}`, "wrongFormat", "an invalid value (not shown)", expected);
  if (tls.pfx !== undefined && !((tls.pfx as unknown) instanceof Uint8Array))
    throw reject("pfx", "the bytes of a PKCS #12 file, not its path");
  if (tls.passphrase !== undefined && typeof tls.passphrase !== "string") throw reject("passphrase", "text");
  for (const name of ["ca", "cert", "key"] as const)
    for (const pem of [tls[name] ?? []].flat() as readonly unknown[]) {
      const isBytes = pem instanceof Uint8Array;
      if ((typeof pem === "string" || isBytes) && (isBytes ? Buffer.from(pem) : pem).includes("-----BEGIN ")) continue;
      throw reject(name, "the contents of a PEM file, which begins with -----BEGIN, not its path");
    }
}
