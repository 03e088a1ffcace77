/** Returns a text as forms send it, with every line break as CRLF: what is measured is what is sent. */
export function toCRLF(text: string): string {
  // Most texts have none, and a search is faster than a pattern.
  return text.includes("\n") || text.includes("\r") ? text.replace(/\r\n?|\n/g, "\r\n") : text;
}
