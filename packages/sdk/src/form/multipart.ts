import { invalidRequest, InvalidRequestError } from "../errors/errors.ts";
import { hasChanged, mustBe, nothingWasSent } from "../errors/issue.ts";
import { fieldOf } from "../spec/operation.ts";
import { isObjectOfFields, toCRLF } from "./field.ts";
import { extensionOf } from "./files.ts";
import type { WireFields } from "./form.ts";

export type FormPart =
  | readonly [name: string, value: string]
  | readonly [name: string, file: Blob, fileName: string];

export function* formParts(wire: WireFields): Generator<FormPart, void, undefined> {
  for (const [name, value] of Object.entries(wire))
    for (const [index, one] of [value].flat().entries())
      if (one instanceof Blob) yield [name, one, fileNameOf(one, `${fieldOf(name)}-${index + 1}`)];
      else if (one !== undefined) yield [name, String(one)];
}

/** Returns the name to send a file under; `fallback` names a Blob, which has no name. */
function fileNameOf(file: Blob, fallback: string): string {
  const [given = ""] =
    "name" in file && typeof file.name === "string" ? file.name.split(/[/\\]/).slice(-1) : [];
  const [, subtype = "bin"] = /^(?:image|video|audio)\/([\w.+-]+)/.exec(file.type) ?? [];
  // Some servers end a file name at these characters.
  return given.replace(/[\p{Cc}";=]/gu, "_") || `${fallback}.${extensionOf(file.type) ?? subtype}`;
}

const quote = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent);

/**
 * Reads bytes of a file, or throws an {@link InvalidRequestError} if it is no longer what it was
 * when it was given.
 */
export async function bytesOf(part: string, slice: Blob): Promise<ArrayBuffer> {
  return slice.arrayBuffer().catch(() => {
    throw new InvalidRequestError("generate", [hasChanged(fieldOf(part))], nothingWasSent);
  });
}

/**
 * Encodes a form as one Blob, byte by byte as browsers do, except for the boundary. Files on disk
 * are read while it leaves.
 */
export async function toMultipart(wire: WireFields): Promise<Blob> {
  // In lower case, as a Blob makes its type.
  const boundary = `----mediagen${crypto.randomUUID().replaceAll("-", "")}`;
  const parts: Blob[] = [];
  for (const [name, value, fileName = ""] of formParts(wire)) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quote(toCRLF(name))}"`;
    if (typeof value === "string") parts.push(new Blob([`${head}\r\n\r\n${toCRLF(value)}\r\n`]));
    else {
      await bytesOf(name, value.slice(0, 1));
      const type = value.type || "application/octet-stream";
      const fileHead = `${head}; filename="${quote(fileName)}"\r\nContent-Type: ${type}\r\n\r\n`;
      parts.push(new Blob([fileHead]), value, new Blob(["\r\n"]));
    }
  }
  parts.push(new Blob([`--${boundary}--\r\n`]));
  const type = `multipart/form-data; boundary=${boundary}`;
  const whole = new Blob(parts, { type });
  if (whole.size === parts.reduce((sum, { size }) => sum + size, 0)) return whole;
  // Bun omits a Blob that is a file on disk, and the form would be billed without its picture.
  return new Blob(await Promise.all(parts.map((part) => part.arrayBuffer())), { type });
}

/**
 * Encodes a form as one Blob in memory: if a file on disk has changed, Node 24 ends the process
 * that sends it. Rejects values that would be sent as something else, and be billed without them.
 */
export async function encodeForm(subject: string, fields: unknown): Promise<Blob> {
  if (!isObjectOfFields(fields))
    throw invalidField(subject, "body", mustBe("an object of fields", fields));
  for (const [name, value] of Object.entries(fields))
    if ([value].flat().some((one) => typeof one === "object" && !(one instanceof Blob)))
      throw invalidField(
        subject,
        name,
        mustBe("text, a number, a boolean, a Blob or a list of them", value),
      );
  const form = await toMultipart(fields);
  return new Blob([await form.arrayBuffer()], { type: form.type });
}

export function invalidField(
  subject: string,
  field: string,
  problem: string,
  advice = "",
): InvalidRequestError {
  return invalidRequest(subject, field, "invalid", problem, advice, nothingWasSent);
}
