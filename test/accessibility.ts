import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * The themes, and what axe checks in each: all of it, best practice included, in one; in the other
 * what a theme changes.
 */
export const themes: readonly {
  readonly colorScheme: "light" | "dark";
  readonly options: axe.RunOptions;
}[] = [
  { colorScheme: "light", options: {} },
  {
    colorScheme: "dark",
    options: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
  },
];

/**
 * What axe finds in the page as it is, or in one element of it, a line for each rule that is
 * broken.
 */
export async function findingsIn(
  page: Page,
  options: axe.RunOptions,
  element = "html",
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const given: axe.RunOptions = { ...options, resultTypes: ["violations"] };
  return page.evaluate(
    async ([within, options]) => {
      // The cast: the page has had axe brought in.
      const found = await (window as unknown as { axe: typeof axe }).axe.run(within, options);
      return found.violations.map(({ id, nodes }) => {
        const texts = nodes.map(
          ({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`,
        );
        return `${id}: ${texts.slice(0, 3).join(" | ")}`;
      });
    },
    [element, given] as const,
  );
}

/** What axe finds in a page of the site in each theme. */
export async function findingsInThemes(page: Page, looks = themes): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { colorScheme, options } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html.${colorScheme}`).waitFor();
    found.push(
      ...(await findingsIn(page, options)).map((one) => `${page.url()}, ${colorScheme}: ${one}`),
    );
  }
  return found;
}
