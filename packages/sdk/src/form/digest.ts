import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid, nothingWasSent } from "../errors/issue.ts";
import { fieldOf } from "../spec/schema.ts";
import type { WireFields } from "./form.ts";
import { type FormPart, formParts } from "./parts.ts";

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
    const issue = invalid(fieldOf(name), "changed", describeValue(value), "the file again");
    throw new InvalidRequestError("generate", [issue], nothingWasSent);
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
