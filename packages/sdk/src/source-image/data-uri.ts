/** Returns the bytes of a data URI; undefined if it is not valid. */
export function bytesOfDataUri(text: string): Uint8Array<ArrayBuffer> | undefined {
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(text.slice(0, comma));
  // A character for each byte.
  const data = text
    .slice(comma + 1)
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return Uint8Array.from(isBase64 ? atob(data) : data, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
