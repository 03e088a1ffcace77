/** A text without what steers a terminal: what the service says is shown, not obeyed. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "?");
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, " "));
}

/** A word as a shell takes it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
