import { hasChanged, type Issue, issueOf, mustBe } from "../errors/issue.ts";
import { fieldOf, type FormFields } from "../spec/operation.ts";
import type { WireFields } from "./form.ts";

/** Media types, the usual extensions of their files, and the first bytes of these as Latin-1. */
const mediaTypes: readonly (readonly [type: string, extension: string, head: RegExp])[] = [
  ["image/png", "png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", "jpg", /^\xff\xd8\xff/],
  ["image/webp", "webp", /^RIFF....WEBP/s],
  ["image/gif", "gif", /^GIF8[79]a/],
  ["image/bmp", "bmp", /^BM....\0\0\0\0/s],
  ["image/tiff", "tiff", /^(II\*\0|MM\0\*)/],
  ["image/avif", "avif", /^....ftypavi[fs]/s],
  ["image/heic", "heic", /^....ftyp(hei[cxms]|mif1|msf1)/s],
  ["video/quicktime", "mov", /^....ftypqt {2}/s],
  ["video/mp4", "mp4", /^....ftyp/s],
  ["video/webm", "webm", /^\x1aE\xdf\xa3/],
];

/** Number of first bytes of a file that are enough to detect its type. */
export const headLength = 16;

export function mediaTypeOf(
  bytes: Uint8Array,
): { readonly type: string; readonly extension: string } | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, headLength));
  const [found] = mediaTypes.filter(([, , head]) => head.test(text));
  return found && { type: found[0], extension: found[1] };
}

export function extensionOf(mediaType: string | undefined): string | undefined {
  return mediaTypes.find(([type]) => type === mediaType)?.[1];
}

/**
 * Returns the extension of a file of unknown type. Only that of an image or a video: a double-click
 * would run a program.
 */
export function extensionFor(contentType: string | undefined, url: string): string {
  const [, named = ""] = /\.(\w+)$/.exec(new URL(url).pathname.toLowerCase()) ?? [];
  return (
    extensionOf(contentType) ??
    mediaTypes.find(([, extension]) => extension === named)?.[1] ??
    "bin"
  );
}

/**
 * Returns the issues of a form's files, by the first bytes of each: it has changed, or is no image
 * where one is needed.
 */
export async function checkFiles(
  { fields }: FormFields,
  wire: WireFields,
): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const [part, value] of Object.entries(wire)) {
    const known = fields.find((one) => one.part === part && one.isImage);
    for (const [index, file] of [value].flat().entries()) {
      if (!(file instanceof Blob)) continue;
      const name = Array.isArray(value) ? `${fieldOf(part)}[${index}]` : fieldOf(part);
      const head = file.slice(0, headLength).arrayBuffer();
      const bytes = await head.catch(() => undefined);
      if (!bytes) issues.push(hasChanged(name));
      else if (known && !mediaTypeOf(new Uint8Array(bytes))?.type.startsWith("image/"))
        issues.push(
          issueOf(
            name,
            "invalid",
            mustBe("an image (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF)", file),
          ),
        );
    }
  }
  return issues;
}
