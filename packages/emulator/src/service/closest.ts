/** Returns the name that somebody probably meant: one that begins with the word, or differs from it in one letter. */
export function closestTo(word: string, names: readonly string[]): string | undefined {
  return names.find((name) => (word !== "" && name.startsWith(word)) || otherLetters(name, word) <= 1);
}

/** Returns how many letters of the longer word the other one does not have, wherever they stand. */
function otherLetters(a: string, b: string): number {
  let rest = b;
  const common = [...a].filter((letter) => {
    const before = rest;
    rest = rest.replace(letter, "");
    return rest !== before;
  });
  return Math.max(a.length, b.length) - common.length;
}
