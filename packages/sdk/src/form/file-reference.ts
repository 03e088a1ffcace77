// A blank text is a missing file, and Base64 an encoded one.
const reference =
  /^(\s*$|[\w+/=-]{64,}$|[a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i;

/** Whether a text in a field for files is a path, a URL or a data URI instead of a file. */
export function isReference(text: string): boolean {
  return reference.test(text);
}
