/** One part of a form. */
export interface FormPart {
  readonly name: string;
  /** Undefined if the part is text. */
  readonly fileName: string | undefined;
  /** The media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Maximum size of the headers of a part, in bytes. Node has the same limit for requests. */
const headersLimit = 16 * 1024;
/** RFC 2046, 5.1.1. */
const longestBoundary = 70;

const cr = 13;
const lf = 10;
const space = 32;
const tab = 9;
const dash = 45;
const emptyLine = Uint8Array.of(cr, lf, cr, lf);

/**
 * Parses the parts of a multipart/form-data body (RFC 7578), or returns an error message. The
 * `formData()` of engines is not used, because each version rejects valid requests of some clients.
 */
export function readMultipart(
  bytes: Uint8Array,
  contentType: string,
): readonly FormPart[] | string {
  const boundary = readParameters(contentType).get("boundary");
  if (!boundary) return "its Content-Type has no boundary";
  if (boundary.length > longestBoundary)
    return `its boundary is longer than ${longestBoundary} characters`;
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  const findLine = (from: number) => findDelimiterLine(body, delimiter, from);
  // A leading line break makes the first delimiter like the others.
  const body = new Uint8Array(bytes.length + 2);
  body.set([cr, lf]);
  body.set(bytes, 2);
  const parts: FormPart[] = [];
  let line = findLine(0);
  while (line && !line.isLast) {
    const next = findLine(line.end);
    if (!next) break;
    const headers = body.subarray(line.end, Math.min(next.start + 2, line.end + headersLimit));
    const size = indexOf(headers, emptyLine, 0);
    if (size < 0)
      return `the headers of a part do not end with an empty line within ${headersLimit} bytes`;
    const content = line.end + size + emptyLine.length;
    const part = readPart(
      headers.subarray(0, size),
      body.subarray(content, Math.max(content, next.start)),
    );
    if (!part) return 'a part has no "Content-Disposition: form-data" with a name';
    parts.push(part);
    line = next;
  }
  return line?.isLast ? parts : `it has no closing boundary "--${boundary}--"`;
}

/** A line that is a delimiter. A part is between its `end` and the next `start`. */
interface DelimiterLine {
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
}

/** Finds the next line that is exactly a delimiter, not one that only begins with it. */
function findDelimiterLine(
  body: Uint8Array,
  delimiter: Uint8Array,
  from: number,
): DelimiterLine | undefined {
  for (
    let start = indexOf(body, delimiter, from);
    start >= 0;
    start = indexOf(body, delimiter, start + 1)
  ) {
    let end = start + delimiter.length;
    const isLast = body[end] === dash && body[end + 1] === dash;
    if (isLast) end += 2;
    while (body[end] === space || body[end] === tab) end++;
    if ((body[end] === cr && body[end + 1] === lf) || (isLast && end === body.length))
      return { start, end, isLast };
  }
  return undefined;
}

/** Returns the next position of certain bytes, or -1. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let matching = 1;
    while (matching < wanted.length && bytes[at + matching] === wanted[matching]) matching++;
    if (matching === wanted.length) return at;
  }
  return -1;
}

function readPart(head: Uint8Array, bytes: Uint8Array): FormPart | undefined {
  // A line that begins with white space continues the previous one.
  const lines = new TextDecoder()
    .decode(head)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const header = (name: string) =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const disposition = header("content-disposition") ?? "";
  const parameters = readParameters(disposition);
  const name = parameters.get("name");
  if (!/^form-data\s*;/i.test(disposition) || name === undefined) return undefined;
  const plain = parameters.get("filename");
  const extended = parameters.get("filename*");
  return {
    name: unescapeName(name),
    fileName: extended === undefined ? plain && unescapeName(plain) : readExtended(extended),
    type: header("content-type") ?? "text/plain",
    bytes,
  };
}

/** Returns the parameters of a header, quoted or not. A quoted one may end with the header. */
function readParameters(header: string): ReadonlyMap<string, string> {
  const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)(?:"|$)|([^;]*))/g;
  return new Map(
    [...header.matchAll(parameter)].map(([, name = "", quoted, bare = ""]) => [
      name.toLowerCase(),
      // Only these two are escaped. Browsers send the backslashes of a Windows path unescaped.
      quoted?.replace(/\\(["\\])/g, "$1") ?? bare.trim(),
    ]),
  );
}

/** Decodes a parameter with a charset, such as `UTF-8''%C3%A4.png` (RFC 8187). */
function readExtended(value: string): string {
  return value
    .replace(/^utf-8'[^']*'/i, "")
    .replace(/(?:%[\da-f]{2})+/gi, (run) =>
      new TextDecoder().decode(
        Uint8Array.from(run.slice(1).split("%"), (byte) => Number.parseInt(byte, 16)),
      ),
    );
}

/** Decodes the escapes of browsers (the HTML standard's multipart/form-data encoding). */
function unescapeName(text: string): string {
  return text.replace(/%(22|0d|0a)/gi, (escaped) => decodeURIComponent(escaped));
}
