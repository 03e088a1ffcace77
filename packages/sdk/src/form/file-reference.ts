/** Whether a text in a field that takes files is a path, a URL or a data URI: it stands for a file that it is not. */
export function isReference(text: string): boolean {
  // An empty text is a file that is not there, and Base64 is one that was encoded.
  if (text === "" || /^[\w+/=-]{64,}$/.test(text)) return true;
  return /^([a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(text);
}
