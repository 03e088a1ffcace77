import { mkdtemp, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { buildSite } from "../../../scripts/docs/build.ts";
import { builtSite, filesOf, siteOptions } from "../built-site.ts";

test("two builds are the same byte for byte, and only links know the repository", async () => {
  const files = await filesOf(await builtSite());
  const out = resolve(await mkdtemp(resolve("out/site-")));
  try {
    await buildSite(out, siteOptions.url);
    const again = await filesOf(out);
    expect([...again.keys()]).toEqual([...files.keys()]);
    const links = /<footer class="foot">.*?<\/footer>|<(?:li><)?a href="https:\/\/git[^>]*>Repository<\/a>(?:<\/li>)?/g;
    const withoutLinks = (content: Buffer = Buffer.alloc(0)) => content.toString("latin1").replace(links, "");
    for (const [name, content] of again) expect(withoutLinks(content), name).toBe(withoutLinks(files.get(name)));
  } finally {
    await rm(out, { recursive: true });
  }
});
