import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findingsIn, themes } from "../accessibility.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

const kinds = [
  "",
  "guides/",
  "guides/errors/",
  "guides/command-line/",
  "guides/browsers/",
  "api/generateVidmodelv2/",
  "api/deleteImageTasks/",
  "sdk/",
  "sdk/createMediaGen/",
  "sdk/KindClient/",
  "sdk/OutcomeUnknownError/",
  "sdk/State/",
  "sdk/emulator/faultEffects/",
  "benchmarks/",
  "changelog/",
  "404.html",
];

/** What axe finds in the pages at `paths`, each in both themes. The policy is the site's; axe itself is brought in by the test. */
async function findingsOf(paths: readonly string[]): Promise<readonly string[]> {
  const page = await site.tab({ bypassCSP: true });
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(site.url + path);
    found.push(...(await findingsInThemes(page, path)));
  }
  return found;
}

/**
 * What axe finds in the content of the pages at `paths`, shown in one page after the other: to open each takes as long again. Colors
 * are those of the style sheet, and the pages above show all of them in both themes.
 */
async function findingsInContentOf(paths: readonly string[]): Promise<readonly string[]> {
  const page = await site.tab({ bypassCSP: true });
  await page.goto(`${site.url}guides/`);
  const found: string[] = [];
  for (const path of paths) {
    await page.evaluate(showContentOf, site.url + path);
    expect(await page.locator("main h1").count(), path).toBe(1);
    const findings = await findingsIn(page, { rules: { "color-contrast": { enabled: false } } }, "main");
    found.push(...findings.map((one) => `${path}: ${one}`));
  }
  return found;
}

async function findingsInThemes(page: Page, path: string): Promise<readonly string[]> {
  await page.evaluate(thinOut);
  const found: string[] = [];
  for (const { colorScheme, asked } of themes) {
    await changeTheme(page, colorScheme);
    found.push(...(await findingsIn(page, asked)).map((one) => `${path}, ${colorScheme}: ${one}`));
  }
  return found;
}

/** Puts the content of the page at a URL in the place of the content that is open, whose addresses it makes its own. */
async function showContentOf(url: string): Promise<void> {
  // Without the colors of code, which are most elements of a page.
  const html = (await (await fetch(url)).text()).replace(/<span class="t-[^>]*>([^<]*)<\/span>/g, "$1");
  history.replaceState(undefined, "", url);
  const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
  document.querySelector("main")?.replaceWith(main ?? "");
}

/** Leaves one token of code of each look in the page, and three rows or items of each table and list: thousands of others tell nothing more, and take a minute. */
function thinOut(): void {
  for (const one of document.querySelectorAll(":is(tbody tr, li):nth-child(n + 4)")) one.remove();
  const seen = new Set<string>();
  for (const token of document.querySelectorAll("pre span:not(:has(span))")) {
    const look = `${token.className} ${token.getAttribute("style")} ${token.parentElement?.closest("pre")?.className}`;
    if (seen.has(look)) token.replaceWith(token.textContent);
    seen.add(look);
  }
}

/** The page follows the system's theme. */
async function changeTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (dark) => document.documentElement.classList.contains("dark") === dark,
    colorScheme === "dark",
  );
}

describe("accessibility, light and dark", () => {
  test("a page of every sort has no finding", async () => {
    expect(await findingsOf(kinds)).toEqual([]);
  });

  test("what a guide says has none, in every guide", async () => {
    const guides = [...site.files.keys()].filter((name) => /^guides\/.+\.html$/.test(name));
    expect(guides.length).toBeGreaterThan(15);
    expect(await findingsInContentOf(guides.map((name) => name.replace("index.html", "")))).toEqual([]);
  });

  test.for(themes)(
    "the search, its hits and the narrow menu have none, when it is $colorScheme",
    async ({ colorScheme, asked }) => {
      const page = await site.tab({ colorScheme, bypassCSP: true, viewport: { width: 390, height: 844 } });
      await page.goto(`${site.url}sdk/KindClient/`);
      await page.getByRole("button", { name: "Menu" }).click();
      expect(await page.getByRole("navigation", { name: "Pages of this section" }).isVisible()).toBe(true);
      expect(await findingsIn(page, asked)).toEqual([]);
      await page.keyboard.press("/");
      await page.getByRole("combobox", { name: "Search" }).fill("wait");
      await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(3);
      expect(await findingsIn(page, asked)).toEqual([]);
    },
  );
});

describe("by keyboard", () => {
  test("the skip link comes first and leads to the content; everything is reached, and seen when it is", async () => {
    const page = await site.tab();
    await page.goto(`${site.url}guides/first-video/`);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    expect(await skip.evaluate((one) => one === document.activeElement && one.getBoundingClientRect().top >= 0)).toBe(
      true,
    );
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");

    await page.goto(`${site.url}guides/first-video/`);
    const stops = await page
      .locator("a[href], button, summary")
      .locator("visible=true")
      .evaluateAll((all) => all.map((one, index) => (one.setAttribute("data-stop", String(index)), String(index))));
    const reached = new Set<string>();
    for (let press = 0; press < stops.length * 2 && reached.size < stops.length; press++) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const one = document.activeElement as HTMLElement;
        const { opacity, outlineStyle } = getComputedStyle(one);
        const { width, height } = one.getBoundingClientRect();
        return { id: one.dataset["stop"], seen: opacity === "1" && outlineStyle !== "none" && width > 0 && height > 0 };
      });
      if (stop.id === undefined) continue;
      expect(stop.seen, `stop ${stop.id}`).toBe(true);
      reached.add(stop.id);
    }
    expect(stops.filter((stop) => !reached.has(stop))).toEqual([]);
  });

  test("the theme is changed, code is copied, and the search goes to where its hit says", async () => {
    const page = await site.tab({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${site.url}guides/first-video/`);
    await page.locator("#theme-button").focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("light");
    await page.locator(".copy").first().focus();
    await page.keyboard.press("Space");
    await expect.poll(() => page.locator(".copy").first().textContent()).toBe("Copied");

    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search" });
    // What is typed before the field has the focus is lost, to people too.
    const focused = () => expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await focused();
    await page.keyboard.type("settle");
    await expect.poll(() => page.getByRole("option", { selected: true }).textContent()).toMatch(/settle/i);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("/");
    await focused();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("queryVideoTask");
    await expect.poll(() => page.getByRole("option").first().textContent()).toContain("queryVideoTask");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/api/queryVideoTask/");
  });
});
