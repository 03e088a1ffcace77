/** Returns whether a URL's host is this machine, by name or address. Names that end in localhost never leave it (RFC 6761). */
export function isLoopback({ hostname }: URL): boolean {
  return /^(.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}

/** Returns whether a URL's host is, by name or address, this machine or one of a private network. */
export function isPrivate(url: URL): boolean {
  return isLoopback(url) || isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ""));
}

/**
 * Returns whether an IP address is not public: loopback, link-local, private, shared or unspecified (RFC 1918, 3927, 4193, 4291,
 * 6598). URLs and lookups give addresses in their normal form: 0x7f.1 has become 127.0.0.1 by then.
 */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^(?:::ffff:|64:ff9b::)(.+)$/i.exec(address)?.[1];
  if (mapped) return isPrivateAddress(mapped.includes(".") ? mapped : fromHex(mapped));
  if (address.includes(":")) return /^(::1?$|f[cd]|fe[89ab])/i.test(address);
  const [a = -1, b = -1] = address.split(".").map(Number);
  if (a === 0 || a === 10 || a === 127) return true;
  return (
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  );
}

/** The last 32 bits of an IPv6 address, such as `7f00:1`, as IPv4. */
function fromHex(tail: string): string {
  const [high = 0, low = 0] = tail.split(":").map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
