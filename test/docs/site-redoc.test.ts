import { expect, test } from "vitest";
import { redocRoute } from "../../scripts/docs/operations.ts";
import { operations } from "../contract/cases.ts";
import { useSite } from "./open-site.ts";

const site = useSite();

test("Redoc has every operation on one page: a link to an operation shows it there, with its sample", async () => {
  const page = await site.tab({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${site.url}api/redoc/`);
  const main = page.locator("#redoc main");
  await main.getByText("How it works").first().waitFor();
  for (const operation of operations) {
    expect(String(site.files.get(`api/${operation.operationId}/index.html`))).toContain(redocRoute(operation));
    await page.goto(`${site.url}api/redoc/${redocRoute(operation)}`);
    const heading = page.locator("#redoc :is(h1, h2)", { hasText: new RegExp(`^\\s*${operation.summary}\\s*$`) });
    const top = () => heading.evaluateAll(([one]) => one?.getBoundingClientRect().top ?? -1);
    await expect.poll(async () => (await top()) >= 0 && (await top()) < 300, { timeout: 20_000 }).toBe(true);
  }
  expect(await main.innerText()).toContain("createMediaGen");
  expect(await page.locator("main").count()).toBe(1);
  // The search is the site's.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
});
