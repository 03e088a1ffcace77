/** Returns whether a URL's host is this machine, by name or address. Names that end in localhost never leave it (RFC 6761). */
export function isLoopback({ hostname }: URL): boolean {
  return /^(.+\.)?localhost\.?$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}
