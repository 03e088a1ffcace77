/**
 * The name of the command in a shell. In a project, npx finds it; `npx mediagen` would ask npm for
 * a package that is not ours.
 */
const ownName = /[\\/]node_modules[\\/]\.bin[\\/]/.test(process.argv[1] ?? "")
  ? "npx @mediagen/cli"
  : "mediagen";

/** Returns a command that can be pasted into a shell; the words are quoted already. */
export function commandLine(...words: readonly (string | number)[]): string {
  return [ownName, ...words].join(" ");
}

/** Returns the command that is running, as it was typed. */
export function typedCommand(): string {
  return commandLine(...process.argv.slice(2).map(quoted));
}

/**
 * Returns a word, quoted for bash and zsh if necessary. zsh reads a word that begins with "=" as
 * the path of a command.
 */
export function quoted(word: string): string {
  if (/\p{Cc}/u.test(word)) return `$'${word.replace(/[\p{Cc}\\']/gu, escaped)}'`;
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function escaped(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/**
 * Returns a sentence and, below it, commands, each on a line of its own: it can be pasted into a
 * shell.
 */
export function withCommands(sentence: string, ...commands: readonly string[]): string {
  return [sentence, ...commands.map((command) => `  ${command}`)].join("\n");
}
