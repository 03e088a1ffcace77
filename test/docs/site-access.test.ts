import { describe, expect, test } from "vitest";
import { findingsInThemes } from "../accessibility.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

/** A page of every look. Each week, others that look like one of them. */
const pages = ["", "guides/errors/", "api/generateVidmodelv2/", "sdk/KindClient/", "404.html"];
if (process.env["MEDIAGEN_LONG"] !== undefined) {
  pages.push(
    "guides/",
    "guides/browsers/",
    "guides/testing/",
    "guides/stores/",
    "guides/first-video/",
    "api/",
    "sdk/",
  );
  pages.push(
    "sdk/OutcomeUnknownError/",
    "sdk/generate-video/",
    "sdk/createMediaGen/",
    "benchmarks/",
    "changelog/",
  );
}

/**
 * Leaves one token of code of each look in the page, and three rows or items of each table and
 * list: thousands of others tell nothing more, and take a minute.
 */
function thinOut(): void {
  for (const one of document.querySelectorAll(":is(tbody tr, li):nth-child(n + 4)")) one.remove();
  const seen = new Set<string>();
  for (const token of document.querySelectorAll("pre span:not(:has(span))")) {
    const look = `${token.className} ${token.getAttribute("style")} ${token.parentElement?.closest("pre")?.className}`;
    if (seen.has(look)) token.replaceWith(token.textContent);
    seen.add(look);
  }
}

describe("accessibility, light and dark", () => {
  test("a page of every look has no finding", async () => {
    const page = await site.tab({ bypassCSP: true });
    const found: string[] = [];
    for (const path of pages) {
      await page.goto(site.url + path);
      await page.evaluate(thinOut);
      found.push(...(await findingsInThemes(page)));
    }
    expect(found).toEqual([]);
  });

  test("the search, its hits and the narrow menu have none", async () => {
    const page = await site.tab({ bypassCSP: true, viewport: { width: 390, height: 844 } });
    await page.goto(`${site.url}sdk/KindClient/`);
    await page.evaluate(thinOut);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await page.getByRole("navigation", { name: "Pages of this section" }).isVisible()).toBe(
      true,
    );
    expect(await findingsInThemes(page)).toEqual([]);
    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Search" }).fill("wait");
    await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(3);
    expect(await findingsInThemes(page)).toEqual([]);
  });
});

describe("by keyboard", () => {
  test("the skip link comes first and leads to the content; everything is reached, and seen when it is", async () => {
    const page = await site.tab();
    await page.goto(`${site.url}guides/first-video/`);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    const isInView = (one: Element) =>
      one === document.activeElement && one.getBoundingClientRect().top >= 0;
    expect(await skip.evaluate(isInView)).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");

    await page.goto(`${site.url}guides/first-video/`);
    const stops = await page
      .locator("a[href], button, summary")
      .locator("visible=true")
      .evaluateAll((all) =>
        all.map((one, index) => {
          one.setAttribute("data-stop", String(index));
          return String(index);
        }),
      );
    const reached = new Set<string>();
    for (let press = 0; press < stops.length * 2 && reached.size < stops.length; press++) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const one = document.activeElement as HTMLElement;
        const { opacity, outlineStyle } = getComputedStyle(one);
        const { width, height } = one.getBoundingClientRect();
        return {
          id: one.dataset["stop"],
          seen: opacity === "1" && outlineStyle !== "none" && width > 0 && height > 0,
        };
      });
      if (stop.id === undefined) continue;
      expect(stop.seen, `stop ${stop.id}`).toBe(true);
      reached.add(stop.id);
    }
    expect(stops.filter((stop) => !reached.has(stop))).toEqual([]);
  });

  test("the search goes to where its hit says", async () => {
    const page = await site.tab();
    await page.goto(`${site.url}guides/first-video/`);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search" });
    // What is typed before the field has the focus is lost, to people too.
    const focused = () =>
      expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await focused();
    await page.keyboard.type("retries");
    await expect.poll(() => page.locator("#hits span mark").allTextContents()).toContain("retry");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    // A field takes the key as text.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("INPUT");
    await page.keyboard.press("/");
    await focused();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("queryVideoTask");
    await expect
      .poll(() => page.getByRole("option").first().textContent())
      .toContain("queryVideoTask");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/api/queryVideoTask/");
  });
});
