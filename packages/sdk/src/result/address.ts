import { isLoopback } from "../call/transport.ts";

/** IPv4 networks that are not on the public internet (IANA's registry of special-purpose addresses), by how an address begins. */
const private4 = [
  /^(0|10|127|169\.254|203\.0\.113)\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./, // 100.64.0.0/10
  /^172\.(1[6-9]|2\d|3[01])\./, // 172.16.0.0/12
  /^192\.(0\.0|0\.2|168)\./,
  /^198\.(18|19|51\.100)\./,
  /^2(2[4-9]|[345]\d)\./, // 224.0.0.0/3
];
const public6 = /^\[[23][\da-f]{3}:/;
/** What is not public in it: protocols such as Teredo (2001::/23), documentation (2001:db8::/32, 3fff::/20), and IPv4 in 6to4. */
const private6 = /^\[(2001:(1?[\da-f]{0,2}|db8)|2002|3fff:[\da-f]{0,3}):/;
/** IPv6 networks whose last 32 bits are an IPv4 address: IPv4-mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96). */
const embedding = /^\[(?:::ffff:|64:ff9b::)([\da-f]+):([\da-f]+)\]$/;

/** Returns whether a URL's host is this machine or in a private network. Names are not resolved. */
export function isPrivate(url: URL): boolean {
  const [, high = "", low = ""] = embedding.exec(url.hostname) ?? [];
  const embedded = [high, low].map((group) => Number.parseInt(group, 16)).flatMap((bits) => [bits >> 8, bits & 255]);
  const host = high === "" ? url.hostname : embedded.join(".");
  if (host.startsWith("[")) return !public6.test(host) || private6.test(host);
  return isLoopback(url) || (/^[\d.]+$/.test(host) && private4.some((network) => network.test(host)));
}

export function isPrivateAddress(address: string): boolean {
  // A zone, such as %eth0, is not part of the address. A URL has the only spelling that is read here.
  const [host] = address.split("%");
  return isPrivate(new URL(`http://${address.includes(":") ? `[${host}]` : host}`));
}
