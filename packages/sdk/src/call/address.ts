import { isLoopback } from "./transport.ts";

/** Returns whether a URL's host is this machine or in a private network. Names are not resolved. */
export function isPrivate(url: URL): boolean {
  return isLoopback(url) || isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ""));
}

/** IPv4 networks that are not on the public internet (IANA's registry of special-purpose addresses). */
const privateNetworks = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(network);

/** The public part of IPv6, and its non-public networks: protocols such as Teredo, documentation, and IPv4 in 6to4. */
const publicNetwork = network("2000::/3");
const privateInPublic = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map(network);
/** IPv6 networks whose last 32 bits are an IPv4 address: IPv4-mapped and NAT64. */
const embeddingNetworks = ["::ffff:0:0/96", "64:ff9b::/96"].map(network);

/** Returns whether an IP address is not public. Names are not private. */
export function isPrivateAddress(address: string): boolean {
  if (address.includes(":")) return isPrivate6(bitsOf(address));
  return /^\d+\.\d+\.\d+\.\d+$/.test(address) && isPrivate4(bitsOf(address));
}

function isPrivate4(bits: string): boolean {
  return privateNetworks.some((prefix) => bits.startsWith(prefix));
}

function isPrivate6(bits: string): boolean {
  if (embeddingNetworks.some((prefix) => bits.startsWith(prefix))) return isPrivate4(bits.slice(96));
  return !bits.startsWith(publicNetwork) || privateInPublic.some((prefix) => bits.startsWith(prefix));
}

/** Returns the prefix bits of a network. */
function network(text: string): string {
  const [address = "", length] = text.split("/");
  return bitsOf(address).slice(0, Number(length));
}

/** Returns the bits of an address in its canonical form, as URLs and lookups have it: 127.0.0.1, not 0x7f.1. */
function bitsOf(address: string): string {
  if (!address.includes(":"))
    return address
      .split(".")
      .map((byte) => bits(Number(byte), 8))
      .join("");
  // A zone, such as %eth0, is not part of the address.
  const [text = ""] = address.split("%");
  const [head = "", tail] = text.split("::").map((half) => half.split(":").filter(Boolean).map(groupBits).join(""));
  return tail === undefined ? head : head + tail.padStart(128 - head.length, "0");
}

function groupBits(group: string): string {
  return group.includes(".") ? bitsOf(group) : bits(Number.parseInt(group, 16), 16);
}

function bits(value: number, length: number): string {
  return value.toString(2).padStart(length, "0");
}
