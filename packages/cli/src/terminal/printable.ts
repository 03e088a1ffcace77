/** Returns a text without control characters, because a text of the service must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "?");
}

/** Returns such a text on one line. */
export function onOneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, " "));
}
