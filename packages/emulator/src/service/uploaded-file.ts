import { hash } from "../media/hash.ts";
import { sizeOf } from "../media/picture-size.ts";

/** An uploaded file without its bytes. */
export interface UploadedFile {
  /** The name of the form part. */
  readonly part: string;
  /** The file name. */
  readonly name: string;
  /** The media type. */
  readonly type: string;
  /** The size in bytes. */
  readonly size: number;
  /** A hash of the bytes, so that results of another file are other results. */
  readonly hash: string;
  /** The width in pixels, if it is a PNG, JPEG, GIF or WebP. */
  readonly width?: number;
  /** The height in pixels, if it is a PNG, JPEG, GIF or WebP. */
  readonly height?: number;
}

/** Returns an uploaded file without its bytes. */
export function uploadedFile(
  part: string,
  name: string,
  type: string,
  bytes: Uint8Array,
): UploadedFile {
  const text = new TextDecoder("latin1").decode(bytes);
  return { part, name, type, size: bytes.length, hash: hash(text).toString(16), ...sizeOf(bytes) };
}

/** Returns the width divided by the height of the first picture among files, from 1:4 to 4:1. */
export function shapeOf(files: readonly UploadedFile[]): number | undefined {
  const { width, height } = files.find((file) => file.width) ?? {};
  return width && height ? Math.min(4, Math.max(0.25, width / height)) : undefined;
}
