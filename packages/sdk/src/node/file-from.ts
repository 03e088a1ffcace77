import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid, type IssueCode, shorten } from "../errors/issue.ts";
import { headLength, mediaTypeOf } from "../form/media-type.ts";

/** How to read a source file. */
export interface FileFromOptions {
  /**
   * The file name to send.
   * @default the last part of the path, or else `file` with the extension of its type
   */
  readonly name?: string | undefined;
}

/** Returns a source image, with its type read from its first bytes. The entry point documents it. */
export async function fileFrom(
  source: string | Uint8Array<ArrayBuffer> | Blob,
  { name }: FileFromOptions = {},
): Promise<File> {
  const { blob, head } = await open(source);
  const { type, extension } = mediaTypeOf(head) ?? {};
  if (!type?.startsWith("image/")) throw notAnImage(source, "wrongFormat", "bytes of no known image type");
  const given = name ?? (typeof source === "string" ? basename(source) : `file.${extension}`);
  return new File([blob], given, { type });
}

async function open(
  source: string | Uint8Array<ArrayBuffer> | Blob,
): Promise<{ readonly blob: Blob; readonly head: Uint8Array }> {
  if (typeof source === "string" && /^https?:/i.test(source)) {
    throw notAnImage(source, "notAFile", "a URL", "a path, or the form's field for URLs if it has one");
  }
  try {
    const blob = typeof source === "string" ? await openAsBlob(source) : new Blob([source]);
    return { blob, head: new Uint8Array(await blob.slice(0, headLength).arrayBuffer()) };
  } catch (cause) {
    const why = typeof source === "string" ? await whyUnreadable(source, cause) : String(cause);
    throw notAnImage(source, "notAFile", why);
  }
}

/** `openAsBlob` does not say why it failed, but the file system does. */
async function whyUnreadable(path: string, cause: unknown): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? "a directory" : String(cause);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT"
      ? "no such file"
      : shorten(String(error));
  }
}

function notAnImage(
  source: unknown,
  code: IssueCode,
  received: string,
  expected = "an image file (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF)",
): InvalidRequestError {
  const field = typeof source === "string" ? describeValue(source) : "bytes";
  return new InvalidRequestError("fileFrom", [invalid(field, code, received, expected)]);
}
