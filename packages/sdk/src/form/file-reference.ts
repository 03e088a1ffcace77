/** Whether a text in a field for files is a path, a URL or a data URI instead of a file. */
export function isReference(text: string): boolean {
  // An empty text is a missing file, and Base64 an encoded one.
  if (text === "" || /^[\w+/=-]{64,}$/.test(text)) return true;
  return /^([a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(text);
}
