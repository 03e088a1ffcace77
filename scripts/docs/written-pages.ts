import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { guideGroups } from "./navigation.ts";
import { renderPage } from "./page.ts";
import type { NavGroup, Page, Site } from "./site.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Reads a page of the repository with front matter. */
export function readPage(source: string, path: string, section: string): Page {
  const [, yaml = "", body = ""] =
    /^---\n([^]*?)\n---\n([^]*)$/.exec(readFileSync(join(root, source), "utf8")) ?? [];
  // The cast: what is missing is found below.
  const { title, description, also = "" } = (parse(yaml) ?? {}) as Readonly<Record<string, string>>;
  if (!title || !description)
    throw new Error(`${source}: a page begins with front matter that has title and description`);
  const heading = /^\s*# /.test(body) || section === "home" ? "" : `# ${title}\n\n`;
  return {
    path,
    title,
    description,
    also,
    section,
    source,
    markdown: `${heading}${body.trim()}\n`,
  };
}

/** Reads the guides in the order of the navigation, and creates their index. */
export function readGuides(): {
  readonly pages: readonly Page[];
  readonly sidebar: readonly NavGroup[];
} {
  const groups = Object.entries(guideGroups).map(([title, names]) => ({
    title,
    guides: names.map((name) =>
      name === "benchmarks"
        ? readPage("docs/benchmarks.md", "benchmarks", "guides")
        : readPage(`docs/guides/${name}.md`, `guides/${name}`, "guides"),
    ),
  }));
  const lists = groups.map((group) =>
    [
      `## ${group.title}\n`,
      ...group.guides.map(
        ({ path, title, description }) => `- [${title}](${path}.md)  \n  ${description}`,
      ),
    ].join("\n"),
  );
  const index: Page = {
    path: "guides",
    title: "Guides",
    description: "From a first video to many at once, errors and money, and how to test for free.",
    section: "guides",
    markdown: `# Guides\n\nThe tests run every program of these guides.\n\n${lists.join("\n\n")}\n`,
    source: "scripts/docs/navigation.ts",
  };
  return {
    pages: [index, ...groups.flatMap((group) => group.guides)],
    sidebar: [
      { title: "", links: [{ path: "guides", title: "All guides" }] },
      ...groups.map(({ title, guides }) => ({ title, links: guides })),
    ],
  };
}

/** Merges the packages' changelogs into one page. */
export function changelogPage(): Page {
  const logs = ["sdk", "cli", "stores", "proxy", "batch", "ai-sdk-provider", "mcp", "emulator"].map(
    (name) =>
      readFileSync(join(root, `packages/${name}/CHANGELOG.md`), "utf8").replace(/^#/gm, "##"),
  );
  return {
    path: "changelog",
    title: "Changelog",
    description: "What changed in each version of the packages.",
    section: "changelog",
    markdown: `# Changelog\n\n${logs.join("\n")}`,
    source: "packages/sdk/CHANGELOG.md",
  };
}

export function playgroundPage(): Page {
  return {
    path: "playground",
    title: "Playground",
    description:
      "Fill in a form made from the spec, choose a fault, and send it to the emulator inside the page.",
    section: "playground",
    markdown: [
      "# Playground",
      "Each operation has a form made from the spec, with its limits. The SDK's own checks report mistakes. Send goes to the emulator inside the page: it is free, and nothing leaves the browser.",
      "A menu has every fault of the emulator. The page shows the SDK's own error, its log, and the program that handles the error, in TypeScript and curl. The URL of the page holds the filled-in form.",
      "Without a browser: `npx @mediagen/cli emulator exec -- node program.ts` runs a program with the same emulator.\n",
    ].join("\n\n"),
    html: readFileSync(join(root, "docs/site/playground.html"), "utf8"),
    layout: "playground",
    scripts: ["playground.js"],
    styles: ["playground.css"],
    source: "docs/site/playground.html",
  };
}

export function notFoundPage(site: Site): string {
  const page: Page = {
    path: "404",
    title: "Page not found",
    description: "There is no page at this URL.",
    section: "",
    markdown: "",
    layout: "home",
  };
  const base = new URL(site.url).pathname;
  const body = `<h1>Page not found</h1>\n<p>The page may have moved. Press <kbd>/</kbd> to search, or start at the <a href="${base}">home page</a>, the <a href="${base}guides/">guides</a>, the <a href="${base}api/">API</a> or the <a href="${base}sdk/">SDK</a>.</p>\n`;
  return renderPage(site, page, { body, headings: [], root: base }).replace(
    /<link rel="(canonical|alternate)"[^>]*>\n/g,
    "",
  );
}
