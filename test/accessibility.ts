import axe from "axe-core";
import type { Page } from "playwright-core";

/** The themes, and what axe is asked in each: all of it, best practice included, in one; in the other what a theme changes. */
export const themes: readonly { readonly colorScheme: "light" | "dark"; readonly asked: axe.RunOptions }[] = [
  { colorScheme: "light", asked: {} },
  { colorScheme: "dark", asked: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } } },
];

/** What axe finds in the page as it stands, a line for each rule that is broken. */
export async function findingsIn(page: Page, asked: axe.RunOptions): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // The cast: the page has had axe brought in.
  const { violations } = await page.evaluate((options) => (window as unknown as { axe: typeof axe }).axe.run(options), asked);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`).join(" | ")}`);
}
