import { describe, expect, test } from "vitest";
import { findingsIn, themes } from "../accessibility.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

const kinds = [
  "",
  "guides/",
  "guides/what-can-go-wrong/",
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
  "404.html",
];

describe.for(themes)("$colorScheme", ({ colorScheme, asked }) => {
  test("a page of every sort has no accessibility finding", async () => {
    // The policy is the site's; axe itself is brought in by the test.
    const page = await site.tab({ colorScheme, bypassCSP: true });
    const found: string[] = [];
    for (const path of kinds) {
      await page.goto(site.url + path);
      found.push(...(await findingsIn(page, asked)).map((finding) => `${path}: ${finding}`));
    }
    expect(found).toEqual([]);
  });

  test("the search, its hits and the narrow menu have none either", async () => {
    const page = await site.tab({ colorScheme, bypassCSP: true, viewport: { width: 390, height: 844 } });
    await page.goto(`${site.url}sdk/KindClient/`);
    await page.getByRole("button", { name: "Pages of this section" }).click();
    expect(await page.getByRole("navigation", { name: "Pages of this section" }).isVisible()).toBe(true);
    expect(await findingsIn(page, asked)).toEqual([]);
    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Search" }).fill("wait");
    await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(3);
    expect(await findingsIn(page, asked)).toEqual([]);
  });

  test("what a guide says has none, in every guide", async () => {
    const page = await site.tab({ colorScheme, bypassCSP: true });
    const guides = [...site.files.keys()]
      .filter((name) => /^guides\/.+\.html$/.test(name))
      .map((name) => name.replace("index.html", ""));
    const found: string[] = [];
    for (const path of guides) {
      await page.goto(site.url + path);
      found.push(...(await findingsIn(page, asked, "main")).map((finding) => `${path}: ${finding}`));
    }
    expect(found).toEqual([]);
  });
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
