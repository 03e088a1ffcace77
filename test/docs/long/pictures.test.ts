import { expect, test } from "vitest";
import { useSite } from "../open-site.ts";

const site = useSite();

test("six pages are kept as pictures in out/pictures, light, dark and narrow, for people to look at", async () => {
  const pictures = ["", "guides/first-video/", "api/", "api/generateVidmodelv2/", "sdk/MediaGen/", "playground/"];
  const looks = [
    ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
    ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
    ["390", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
  ] as const;
  const take = async ([name, options]: (typeof looks)[number]) => {
    const page = await site.tab(options);
    for (const path of pictures) {
      await page.goto(site.url + path, { waitUntil: "networkidle" });
      const file = `out/pictures/${path.replace(/\/$/, "").replaceAll("/", "-") || "home"}-${name}.png`;
      expect((await page.screenshot({ path: file })).length).toBeGreaterThan(10_000);
    }
  };
  await Promise.all(looks.map(take));
});
