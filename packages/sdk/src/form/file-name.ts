/** Returns the name to send a file under; `fallback` names a Blob, which has no name. */
export function fileNameOf(file: Blob, fallback: string): string {
  const given = "name" in file && typeof file.name === "string" ? file.name : "";
  // Some servers end a file name at these characters.
  const clean = given
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/[\p{Cc}";=]/gu, "_");
  return clean || `${fallback}.${extensionOf(file.type)}`;
}

const extensions: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  quicktime: "mov",
  "x-matroska": "mkv",
  "svg+xml": "svg",
};

/** Returns the file name extension of a media type, or `bin` if it is not specific. */
function extensionOf(type: string): string {
  const subtype = /^(?:image|video|audio)\/([\w.+-]+)/.exec(type)?.[1] ?? "bin";
  return extensions[subtype] ?? subtype;
}
