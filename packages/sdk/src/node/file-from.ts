import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import { headLength, sniff } from "../result/media-type.ts";
import { content, type SourceFile } from "../spec/file-input.ts";

/** How to read a source file. */
export interface FileFromOptions {
  /**
   * The name to send.
   * @default the path's last part, else `file` with the type's extension
   */
  readonly name?: string | undefined;
}

/** Reads the beginning of a source image, which tells its type. */
export async function fileFrom(
  source: string | Uint8Array<ArrayBuffer> | Blob,
  { name }: FileFromOptions = {},
): Promise<SourceFile> {
  const { blob, head } = await open(source);
  const { type, extension } = sniff(head) ?? {};
  if (!type?.startsWith("image/")) throw notAnImage(source, "bytes that start as no known image does");
  const given = name ?? (typeof source === "string" ? basename(source) : `file.${extension}`);
  return { name: given, type, size: blob.size, [content]: blob.slice(0, blob.size, type) };
}

async function open(
  source: string | Uint8Array<ArrayBuffer> | Blob,
): Promise<{ readonly blob: Blob; readonly head: Uint8Array }> {
  if (typeof source === "string" && /^https?:/i.test(source)) {
    throw notAnImage(source, "an address; where the form has a field for addresses, give it there");
  }
  try {
    const blob = typeof source === "string" ? await openAsBlob(source) : new Blob([source]);
    return { blob, head: new Uint8Array(await blob.slice(0, headLength).arrayBuffer()) };
  } catch (cause) {
    throw notAnImage(source, typeof source === "string" ? await whyUnreadable(source, cause) : String(cause));
  }
}

/** Opening a Blob says only that it failed; the file system knows why. */
async function whyUnreadable(path: string, cause: unknown): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? "a directory" : String(cause);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "no such file" : String(error);
  }
}

function notAnImage(source: unknown, got: string): InvalidRequestError {
  const field = typeof source === "string" ? describeValue(source) : "bytes";
  return new InvalidRequestError("fileFrom: this is no source image", [
    { field, got, allowed: "an image file (PNG, JPEG, WebP, GIF, BMP, TIFF, HEIC or AVIF)" },
  ]);
}
