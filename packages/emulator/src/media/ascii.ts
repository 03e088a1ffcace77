/**
 * Returns a text as the font can draw it: in printable ASCII, with single spaces. Other scripts are transliterated, by a table of half
 * a megabyte that is loaded for the first of them.
 */
export async function asciiOf(text: string): Promise<string> {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const ascii = isAscii ? text : (await import("any-ascii")).default(text);
  return ascii.replace(/[^!-~]+/g, " ").trim();
}
