/**
 * Returns a text that the font can draw: printable ASCII with single spaces. Other scripts are
 * transliterated with a table of half a megabyte, which is imported on first use.
 */
export async function asciiOf(text: string): Promise<string> {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const ascii = isAscii ? text : (await import("any-ascii")).default(text);
  return ascii.replace(/[^!-~]+/g, " ").trim();
}
