import { open } from "node:fs/promises";
import { join } from "node:path";
import { disk } from "@mediagen/sdk/kit";
import { linesOf } from "./files.ts";
import type { BatchFile, BatchLine } from "./options.ts";
import { parseLine, resultsName } from "./results-file.ts";

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

/**
 * Loads the first frame of a clip when it scrolls into view: a thousand at once would block the
 * page.
 */
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

/**
 * Writes a page that shows a directory's results in the order of the input. It loads nothing but
 * the files next to it.
 */
export async function writeContactSheet(directory: string): Promise<void> {
  await disk.replaceFile(join(directory, "index.html"), pageOf(join(directory, resultsName)));
}

async function* pageOf(path: string): AsyncGenerator<string, void, undefined> {
  const results = await open(path);
  try {
    yield head;
    for (const { at, length } of await placesOf(path)) {
      const { buffer } = await results.read(Buffer.alloc(length), 0, length, at);
      yield figureOf(parseLine(buffer));
    }
    yield tail;
  } finally {
    await results.close();
  }
}

/**
 * Returns the positions of the results in the order of the input, because all results may need too
 * much memory.
 */
async function placesOf(
  path: string,
): Promise<readonly { readonly at: number; readonly length: number }[]> {
  const places: { readonly line: number; readonly at: number; readonly length: number }[] = [];
  for await (const { bytes, at } of linesOf(path))
    places.push({ line: parseLine(bytes).line, at, length: bytes.length });
  return places.sort((a, b) => a.line - b.line);
}

function figureOf({ line, id, model, form, files, error }: BatchLine): string {
  const texts = Object.entries(form).map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const caption = `${line}. ${id} (${model})`;
  const text = error?.message ?? texts.join(", ");
  const shortened = text.length > 200 ? `${text.slice(0, 200)}...` : text;
  const shown = files.map((file) => mediaOf(file, caption)).join("");
  return `<figure>${shown}<figcaption><b>${escape(caption)}</b> ${escape(shortened)}</figcaption></figure>\n`;
}

function mediaOf({ name, type = "" }: BatchFile, caption: string): string {
  const url = encodeURIComponent(name);
  if (type.startsWith("image/"))
    return `<a href="${url}"><img src="${url}" alt="${escape(caption)}" loading="lazy"></a>`;
  if (type.startsWith("video/"))
    return `<video src="${url}" aria-label="${escape(caption)}" controls preload="none"></video>`;
  return `<a href="${url}">${escape(name)}</a>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
