import { describeValue, invalid, type Issue } from "../errors/issue.ts";

/** Returns what is wrong with a text in a field that takes files: a path, a URL or a data URI stands for a file that it is not. */
export function referenceIssue(field: string, text: string): Issue | undefined {
  // An empty text is a file that is not there, and Base64 is one that was encoded.
  if (text === "" || /^[\w+/=-]{64,}$/.test(text)) return issueOf(field, text);
  const isReference = /^([a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(
    text,
  );
  return isReference ? issueOf(field, text) : undefined;
}

function issueOf(field: string, text: string): Issue {
  const expected =
    "a file: pass await fileFrom(...), or a Blob. Text would be sent as it is, and billed without its image";
  const received = describeValue(text);
  return invalid(field, "notAFile", received, expected, { problem: `${received} is text, not a file` });
}
