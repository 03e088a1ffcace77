import { describeValue, invalid, type Issue } from "../errors/issue.ts";
import { describe, isImage } from "../spec/describe.ts";
import type { Bounds } from "../spec/operation.ts";
import { fieldOf } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { fieldsIn, type WireFields } from "./form.ts";
import { headLength, mediaTypeOf } from "./media-type.ts";

/**
 * Returns the issues of a form's files: one that can no longer be read, or that is not an image in a field for images. It reads
 * the first bytes of each.
 */
export async function checkFiles(body: Bounds, wire: WireFields): Promise<readonly Issue[]> {
  const issues: Issue[] = [];
  for (const [part, value] of Object.entries(wire)) {
    const { files } = fieldsIn(body).get(fieldOf(part)) ?? {};
    const bounds = files?.name === part ? files.bounds : {};
    for (const [index, one] of [value].flat().entries()) {
      const field = Array.isArray(value) ? `${fieldOf(part)}[${index}]` : fieldOf(part);
      const issue = isBlob(one) && (await issueOf(one, bounds.items ?? bounds, field));
      if (issue) issues.push(issue);
    }
  }
  return issues;
}

async function issueOf(file: Blob, bounds: Bounds, field: string): Promise<Issue | undefined> {
  const head = await file
    .slice(0, headLength)
    .arrayBuffer()
    .catch(() => undefined);
  if (!head) return invalid(field, "changed", describeValue(file), "the file again");
  if (!isImage(bounds) || mediaTypeOf(new Uint8Array(head))?.type.startsWith("image/")) return undefined;
  const expected = `${describe(bounds)} (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF)`;
  const received = `${describeValue(file)} whose bytes are no known image`;
  return invalid(field, "wrongFormat", received, expected, { problem: `is not an image: ${describeValue(file)}` });
}
