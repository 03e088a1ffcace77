/** Returns the bytes of a data URI; undefined if it is not valid. */
export function bytesOfDataUri(text: string): Uint8Array<ArrayBuffer> | undefined {
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  const isBase64 = /;\s*base64\s*$/i.test(text.slice(0, comma));
  const data = decodePercent(text.slice(comma + 1));
  try {
    return toBytes(isBase64 ? atob(data) : data);
  } catch {
    return undefined;
  }
}

/** Returns a text with a character for each byte. */
function decodePercent(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
