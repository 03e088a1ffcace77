import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Download } from "@mediagen/sdk/node";

type Content = CallToolResult["content"];

/** Maximum total size of the images in a result. Hosts reject results of about a megabyte. */
const mostPreviewBytes = 700_000;

/** Returns a tool's result: as data, and as the same text for clients that read only text. */
export function toolResult(
  data: Readonly<Record<string, unknown>>,
  further: Content = [],
): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(data) }, ...further],
    structuredContent: data,
  };
}

/** Returns links to files, and small images for the model to see. */
export async function showFiles(files: readonly Download[]): Promise<Content> {
  let left = mostPreviewBytes;
  const seen = files.filter(({ type, bytes }) => {
    const length = 4 * Math.ceil(bytes / 3); // as Base64
    const fits = type?.startsWith("image/") && length <= left;
    if (fits) left -= length;
    return fits;
  });
  const previews = seen.map(async ({ path, type = "" }) => {
    return {
      type: "image" as const,
      data: (await readFile(path)).toString("base64"),
      mimeType: type,
    };
  });
  return [...files.map(link), ...(await Promise.all(previews))];
}

function link({ path, type, bytes }: Download): Content[number] {
  return {
    type: "resource_link",
    uri: pathToFileURL(path).href,
    name: basename(path),
    size: bytes,
    annotations: { audience: ["user"] },
    ...(type === undefined ? {} : { mimeType: type }),
  };
}
