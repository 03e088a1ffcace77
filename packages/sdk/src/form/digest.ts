import type { WireFields } from "./form.ts";
import { formParts } from "./form.ts";

/**
 * The SHA-256 of a form as it is sent, in hex: of its texts, and of its files' names, types and sizes, not their bytes.
 * Undefined where the runtime has no Web Crypto, as in pages that did not come over https.
 */
export async function digestOf(wire: WireFields): Promise<string | undefined> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return undefined;
  const parts = [...formParts(wire)].map(([name, value, fileName]) =>
    typeof value === "string" ? [name, value] : ([name, fileName, value.type, value.size] as const),
  );
  // By name, whatever order the fields were given in; the sort is stable, so that files of one name keep theirs.
  const canonical = JSON.stringify(parts.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0)));
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(canonical));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
