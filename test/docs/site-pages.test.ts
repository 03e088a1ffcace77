import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { pagesIn } from "./built-site.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

/** How far the page or something in it reaches beyond its width. */
function overflow(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const wide = [...document.querySelectorAll("main *")].filter(
      (one) => one.scrollWidth > one.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowX),
    );
    return [
      ...(scrollWidth > clientWidth ? [`the page: ${scrollWidth}`] : []),
      ...wide.map((one) => one.outerHTML.slice(0, 80)),
    ];
  });
}

test("every page loads without a word, from here alone, and scrolls sideways at no width", async () => {
  const all = pagesIn(site.files).filter((path) => path !== "api/");
  const wide: string[] = [];
  // The width of a telephone from the start: what is laid out later is laid out narrower. Each theme sees every other page.
  const visit = async (colorScheme: "light" | "dark", pages: readonly string[]) => {
    const tab = await site.tab({ colorScheme, viewport: { width: 390, height: 844 } });
    for (const path of pages) {
      await tab.goto(site.url + path);
      wide.push(...(await overflow(tab)).map((what) => `${path}: ${what}`));
    }
  };
  const half = (rest: number) => all.filter((_, index) => index % 2 === rest);
  await Promise.all([visit("light", half(0)), visit("dark", half(1))]);
  expect(wide).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});

test("on a telephone each cell of a table says which column it is of", async () => {
  const page = await site.tab({ viewport: { width: 390, height: 844 } });
  await page.goto(`${site.url}api/generateVidmodelv2/`);
  const heads = await page
    .locator("tr", { has: page.locator("#field-ratio") })
    .locator("td")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
  expect(heads).toEqual(["none", '"Takes: "', '"Default: "', "none"]);
});

test.for([800, 1440])("the home page, a guide, an operation and an export fit a width of %i pixels", async (width) => {
  const page = await site.tab({ viewport: { width, height: 900 } });
  for (const path of ["", "guides/errors/", "api/generateImgmodelv45/", "sdk/MediaGenOptions/", "playground/"]) {
    await page.goto(site.url + path);
    expect(await overflow(page), path).toEqual([]);
  }
});

test("the home page asks for six things and plays its clip, but not for those who want nothing to move", async () => {
  const page = await site.tab();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url().slice(site.url.length)));
  await page.goto(site.url);
  const clip = page.locator("video");
  await expect
    .poll(() => clip.evaluate((video: HTMLVideoElement) => !video.paused && video.currentTime > 0))
    .toBe(true);
  await page.locator("img").scrollIntoViewIfNeeded();
  await expect.poll(() => page.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2560);
  expect(new Set(asked).size).toBeLessThanOrEqual(6);

  const still = await site.tab({ reducedMotion: "reduce" });
  await still.goto(site.url);
  await still.waitForLoadState("networkidle");
  expect(await still.locator("video").evaluate((video: HTMLVideoElement) => video.paused)).toBe(true);
});

test("the theme goes from system to light to dark, and is kept from page to page", async () => {
  const page = await site.tab({ colorScheme: "dark" });
  await page.goto(site.url);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.getByRole("button", { name: "Theme: as the system" }).click();
  expect(await paper()).toBe("rgb(255, 255, 255)");
  await page.getByRole("button", { name: "Theme: light" }).click();
  expect(await paper()).toBe(dark);
  await page.goto(`${site.url}guides/waiting/`);
  expect(await page.getByRole("button", { name: "Theme: dark" }).isVisible()).toBe(true);
});

test("code and whole pages are copied, as they are and as Markdown", async () => {
  const page = await site.tab({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${site.url}guides/first-video/`);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const block = page.locator(".code").first();
  await block.getByRole("button", { name: "Copy" }).click();
  await expect.poll(clipboard).toBe(await block.locator("code").textContent());
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await expect.poll(clipboard).toBe(String(site.files.get("guides/first-video.md")));
});

test("an address that is none shows where to go on", async () => {
  const page = await site.tab();
  await page.goto(`${site.url}gone/for/good/`);
  expect(await page.locator("h1").textContent()).toBe("There is no such page");
  // The page names its home by the address that it was built for.
  const home = new URL(String(await page.getByRole("link", { name: "home page" }).getAttribute("href")), site.url);
  expect(home.pathname).toBe("/");
  expect(site.trouble.splice(0)).toEqual([
    expect.stringMatching(/404|Failed to load/),
    expect.stringMatching(/404|Failed to load/),
  ]);
});
