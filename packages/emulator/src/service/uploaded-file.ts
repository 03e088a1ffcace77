import { longest, type Thumbnail } from "../media/thumbnail.ts";

/** An uploaded file without its bytes, because results only need the thumbnail. */
export interface UploadedFile {
  /** The name of the form part. */
  readonly part: string;
  /** The file name. */
  readonly name: string;
  /** The media type. */
  readonly type: string;
  /** The size in bytes. */
  readonly size: number;
  /** A small copy of a picture in two colours, with the size of the picture if its format is known. */
  readonly thumbnail?: FileThumbnail;
}

/** A small picture in two colours. */
export interface FileThumbnail extends Thumbnail {
  /** The width of the picture, in pixels. */
  readonly width?: number;
  /** The height of the picture, in pixels. */
  readonly height?: number;
}

/** Returns the width divided by the height of the first picture among files, from 1:4 to 4:1. */
export function shapeOf(files: readonly UploadedFile[]): number | undefined {
  const { width, height } = files.find(({ thumbnail }) => thumbnail?.width)?.thumbnail ?? {};
  return width && height ? Math.min(4, Math.max(0.25, width / height)) : undefined;
}

/** Returns whether a value, such as one of a snapshot, is an uploaded file whose thumbnail can be drawn. */
export function isUploadedFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { thumbnail } = value as Partial<UploadedFile>;
  if (thumbnail === undefined) return true;
  const { columns, rows, dots, width = 1, height = 1 } = { ...thumbnail };
  const isShort = (side: unknown) => Number.isInteger(side) && Number(side) >= 1 && Number(side) <= longest;
  return isShort(columns) && isShort(rows) && /^[\da-f]{1,400}$/.test(String(dots)) && width > 0 && height > 0;
}
