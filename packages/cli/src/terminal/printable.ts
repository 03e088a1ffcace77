/** Returns a text without control characters, because a text of the service must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "?");
}

/** Returns such a text on one line. */
export function onOneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, " "));
}

/** Returns a word, quoted for bash and zsh if necessary. zsh reads a word that begins with "=" as the path of a command. */
export function quoted(word: string): string {
  if (/\p{Cc}/u.test(word)) return `$'${word.replace(/[\p{Cc}\\']/gu, escaped)}'`;
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Returns a sentence and, below it, commands, each on a line of its own: it can be pasted into a shell. */
export function withCommands(sentence: string, ...commands: readonly string[]): string {
  return [sentence, ...commands.map((command) => `  ${command}`)].join("\n");
}
