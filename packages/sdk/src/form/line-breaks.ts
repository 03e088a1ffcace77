/** Converts line breaks to CRLF, as forms send them, so that lengths are measured as sent. */
export function toCRLF(text: string): string {
  // Most texts have no line breaks, and `includes` is faster than a pattern.
  return text.includes("\n") || text.includes("\r") ? text.replace(/\r\n?|\n/g, "\r\n") : text;
}
