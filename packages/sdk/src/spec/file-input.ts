/** Where a source file keeps its content; not exported by the package, so that what stands there may change. Two copies of the package share it. */
export const content: unique symbol = Symbol.for("@mediagen/sdk content");

/** A file to send, made by `fileFrom` of `@mediagen/sdk/node`. */
export interface SourceFile {
  /** The name that is sent with the file. */
  readonly name: string;
  /** The media type, such as `image/png`. */
  readonly type: string;
  /** The size in bytes. */
  readonly size: number;
  /** @internal */
  readonly [content]: Blob;
}

/** What a file field takes: a Blob or File anywhere, or what `fileFrom` of `@mediagen/sdk/node` gives. */
export type FileInput = Blob | SourceFile;

/** Whether the value can be sent as a file. */
export function isFileInput(value: unknown): value is FileInput {
  return typeof value === "object" && value !== null && (value instanceof Blob || content in value);
}

/** The file's bytes and the name to send them under; `fallback` names a Blob, which has no name. */
export function fileParts(file: FileInput, fallback: string): { readonly blob: Blob; readonly name: string } {
  const blob = content in file ? file[content] : file;
  const given = "name" in file && typeof file.name === "string" ? file.name : "";
  // Some servers end a file name at these, and none of them is worth a lost request.
  const clean = given
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/[\p{Cc}";=]/gu, "_");
  return { blob, name: clean || `${fallback}.${extensionOf(blob.type)}` };
}

const extensions: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  quicktime: "mov",
  "x-matroska": "mkv",
  "svg+xml": "svg",
};

/** The file name extension of a media type; `bin` where it says nothing of the bytes. */
export function extensionOf(type: string): string {
  const subtype = /^(?:image|video|audio)\/([\w.+-]+)/.exec(type)?.[1] ?? "bin";
  return extensions[subtype] ?? subtype;
}
