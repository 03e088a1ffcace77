import { readFile, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { launchBrowser } from "../test/browser.ts";
import { byKind, exampleOf, readSpec, specFile } from "./spec.ts";

const target = fileURLToPath(new URL("../docs/results.png", import.meta.url));
const prompts = [
  "A fox runs through snow",
  "A lighthouse at dusk",
  "A red bicycle",
  "A paper boat",
  "A city at night",
  "Rain",
];

/** Writes the picture of the README: results of the emulator for a model of each kind. */
export default async function run(): Promise<void> {
  const media = createMediaGen(createEmulator({ seed: 1 }).client);
  const spec = readSpec(await readFile(specFile, "utf8"));
  const results: Blob[] = [];
  for (const [index, prompt] of prompts.entries()) {
    const { generate } = byKind(spec)[index % 2] ?? {};
    const [model, operation] = [...(generate ?? [])][Math.floor(index / 2)] ?? [];
    if (!model || !operation) throw new Error("the spec has fewer models than the picture shows");
    const task = await media.generate(model, { ...exampleOf(operation), prompt });
    await task.wait();
    results.push(...(await blobs(task)).slice(0, 1));
  }
  await draw(results);
  console.log(`wrote docs/results.png (${Math.ceil((await stat(target)).size / 1000)} kB)`);
}

async function draw(results: readonly Blob[]): Promise<void> {
  await using browser = await launchBrowser();
  const page = await browser.newPage({ viewport: { width: 1200, height: 462 } });
  const shown = await Promise.all(results.map(async (result) => ({ type: result.type, url: await dataUrl(result) })));
  const figures = shown.map(({ type, url }) =>
    type.startsWith("video/") ? `<video src="${url}" muted></video>` : `<img src="${url}">`,
  );
  await page.setContent(
    `<style>body{margin:0;display:grid;grid-template-columns:repeat(3,1fr);gap:10px;padding:4px;background:#fff}
    img,video{width:100%;aspect-ratio:16/9;object-fit:contain;background:#111;border-radius:6px}</style>${figures.join("")}`,
  );
  // Seeks to the middle. The frame must be painted before the screenshot.
  await page.evaluate(() =>
    Promise.all(
      [...document.querySelectorAll("video")].map((video) => {
        const painted = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
        video.currentTime = 2.5;
        return painted;
      }),
    ),
  );
  await writeFile(target, await page.screenshot());
}

async function dataUrl(result: Blob): Promise<string> {
  return `data:${result.type};base64,${Buffer.from(await result.arrayBuffer()).toString("base64")}`;
}
