import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { madeOnce } from "../made-once.ts";

/** How the site of the tests is built. */
export const siteOptions = {
  url: "https://docs.example/",
  repository: "https://git.example/mediagen",
};

/** The directory of the site as the sources make it. */
export async function builtSite(): Promise<string> {
  const directory = resolve("out/site", await digestOfSources());
  return madeOnce(directory, async (part) => {
    await removeOthers(directory);
    // Most test files find it built, and the compiler that reads the reference takes longer to load
    // than they take.
    const { buildSite } = await import("../../scripts/docs/build.ts");
    await buildSite(part, siteOptions.url, siteOptions.repository);
  });
}

/** Every file of the site, by its name within it. */
export async function filesOf(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const nameIn = (path: string) => path.slice(directory.length + 1);
  return new Map(
    await Promise.all(
      files.sort().map(async (file) => [nameIn(file), await readFile(file)] as const),
    ),
  );
}

/** The paths of the site's pages, as `guides/waiting/`. */
export function pagesIn(files: ReadonlyMap<string, Buffer>): readonly string[] {
  return [...files.keys()]
    .filter((name) => name.endsWith("index.html"))
    .map((name) => name.replace(/index\.html$/, ""));
}

async function digestOfSources(): Promise<string> {
  const places = ["docs", "openapi", "packages/*/src/*", "scripts", "package-lock.json"];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...places], {
    encoding: "utf8",
  });
  const hash = createHash("sha256");
  for (const name of [...new Set(listed.trim().split("\n"))].sort())
    hash.update(name).update(await readFile(name).catch(() => "gone"));
  return hash.digest("hex").slice(0, 16);
}

async function removeOthers(directory: string): Promise<void> {
  const parent = resolve(directory, "..");
  for (const name of await readdir(parent))
    if (!name.startsWith(".") && !join(parent, name).startsWith(directory))
      await rm(join(parent, name), { recursive: true, force: true });
}
