import { InvalidRequestError, rejectIssues } from "../errors/errors.ts";
import { hasChanged, nothingWasSent } from "../errors/issue.ts";
import { fieldOf } from "../spec/operation.ts";
import { readForm, type WireFields } from "./form.ts";
import { operationOf } from "./model.ts";
import { type FormPart, formParts } from "./multipart.ts";

/** Maximum number of bytes of a file in memory. */
const sliceBytes = 1024 * 1024;

/**
 * Returns the SHA-256 of a form in hex: of its texts, and of its files with their names, types and bytes. The order in
 * which fields were passed does not matter. Undefined if the runtime has no Web Crypto, as on pages without https.
 *
 * @throws An {@link InvalidRequestError} if a file cannot be read, because it has changed since it was passed
 */
export async function digestOf(wire: WireFields): Promise<string | undefined> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return undefined;
  const parts: string[][] = [];
  for (const part of formParts(wire)) parts.push(await canonical(part, subtle));
  // By name. The sort is stable, so files with the same name keep their order.
  parts.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0));
  return toHex(await subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts))));
}

async function canonical([name, value, fileName = ""]: FormPart, subtle: SubtleCrypto): Promise<string[]> {
  if (typeof value === "string") return [name, value];
  const bytes = await digestOfFile(value, subtle).catch(() => {
    throw new InvalidRequestError("generate", [hasChanged(fieldOf(name))], nothingWasSent);
  });
  return [name, fileName, value.type, bytes];
}

/** Returns the digest of the digests of a file's slices, because Web Crypto cannot digest a stream. */
async function digestOfFile(file: Blob, subtle: SubtleCrypto): Promise<string> {
  const digests: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < file.size; start += sliceBytes) {
    const slice = await file.slice(start, start + sliceBytes).arrayBuffer();
    digests.push(new Uint8Array(await subtle.digest("SHA-256", slice)));
  }
  return toHex(await subtle.digest("SHA-256", await new Blob(digests).arrayBuffer()));
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Computes the SHA-256 of a form with its files, as a store records it.
 *
 * @param form The fields of the model's form.
 * @returns The hash in hexadecimal; undefined if the runtime has no Web Crypto.
 * @throws An {@link InvalidRequestError} if there is no such model, or the form is not valid
 */
export async function formDigest(model: string, form: object): Promise<string | undefined> {
  const { wire, issues } = readForm(operationOf(model).body, form);
  rejectIssues(model, issues);
  return digestOf(wire);
}
