/** A text without what steers a terminal: texts of the service are shown, not obeyed. */
export function printable(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replace(/\p{Cc}/gu, "?");
}

/** A word as a shell takes it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
