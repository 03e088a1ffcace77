/** Returns the name that was probably meant: it begins with the word, or differs from it in one letter. */
export function closestTo(word: string, names: readonly string[]): string | undefined {
  return names.find((name) => (word !== "" && name.startsWith(word)) || otherLetters(name, word) <= 1);
}

/** Returns the number of letters of the longer word that the other one does not have, in any order. */
function otherLetters(a: string, b: string): number {
  let rest = b;
  const common = [...a].filter((letter) => {
    const before = rest;
    rest = rest.replace(letter, "");
    return rest !== before;
  });
  return Math.max(a.length, b.length) - common.length;
}
