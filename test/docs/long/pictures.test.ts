import { expect, test } from "vitest";
import { useSite } from "../open-site.ts";

const site = useSite();

/** A page of each type. */
const pictures = [
  "",
  "guides/first-video/",
  "guides/configuration/",
  "api/",
  "api/generateVidmodelv2/",
  "sdk/",
  "sdk/MediaGen/",
  "benchmarks/",
  "playground/",
  "changelog/",
];

test("a page of each type is kept as a picture in out/pictures, at three widths, light and dark, for people to look at", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 820, 1440]) {
      const page = await site.tab({ colorScheme, viewport: { width, height: 900 } });
      const keep = async (name: string) => {
        const picture = await page.screenshot({ path: `out/pictures/${name}-${width}-${colorScheme}.png` });
        expect(picture.length).toBeGreaterThan(10_000);
      };
      for (const path of pictures) {
        await page.goto(site.url + path, { waitUntil: "networkidle" });
        await keep(path.replace(/\/$/, "").replaceAll("/", "-") || "home");
      }
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill("wait for a task");
      await page.getByRole("option").first().waitFor();
      await keep("search");
    }
  }
});
