import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { redocRoute } from "../../scripts/docs/operations.ts";
import { operations } from "../contract/cases.ts";
import { pagesIn } from "./built-site.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

const widths = [390, 600, 768, 820, 1024, 1280, 1440, 1920];

/**
 * The pages, sections and tables at the open page that are wider than their place, at each width,
 * and elements that are none.
 */
async function wrongPlaces(page: Page, name: string): Promise<readonly string[]> {
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("main *")].flatMap((one) =>
      one instanceof HTMLUnknownElement
        ? `${one.closest("[data-of]")?.getAttribute("data-of")}: <${one.localName}>`
        : [],
    ),
  );
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    const found = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll("[data-of], .table")]
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map(
          (one) =>
            `${one.closest("[data-of]")?.getAttribute("data-of") ?? "the page"} ${one.textContent.trim().slice(0, 30)}`,
        ),
    );
    wide.push(...found.map((place) => `${name}: ${place} at ${width}`));
  }
  return wide;
}

/**
 * The content of a page. Tokens of code, which are most of its elements, are as wide without their
 * colors.
 */
function contentOf(html: string): string {
  const [, content = ""] = /<main[^>]*>([^]*)<\/main>/.exec(html) ?? [];
  return content.replace(/<pre[^>]*>[^]*?<\/pre>/g, (code) => code.replace(/<\/?span[^>]*>/g, ""));
}

/** Pages outside of the sections that look like guides. */
const others = ["benchmarks/", "changelog/"];

test.for(["guides/", "api/generateVidmodelv2/", "sdk/"])(
  "no page like %s scrolls sideways, and none of its tables is cut, at any width",
  async (shell) => {
    const [section = ""] = shell.split("/");
    const mains = pagesIn(site.files)
      .filter(
        (path) =>
          (path.startsWith(section) || (section === "guides" && others.includes(path))) &&
          path !== "api/redoc/",
      )
      .map((path) => [path, contentOf(String(site.files.get(`${path}index.html`)))] as const);
    const page = await site.tab();
    await page.goto(site.url + shell);
    expect(await wrongPlaces(page, shell)).toEqual([]);
    await page.evaluate((all) => {
      for (const [path, html] of all) {
        const place = Object.assign(document.createElement("section"), { innerHTML: html });
        place.dataset["of"] = path;
        document.querySelector("main")?.append(place);
      }
    }, mains);
    expect(await wrongPlaces(page, shell)).toEqual([]);
    expect(mains.length).toBeGreaterThan(10);
  },
);

test.for(["", "playground/"])("neither does the page at /%s", async (path) => {
  const page = await site.tab();
  await page.goto(site.url + path);
  await page.locator("h1").first().waitFor();
  expect(await wrongPlaces(page, path)).toEqual([]);
});

test("nor does Redoc, which has every operation on one page: a link to an operation shows it there, with its sample", async () => {
  const page = await site.tab();
  await page.goto(`${site.url}api/redoc/`);
  const main = page.locator("#redoc main");
  await main.getByText("How it works").first().waitFor();
  expect(await wrongPlaces(page, "api/redoc/")).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const operation of operations) {
    expect(String(site.files.get(`api/${operation.operationId}/index.html`))).toContain(
      redocRoute(operation),
    );
    await page.goto(`${site.url}api/redoc/${redocRoute(operation)}`);
    const heading = page.locator("#redoc :is(h1, h2)", {
      hasText: new RegExp(`^\\s*${operation.summary}\\s*$`),
    });
    const top = () => heading.evaluateAll(([one]) => one?.getBoundingClientRect().top ?? -1);
    await expect
      .poll(async () => (await top()) >= 0 && (await top()) < 300, { timeout: 20_000 })
      .toBe(true);
  }
  expect(await main.innerText()).toContain("createMediaGen");
  expect(await page.locator("main").count()).toBe(1);
  // The search is the site's.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
});

describe("the way around", () => {
  test("on a telephone the menu has the groups of the section, folded but for the reader's own, on one screen", async () => {
    const page = await site.tab({ viewport: { width: 390, height: 844 } });
    await page.goto(`${site.url}sdk/Task/`);
    const menu = page.getByRole("navigation", { name: "Pages of this section" });
    expect(
      await page.locator("h1").evaluate((one) => one.getBoundingClientRect().top),
    ).toBeLessThan(200);
    const button = page.getByRole("button", { name: "Menu" });
    await button.click();
    expect(await page.locator("#content").evaluate((one: HTMLElement) => one.inert)).toBe(true);
    await page.keyboard.press("Escape");
    expect(await menu.isVisible()).toBe(false);
    await button.click();
    expect(await menu.evaluate((one) => one.getBoundingClientRect().height)).toBeLessThanOrEqual(
      844,
    );
    expect(await menu.evaluate((one) => one.scrollHeight)).toBeLessThan(1_500);
    expect(await menu.locator("details[open] summary").allInnerTexts()).toEqual(["Tasks"]);
    await menu.getByText("Errors", { exact: true }).click();
    await menu.getByRole("link", { name: "OutcomeUnknownError" }).click();
    await page.waitForURL("**/sdk/OutcomeUnknownError/");
  });

  test("the contents mark the heading that is read", async () => {
    const page = await site.tab({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${site.url}guides/waiting/`);
    const beside = page.getByRole("navigation", { name: "On this page" });
    const marked = () => beside.locator("[aria-current]").allInnerTexts();
    expect(await marked()).toEqual([await beside.getByRole("link").first().innerText()]);
    const third = beside.getByRole("link").nth(2);
    await third.click();
    await expect.poll(marked).toEqual([await third.innerText()]);
  });
});

test("a sample is shown in the language that is chosen, also on the next page", async () => {
  const page = await site.tab();
  await page.goto(`${site.url}api/generateVidmodelv2/`);
  const shown = page.locator(".tabs").first().locator(".code").locator("visible=true");
  expect(await shown.innerText()).toContain("createMediaGen");
  await page.getByRole("radio", { name: "TypeScript" }).focus();
  await page.keyboard.press("ArrowRight");
  expect(await shown.innerText()).toContain("curl");
  await page.goto(`${site.url}api/queryVideoTask/`);
  expect(await shown.innerText(), "the next page").toContain("curl");
});

test("the home page plays its clip, but not for those who want nothing to move", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const page = await site.tab({ reducedMotion });
    await page.goto(site.url, { waitUntil: "networkidle" });
    const isPaused = () =>
      page.locator("video").evaluate((video: HTMLVideoElement) => video.paused);
    await expect.poll(isPaused).toBe(reducedMotion === "reduce");
  }
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

test("code and complete pages are copied, as they are and as Markdown", async () => {
  const page = await site.tab({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${site.url}guides/first-video/`);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const block = page.locator(".code").first();
  await block.getByRole("button", { name: "Copy" }).click();
  await expect.poll(clipboard).toBe(await block.locator("code").textContent());
  await page.getByRole("button", { name: "Copy page" }).click();
  await expect.poll(clipboard).toBe(String(site.files.get("guides/first-video.md")));
});

test("a URL without a page shows where to go on", async () => {
  const page = await site.tab();
  await page.goto(`${site.url}gone/for/good/`);
  expect(await page.locator("h1").textContent()).toBe("Page not found");
  expect(await page.getByRole("link", { name: "home page" }).count()).toBe(1);
  expect(site.trouble.splice(0).filter((one) => !/404|Failed to load/.test(one))).toEqual([]);
});
