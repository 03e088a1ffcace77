import { describeValue, invalid, type Issue } from "../errors/issue.ts";

/** Returns what is wrong with a text in a field that takes files: a path, a URL or a data URI stands for a file that it is not. */
export function referenceIssue(field: string, text: string): Issue | undefined {
  const isReference = /^([a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(
    text,
  );
  if (!isReference) return undefined;
  const expected = "a Blob or fileFrom(path): this would be sent as text, and billed without its image";
  return invalid(field, "notAFile", describeValue(text), expected);
}
