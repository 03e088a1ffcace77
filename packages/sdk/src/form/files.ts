import { describeValue, hasChanged, type Issue, issueOf } from "../errors/issue.ts";
import { isBlob } from "../spec/is-blob.ts";
import { fieldOf, type FormFields } from "../spec/operation.ts";

/** Media types by the first bytes of their files, with the usual file name extension. */
const kinds: readonly {
  readonly type: string;
  readonly extension: string;
  readonly begins: (head: string) => boolean;
}[] = [
  { type: "image/png", extension: "png", begins: (head) => head.startsWith("\x89PNG\r\n\x1a\n") },
  { type: "image/jpeg", extension: "jpg", begins: (head) => head.startsWith("\xff\xd8\xff") },
  { type: "image/webp", extension: "webp", begins: (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8) },
  { type: "image/gif", extension: "gif", begins: (head) => /^GIF8[79]a/.test(head) },
  { type: "image/bmp", extension: "bmp", begins: (head) => head.startsWith("BM") && head.startsWith("\0\0\0\0", 6) },
  { type: "image/tiff", extension: "tiff", begins: (head) => head.startsWith("II*\0") || head.startsWith("MM\0*") },
  { type: "image/avif", extension: "avif", begins: (head) => /^....ftypavi[fs]/s.test(head) },
  { type: "image/heic", extension: "heic", begins: (head) => /^....ftyp(hei[cxms]|mif1|msf1)/s.test(head) },
  { type: "video/quicktime", extension: "mov", begins: (head) => /^....ftypqt {2}/s.test(head) },
  { type: "video/mp4", extension: "mp4", begins: (head) => /^....ftyp/s.test(head) },
  { type: "video/webm", extension: "webm", begins: (head) => head.startsWith("\x1aE\xdf\xa3") },
];

/** Number of first bytes of a file that are enough to detect its type. */
export const headLength = 16;

/** Returns the media type and extension of a file by its first bytes; undefined if it is not a known image or video. */
export function mediaTypeOf(head: Uint8Array): { readonly type: string; readonly extension: string } | undefined {
  const text = String.fromCharCode(...head.subarray(0, headLength));
  return kinds.find(({ begins }) => begins(text));
}

/** Other common extensions of the types above. */
const alsoUsed = new Set(["jpeg", "tif", "m4v"]);

/**
 * Returns the extension of a file of unknown type: that of the server's Content-Type or of the URL, if it is one of an image
 * or a video. Others are ignored, because a double-click would run a downloaded program.
 */
export function extensionFor(contentType: string | undefined, url: string): string {
  const named = /\.(\w+)$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? "";
  const typed = kinds.find(({ type }) => type === contentType);
  if (typed) return typed.extension;
  return alsoUsed.has(named) || kinds.some(({ extension }) => extension === named) ? named : "bin";
}

/**
 * Returns the issues of a form's files: one that can no longer be read, or that is not an image in a field for images. It reads
 * the first bytes of each.
 */
export async function checkFiles(
  { fields }: FormFields,
  wire: Readonly<Record<string, unknown>>,
): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const [part, value] of Object.entries(wire)) {
    const field = fieldOf(part);
    const known = fields.find((one) => one.part === part);
    for (const [index, one] of [value].flat().entries()) {
      const name = Array.isArray(value) ? `${field}[${index}]` : field;
      const head =
        isBlob(one) &&
        (await one
          .slice(0, headLength)
          .arrayBuffer()
          .catch(() => undefined));
      if (head === undefined) issues.push(hasChanged(name));
      else if (head && known?.isImage && !mediaTypeOf(new Uint8Array(head))?.type.startsWith("image/")) {
        const advice = `Use ${known.item ?? known.expected} (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF).`;
        issues.push(issueOf(name, "invalid", `is not an image: ${describeValue(one)}`, advice));
      }
    }
  }
  return issues;
}
