import type { SourceFile } from "./source-file.ts";

/** How to read a source file. */
export interface FileFromOptions {
  /**
   * The name to send.
   * @default the path's last part, else `file` with the type's extension
   */
  readonly name?: string | undefined;
}

/**
 * A source image of a path or of bytes, with its type told from its first bytes. A path's bytes are read while they are
 * sent.
 *
 * @throws {@link InvalidRequestError} there is no such file, or it is not an image
 */
export async function fileFrom(source: string | Uint8Array<ArrayBuffer> | Blob, options: FileFromOptions = {}): Promise<SourceFile> {
  // The file system takes longer to load than all of this door.
  const { readSource } = await import("./read-source.ts");
  return readSource(source, options);
}
