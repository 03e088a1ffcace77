import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { shorten } from "../errors/errors.ts";
import { linesOf } from "../node/lines.ts";
import type { BatchFile, BatchLine } from "./batch.ts";

const head = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Contact sheet</title>
<style>
  body { margin: 1rem; font: 0.8rem/1.4 system-ui, sans-serif; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }
  h1 { grid-column: 1 / -1; margin: 0; font-size: 1.2rem; }
  figure { margin: 0; content-visibility: auto; contain-intrinsic-size: auto 18rem; overflow-wrap: anywhere; }
  img, video { width: 100%; height: 14rem; object-fit: contain; background: #8882; }
</style>
<h1>Contact sheet</h1>
`;

/** Clips show their first frame once they are near; a thousand at once would stop the page. */
const tail = `<script>
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) {
      target.preload = "metadata";
      seen.unobserve(target);
    }
  }, { rootMargin: "500px" });
  for (const clip of document.querySelectorAll("video")) seen.observe(clip);
</script>
`;

/** Writes a page that shows a folder's results in the order of the input; it asks for nothing but the files beside it. */
export async function writeContactSheet(folder: string, resultsName: string): Promise<void> {
  const results = await open(join(folder, resultsName));
  const part = join(folder, ".index.html.part");
  const page = await open(part, "w");
  try {
    await page.appendFile(head);
    for (const { at, length } of await placesOf(join(folder, resultsName))) {
      const { buffer } = await results.read(Buffer.alloc(length), 0, length, at);
      await page.appendFile(figureOf(parse(buffer)));
    }
    await page.appendFile(tail);
  } finally {
    await page.close();
    await results.close();
  }
  await rename(part, join(folder, "index.html"));
}

/** Where a result stands in its file. */
interface Place {
  readonly line: number;
  readonly at: number;
  readonly length: number;
}

/** Where the results stand, in the order of the input: the results themselves may be too many to be held. */
async function placesOf(path: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const { bytes, at } of linesOf(path)) places.push({ line: parse(bytes).line, at, length: bytes.length });
  return places.sort((a, b) => a.line - b.line);
}

function parse(bytes: Uint8Array): BatchLine {
  // The cast: what stands there was appended by a batch.
  return JSON.parse(new TextDecoder().decode(bytes)) as BatchLine;
}

function figureOf({ line, id, model, form, files, error }: BatchLine): string {
  const texts = Object.entries(form).map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const caption = `${line}. ${id} (${model})`;
  const shown = files.map((file) => mediaOf(file, caption)).join("");
  return `<figure>${shown}<figcaption><b>${escape(caption)}</b> ${escape(shorten(error?.message ?? texts.join(", ")))}</figcaption></figure>\n`;
}

function mediaOf({ name, type = "" }: BatchFile, caption: string): string {
  const address = encodeURIComponent(name);
  if (type.startsWith("image/"))
    return `<a href="${address}"><img src="${address}" alt="${escape(caption)}" loading="lazy"></a>`;
  if (type.startsWith("video/"))
    return `<video src="${address}" aria-label="${escape(caption)}" controls preload="none"></video>`;
  return `<a href="${address}">${escape(name)}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
