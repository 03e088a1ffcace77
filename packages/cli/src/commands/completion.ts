import { usageError } from "../errors/command-error.ts";
import type { Parsed } from "../usage/command.ts";

// As lists of lines in plain quotes: shells and template strings both use ${...}.
const bash = [
  '# mediagen: add to ~/.bashrc:  eval "$(mediagen completion bash)"',
  "_mediagen() {",
  '  local line="${COMP_LINE:0:COMP_POINT}" words word before candidate',
  // Bash splits words at ":" and "=", so the line is split again, and the part before the last of
  // them is not repeated.
  '  read -ra words <<< "$line"',
  '  [[ $line == *[[:space:]] ]] && words+=("")',
  '  word="${words[${#words[@]}-1]}"',
  '  before="${word%"${word##*[:=]}"}"',
  "  COMPREPLY=()",
  "  while IFS=$'\\t' read -r candidate _; do",
  "    if [[ $candidate == :files ]]; then",
  "      compopt -o filenames 2> /dev/null",
  // No mapfile: the bash of macOS is older than that.
  '      while read -r candidate; do COMPREPLY+=("${candidate#"$before"}"); done < <(compgen -f -- "$word")',
  "    else",
  '      COMPREPLY+=("${candidate#"$before"}")',
  "    fi",
  '  done < <(mediagen __complete "${words[@]:1}" 2> /dev/null)',
  "}",
  "complete -F _mediagen mediagen",
];

const zsh = [
  "#compdef mediagen",
  '# mediagen: add to ~/.zshrc, after compinit:  eval "$(mediagen completion zsh)"',
  "_mediagen() {",
  "  local line",
  "  local -a candidates",
  '  for line in "${(@f)$(mediagen __complete "${(@)words[2,CURRENT]}" 2> /dev/null)}"; do',
  "    [[ -z $line ]] && continue",
  "    if [[ $line == :files ]]; then",
  "      _files",
  "      return",
  "    fi",
  '    line="${line//:/\\\\:}"',
  "    candidates+=(\"${line/$'\\t'/:}\")",
  "  done",
  "  _describe mediagen candidates",
  "}",
  "compdef _mediagen mediagen",
];

/**
 * The completion script of each shell. It calls `mediagen __complete`, which knows the command's
 * own tree.
 */
export const shells: Readonly<Record<string, readonly string[]>> = { bash, zsh };

/** `mediagen completion`: prints the completion script for a shell. */
export function run({ words: [shell = ""] }: Parsed): void {
  const names = Object.keys(shells).join(", ");
  if (!Object.hasOwn(shells, shell))
    throw usageError(
      `shell ${JSON.stringify(shell)} is not valid. Use one of ${names}.`,
      "Nothing was sent.",
    );
  process.stdout.write(`${shells[shell]?.join("\n")}\n`);
}
