/** A file as a form's part carries it. */
export interface FilePart {
  readonly fileName: string;
  /** The part's Content-Type; without one the part has no such header. */
  readonly type?: string;
  readonly content: string;
}

/** One part of a form on the wire: text or a file. */
export interface Part {
  readonly name: string;
  readonly value: string | FilePart;
}

const boundary = "----a-boundary-that-no-text-holds";
const contentType = `multipart/form-data; boundary=${boundary}`;

/** The parts as a request, byte by byte as the HTML standard has browsers write them: nothing of the SDK is in between. */
export function multipartRequest(url: string, apiKey: string, parts: readonly Part[]): Request {
  const head = ({ name, value }: Part) => {
    const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`;
    if (typeof value === "string") return disposition;
    const type = value.type === undefined ? "" : `\r\nContent-Type: ${value.type}`;
    return `${disposition}; filename="${escapeName(value.fileName)}"${type}`;
  };
  const body = parts.map((part) => `--${boundary}\r\n${head(part)}\r\n\r\n${textOf(part)}\r\n`).join("");
  return new Request(url, {
    method: "POST",
    headers: { authorization: apiKey, "content-type": contentType },
    body: `${body}--${boundary}--\r\n`,
  });
}

function escapeName(name: string): string {
  return onTheWire(name).replaceAll("\r\n", "%0D%0A").replaceAll('"', "%22");
}

function textOf({ value }: Part): string {
  return typeof value === "string" ? value : value.content;
}

/** Text as a form sends it: every line break is CRLF, and what is no character is U+FFFD. */
export function onTheWire(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, "\r\n");
}
