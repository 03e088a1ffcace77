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

/** Returns the error for a name that is not one of those known: a misspelled option would change nothing. */
export function unknownName(name: string, what: string, known: string, names: readonly string[]): RangeError {
  const close = closestTo(name, names);
  const advice = close === undefined ? `${known} ${names.join(", ")}.` : `Did you mean ${close}?`;
  return new RangeError(`${name} is not ${what}. ${advice}`);
}

/** Throws a RangeError if an object has a property of another name, unless it is undefined. */
export function rejectUnknown(given: object, what: string, known: string, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !names.includes(name)) throw unknownName(name, what, known, names);
}
