import type { Issue } from "../errors/issue.ts";
import { readTexts } from "./field.ts";
import { checkFiles } from "./files.ts";
import { readForm, resultCount, type WireFields } from "./form.ts";
import { findModel } from "./model.ts";
import { bytesOf, formParts } from "./multipart.ts";

/** Maximum number of bytes of a file in memory, because Web Crypto cannot digest a stream. */
const sliceBytes = 1024 * 1024;

interface InspectedForm {
  readonly form: WireFields;
  readonly issues: readonly Issue[];
  readonly resultCount: number;
  /** Returns the digest that a store records. */
  digest(): Promise<string | undefined>;
}

/**
 * Reads a model's form before it is generated. With `fromText`, it is of a page, a table or a
 * command line: texts become values.
 */
export async function inspectForm(
  model: string,
  given: WireFields,
  fromText: boolean = false,
): Promise<InspectedForm> {
  const { body } = findModel(model).operation;
  const form = fromText ? readTexts(body, given) : given;
  const { wire, issues } = readForm(body, form);
  const all = issues.length > 0 ? issues : await checkFiles(body, wire);
  return { form, issues: all, resultCount: resultCount(body, wire), digest: () => digestOf(wire) };
}

/**
 * Returns the SHA-256 of a form's texts and files, in any order of fields; undefined without Web
 * Crypto, as on pages without https.
 */
export async function digestOf(wire: WireFields): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const parts: string[][] = [];
  for (const [name, value, fileName = ""] of formParts(wire))
    if (typeof value === "string") parts.push([name, value]);
    else parts.push([name, fileName, value.type, await digestOfFile(name, value)]);
  // By name. The sort is stable, so files with the same name keep their order.
  parts.sort(([a = ""], [b = ""]) => Number(a > b) - Number(a < b));
  return sha256(new TextEncoder().encode(JSON.stringify(parts)));
}

async function digestOfFile(part: string, file: Blob): Promise<string> {
  const digests: ArrayBuffer[] = [];
  for (let start = 0; start < file.size; start += sliceBytes)
    digests.push(
      await crypto.subtle.digest(
        "SHA-256",
        await bytesOf(part, file.slice(start, start + sliceBytes)),
      ),
    );
  return sha256(await new Blob(digests).arrayBuffer());
}

export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
