import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { redocRoute } from "../../scripts/docs/operations.ts";
import { findingsIn, themes } from "../accessibility.ts";
import { operations } from "../contract/cases.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

/** What Redoc's own markup does against a rule, and no style can mend: it leaves out the third level of headings. */
const vendorRules: readonly string[] = ["heading-order"];

test("the overview can be read before any script has run, and without one", async () => {
  const page = await site.tab({ javaScriptEnabled: false });
  await page.goto(`${site.url}api/`);
  expect(await page.locator("main h1").innerText()).toBe("Media Generation Service");
  for (const { operationId } of operations)
    expect(await page.locator("main").getByRole("link", { name: operationId, exact: true }).isVisible()).toBe(true);
});

/** Waits until the heading of an operation is at the top of the window, and stays there. */
async function lands(page: Page, { summary }: { readonly summary: string }): Promise<void> {
  const top = () =>
    page
      .locator("#redoc :is(h1, h2)", { hasText: new RegExp(`^\\s*${summary}\\s*$`) })
      .evaluateAll(([heading]) => heading?.getBoundingClientRect().top ?? -1);
  await expect
    .poll(
      async () => {
        const at = await top();
        return at >= 0 && at < 300;
      },
      { timeout: 20_000, message: summary },
    )
    .toBe(true);
  const at = await top();
  await page.waitForTimeout(500);
  expect(await top(), `${summary} moves away`).toBe(at);
}

/** The first operation, one that returns fields within fields, and the last: the least that shows all that Redoc makes. */
const some = [
  operations[0],
  operations.find(({ operationId }) => operationId.startsWith("query")),
  operations.at(-1),
].filter((operation) => operation !== undefined);

test("a deep link lands on its operation, with its sample, when the page loads", async () => {
  const page = await site.tab({ viewport: { width: 1280, height: 900 } });
  for (const operation of some.slice(1)) {
    await page.goto("about:blank");
    await page.goto(`${site.url}api/${redocRoute(operation)}`);
    await lands(page, operation);
    expect(await page.locator("#redoc main").innerText()).toContain("createMediaGen");
  }
  expect(await page.locator("main").count()).toBe(1);
  // On a telephone nothing scrolls sideways, and the search is the site's.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
});

test("every click in the sidebar lands on its operation, down the list and up again (all the way by MEDIAGEN_LONG), and so does a link typed into the open page", async () => {
  const page = await site.tab({ colorScheme: "dark", viewport: { width: 1280, height: 900 } });
  await page.goto(`${site.url}api/`);
  await page.locator("#redoc main").getByText("How it works").first().waitFor();
  // On a telephone a table is still a table.
  await page.setViewportSize({ width: 390, height: 844 });
  const cell = page.locator("#redoc td").first();
  // Redoc draws once more when the window's width changes, and a cell that is gone has no style.
  await expect.poll(() => cell.evaluate((one) => getComputedStyle(one).display)).toBe("table-cell");
  await page.setViewportSize({ width: 1280, height: 900 });
  const upAgain = [...(process.env["MEDIAGEN_LONG"] ? operations : some.slice(0, 2))].reverse();
  for (const operation of [...operations, ...upAgain]) {
    await page.locator(`.sidebar a[href="${redocRoute(operation)}"]`).click();
    await lands(page, operation);
    expect(await page.locator(".sidebar [aria-current=page]").getAttribute("href")).toBe(redocRoute(operation));
  }
  for (const operation of some) {
    await page.goto(`${site.url}api/${redocRoute(operation)}`);
    await lands(page, operation);
  }
});

test("what is open has no accessibility finding but the vendor's own, light and dark", async () => {
  const page = await site.tab({ bypassCSP: true });
  const found = new Set<string>();
  const places = [
    ["", "How it works"],
    ...some.slice(1, 2).map((operation) => [redocRoute(operation), operation.summary]),
  ] as const;
  for (const [route = "", text = ""] of places) {
    await page.goto(`${site.url}api/${route}`);
    await page.locator("#redoc main").getByText(text).first().waitFor();
    for (const { colorScheme, asked } of themes) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html.${colorScheme}`).waitFor();
      for (const finding of await findingsIn(page, asked)) found.add(finding);
    }
  }
  expect([...found].filter((finding) => !vendorRules.some((id) => finding.startsWith(`${id}: `)))).toEqual([]);
});
