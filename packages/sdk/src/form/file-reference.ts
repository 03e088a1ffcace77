import { describeValue, invalid, type Issue } from "../errors/issue.ts";

/** Whether a text in a field that takes files is a path, a URL or a data URI: it stands for a file that it is not. */
export function isReference(text: string): boolean {
  // An empty text is a file that is not there, and Base64 is one that was encoded.
  if (text === "" || /^[\w+/=-]{64,}$/.test(text)) return true;
  return /^([a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(text);
}

/** Returns what is wrong with such a text. */
export function referenceIssue(field: string, text: string): Issue {
  const expected =
    "a file: pass await fileFrom(...), or a Blob. Text would be sent as it is, and billed without its image";
  const received = describeValue(text);
  return invalid(field, "notAFile", received, expected, { problem: `${received} is text, not a file` });
}
