/** Whether a URL's host is this machine by its name or number; what ends in localhost never leaves it (RFC 6761). */
export function isLoopback({ hostname }: URL): boolean {
  return /^(.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}
