import { toCRLF } from "./line-breaks.ts";
import type { FormPart } from "./parts.ts";

/** A form as multipart/form-data before it is sent: texts, and files that are read while they leave. */
export interface Multipart {
  /** The media type, with the boundary. */
  readonly type: string;
  readonly pieces: readonly (string | MultipartFile)[];
}

export interface MultipartFile {
  /** The part's name. */
  readonly name: string;
  readonly blob: Blob;
}

/** Encodes a form byte by byte as browsers do, except for the boundary. */
export function toMultipart(parts: Iterable<FormPart>): Multipart {
  // In lower case, as a Blob makes its type.
  const boundary = `----mediagen${crypto.randomUUID().replaceAll("-", "")}`;
  const pieces: (string | MultipartFile)[] = [];
  let text = "";
  for (const [name, value, fileName] of parts) {
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${quote(toCRLF(name))}"`;
    if (typeof value === "string") text += `\r\n\r\n${toCRLF(value)}\r\n`;
    else {
      text += `; filename="${quote(fileName ?? "blob")}"\r\nContent-Type: ${value.type || "application/octet-stream"}\r\n\r\n`;
      pieces.push(text, { name, blob: value });
      text = "\r\n";
    }
  }
  pieces.push(`${text}--${boundary}--\r\n`);
  return { type: `multipart/form-data; boundary=${boundary}`, pieces };
}

function quote(name: string): string {
  return name.replace(/["\r\n]/g, (character) => ({ '"': "%22", "\r": "%0D" })[character] ?? "%0A");
}
