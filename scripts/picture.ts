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
  const media = createMediaGen(createEmulator({ seed: 48 }).client);
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
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const shown = await Promise.all(results.map(async (result) => ({ type: result.type, url: await dataUrl(result) })));
  const figures = shown.map(({ type, url }) =>
    type.startsWith("video/") ? `<video src="${url}" muted></video>` : `<img src="${url}">`,
  );
  const rows = [figures.slice(0, 3), figures.slice(3)].map((row) => `<div>${row.join("")}</div>`);
  await page.setContent(
    `<!doctype html><style>body{margin:0;display:grid;grid-template-columns:minmax(0,1fr);gap:12px}div{display:flex;gap:12px;align-items:start}img,video{min-width:0;border-radius:8px}</style>${rows.join("")}`,
  );
  // A row is as high as makes it as wide as the page.
  await page.evaluate(() =>
    Promise.all(
      [...document.querySelectorAll<HTMLImageElement | HTMLVideoElement>("img, video")].map(async (one) => {
        if (one instanceof HTMLImageElement) await one.decode();
        else if (one.readyState < 2) await new Promise((resolve) => (one.onloadeddata = resolve));
        const [width, height] =
          "videoWidth" in one ? [one.videoWidth, one.videoHeight] : [one.naturalWidth, one.naturalHeight];
        one.style.flex = `${width / height} 1 0`;
      }),
    ),
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
  const body = page.locator("body");
  await writeFile(target, await body.screenshot({ omitBackground: true }));
}

async function dataUrl(result: Blob): Promise<string> {
  return `data:${result.type};base64,${Buffer.from(await result.arrayBuffer()).toString("base64")}`;
}
