import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { checkLinks } from "../../scripts/docs/links.ts";
import { guideGroups, sdkGroups } from "../../scripts/docs/navigation.ts";
import { operations } from "../contract/cases.ts";
import { builtSite, filesOf, pagesIn, siteOptions } from "./built-site.ts";

let files: ReadonlyMap<string, Buffer>;
let pages: readonly string[];
beforeAll(async () => {
  files = await filesOf(await builtSite());
  pages = pagesIn(files);
});
const text = (name: string) => files.get(name)?.toString() ?? "";
/** Of files that have been weighed: all pages load the same style and script. */
const weights = new Map<string, number>();
function weigh(name: string): number {
  const bytes = files.get(name) ?? expect.fail(name);
  const known =
    weights.get(name) ?? (/(png|mp4)$/.test(name) ? bytes : gzipSync(bytes, { level: 9 })).length;
  weights.set(name, known);
  return known;
}

test("every page can be edited where it is written, and what is generated in its source", () => {
  const own = pages.filter((page) => page !== "api/redoc/"); // Its page is Redoc's.
  const edited = own.map(
    (page) => /\/edit\/main\/([^"]+)"/.exec(text(`${page}index.html`))?.[1] ?? "none",
  );
  const known = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    encoding: "utf8",
  }).split("\n");
  expect(edited.filter((file) => !known.includes(file) || file.includes(".gen."))).toEqual([]);
  expect(text("guides/waiting/index.html")).toContain(
    `${siteOptions.repository}/edit/main/docs/guides/waiting.md"`,
  );
});

test("every export in the SDK's reference leads to the line that declares it, and each parameter has a description", () => {
  const written = pages
    .map((page) => text(page.replace(/\/$/, ".md")))
    .filter((twin) => twin.includes("\nExported by `"));
  const link = new RegExp(
    `^Exported by .*\\(${siteOptions.repository}/blob/main/(packages/.+)#L(\\d+)\\)$`,
    "m",
  );
  const astray = written.filter((twin) => {
    const [, file = "", line = ""] = link.exec(twin) ?? [];
    const [, name = "none"] = /^# .*?(\w+)$/m.exec(twin) ?? [];
    return !readFileSync(file, "utf8")
      .split("\n")
      .at(Number(line) - 1)
      ?.includes(name);
  });
  expect(astray).toEqual([]);
  const tables = written.flatMap(
    (twin) => twin.match(/(?<=^#+ Parameters\n\n)(?:\|.*\n)+/gm) ?? [],
  );
  expect(
    tables.filter(
      (table) => !/^\| Parameter \| Type \| Description \|$/m.test(table) || /\| \|$/m.test(table),
    ),
  ).toEqual([]);
  expect(tables.length).toBeGreaterThan(70);
});

// The build rejects links and anchors that are broken.
test("no asset that a page names is missing", () => {
  const named = pages.flatMap(
    (page) => text(`${page}index.html`).match(/(?<=")(?:\.{1,2}\/)*assets\/[^"]+(?=")/g) ?? [],
  );
  const assets = new Set(named.map((name) => name.replace(/^[./]+/, "")));
  expect([...assets].filter((name) => !files.has(name))).toEqual([]);
  expect(assets.size).toBeGreaterThan(7);
});

test("the check of links sees what is broken", () => {
  const html =
    '<a href="gone/"></a><a href="#nowhere"></a><a href="page/#there"></a><a href="https://example.com/"></a>';
  const broken = checkLinks(
    new Map(Object.entries({ "index.html": html, "page/index.html": '<p id="there">' })),
  );
  expect(broken).toEqual(["index.html: href gone/", "index.html: #nowhere has no such anchor"]);
});

test("every operation has a page of its own, with title, samples, fields, and how it is authenticated", () => {
  for (const { operationId, summary } of operations) {
    const html = text(`api/${operationId}/index.html`);
    expect(html).toContain(`<title>${summary} · mediagen</title>`);
    expect(html).toContain("createMediaGen");
    expect(html).toContain("MEDIAGEN_BASE_URL");
    expect(html).toContain(`id="data-${operationId.startsWith("delete") ? "status" : "taskid"}"`);
    for (const twin of [`api/${operationId}.md`, "api.md", "llms.txt"])
      expect(text(twin)).toContain("Authorization");
  }
  const labels = text("api/openapi.json").match(/(?<="label": ").*(?=")/g);
  expect(labels).toEqual(operations.flatMap(() => ["TypeScript", "curl"]));
});

/** Pages that load more than their text, and how many kB: the home page has a clip. */
const heavy: Readonly<Record<string, number>> = {
  "": 100,
  "playground/": 120,
  "api/redoc/": 750,
  "benchmarks/": 40,
};

test("a page loads at most six files, and 30 kB of gzip unless it has a reason", () => {
  const wrong: string[] = [];
  for (const page of pages) {
    const links = text(`${page}index.html`).matchAll(
      /<(?:script|img|video|link rel="(?:stylesheet|icon)"[^>]*)[^>]* (?:src|href)="(?:\.{1,2}\/)*([^"]+)"/g,
    );
    const loaded = [`${page}index.html`, ...[...links].map(([, name = ""]) => name)];
    const bytes = loaded.reduce((sum, name) => sum + weigh(name), 0);
    if (loaded.length > 6 || bytes > (heavy[page] ?? 30) * 1_000)
      wrong.push(`${page}: ${loaded.join()}, ${bytes}`);
  }
  expect(wrong).toEqual([]);
});

describe("for machines", () => {
  test("every page has a Markdown twin that says what it is, and the indices lead to each", () => {
    for (const page of pages) {
      const twin = page === "" ? "index.md" : page.replace(/\/$/, ".md");
      expect(text(twin), twin).toMatch(/^# \S[^]*\n\n[^]{40}/m);
      if (page !== "api/redoc/")
        expect(text(`${page}index.html`), page).toContain('id="copy-page"');
      expect(text("llms.txt") + (page === "" ? twin : ""), twin).toContain(twin);
      expect(text("sitemap.xml")).toContain(`<loc>https://docs.example/${page}</loc>`);
    }
    expect(text("llms-full.txt")).toContain("# First video");
  });

  test("no twin holds an include that was not put in", () => {
    const left = [...files].filter(
      ([name, content]) =>
        name.endsWith(".md") && /^```\w+ file=|<!-- |\]\((sdk|api):/m.test(content.toString()),
    );
    expect(left.map(([name]) => name)).toEqual([]);
  });
});

test("every page carries a policy that allows no inline script or style, and no foreign origin", () => {
  const html = [...files].filter(([name]) => name.endsWith(".html"));
  for (const [name, content] of html) {
    const [, policy = ""] =
      /<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(
        String(content),
      ) ?? [];
    expect(policy, name).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy, name).not.toMatch(/unsafe|\*(?!;| |$)/);
    if (!name.startsWith("playground/")) expect(policy, name).not.toMatch(/https?:|\*/);
  }
  // Hosts receive what a page cannot say of itself.
  expect(text("_headers")).toContain("Content-Security-Policy: frame-ancestors 'none'");
  expect(text("_headers").match(/^\//gm)).toHaveLength(1);
});

test("no two files differ only in case, which macOS and Windows take for one", () => {
  const seen = Map.groupBy(files.keys(), (name) => name.toLowerCase());
  expect([...seen.values()].filter((names) => names.length > 1)).toEqual([]);
});

test("every guide has its group in the navigation, and every list in it is true", () => {
  const guides = readdirSync("docs/guides").map((name) => name.replace(/\.md$/, ""));
  const listed = Object.values(guideGroups).flat();
  expect(guides.filter((name) => !listed.includes(name))).toEqual([]);
  const exported = new Set(
    pages.flatMap((page) => /^sdk\/(\w+)(?:-type)?\/$/.exec(page)?.[1] ?? []),
  );
  const grouped = Object.values(sdkGroups).flat();
  expect(grouped.filter((name) => !exported.has(name))).toEqual([]);
});
