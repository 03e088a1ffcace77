import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { readSpec, specFile } from "../spec.ts";
import { buildAssets } from "./assets.ts";
import { drawCharts } from "./charts.ts";
import { checkLinks } from "./links.ts";
import { finishPage, type PageOf } from "./finish-page.ts";
import { createRenderer } from "./markdown.ts";
import { drawMedia } from "./media.ts";
import { operationPages } from "./operations.ts";
import { renderPage } from "./page.ts";
import { twinOf, type Page, type Site } from "./site.ts";
import { headersFile } from "./policy.ts";
import { readReference } from "./reference.ts";
import { searchEntries, type SearchEntry } from "./search.ts";
import {
  changelogPage,
  notFoundPage,
  playgroundPage,
  readGuides,
  readPage,
} from "./written-pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The comment of the home page that stands for how to make a clone. */
const inClone = /^# in a clone: free\n/m;

/**
 * Builds the site into the directory `out`, which is replaced. The same sources give the same
 * bytes. `url` is the URL of the site, with a trailing slash, and `repository` that of the
 * repository, for edit links.
 */
export async function buildSite(
  out: string,
  url: string,
  repository: string | undefined = manifestOf("").repository?.url.replace(/^git\+|\.git$/g, ""),
): Promise<void> {
  const yaml = readFileSync(specFile, "utf8");
  const spec = readSpec(yaml);
  const [reference, media] = await Promise.all([readReference(spec, repository), drawMedia(spec)]);
  const operations = operationPages(yaml);
  const pageOf: PageOf = (name) =>
    reference.pageOf.get(name) ?? operations.pages.find(({ path }) => path === `api/${name}`)?.path;
  const render = createRenderer((name) => reference.pageOf.get(name));
  const { pages: guides, sidebar } = readGuides();
  const home = readPage("docs/home.md", "", "home");
  const written: readonly Page[] = [
    {
      ...home,
      layout: "home",
      markdown: home.markdown.replace(
        inClone,
        repository ? `git clone ${repository} mediagen\ncd mediagen && ` : "$&",
      ),
    },
    ...guides,
    ...operations.pages,
    ...reference.pages,
    playgroundPage(),
    changelogPage(),
  ];
  const pages = written.map((page): Page => ({
    ...page,
    markdown: finishPage(page.markdown, page.source ?? page.path, twinOf(page), pageOf),
  }));
  const site: Site = {
    url,
    repository,
    version: manifestOf("packages/sdk").version,
    sidebars: { guides: sidebar, api: operations.sidebar, sdk: reference.sidebar },
  };

  const files = new Map<string, string | Uint8Array>();
  const search: SearchEntry[] = [];
  for (const page of pages) {
    const { html, headings } = render(page.markdown, page.path, twinOf(page));
    files.set(
      posix.join(page.path, "index.html"),
      renderPage(site, page, { body: page.html ?? drawCharts(html), headings }),
    );
    files.set(twinOf(page), page.markdown.replace(/^<!-- charts: .* -->\n\n?/gm, ""));
    search.push(...searchEntries(page, headings));
  }
  const further = {
    "404.html": notFoundPage(site),
    "api/openapi.yaml": yaml,
    "api/openapi.json": operations.bundle,
    "sdk/reference.json": reference.json,
    "assets/search.json": JSON.stringify(search),
    "sitemap.xml": sitemap(pages, url),
    "robots.txt": `User-agent: *\nAllow: /\nSitemap: ${url}sitemap.xml\n`,
    "llms.txt": llmsIndex(pages, url, operations.authentication),
    "llms-full.txt": pages.map((page) => files.get(twinOf(page))).join("\n---\n\n"),
    _headers: headersFile,
    ...media,
  };
  for (const [name, content] of Object.entries(further)) files.set(name, content);

  const broken = checkLinks(files);
  if (broken.length > 0)
    throw new Error(`${broken.length} links are broken:\n  ${broken.join("\n  ")}`);
  await rm(out, { recursive: true, force: true });
  for (const directory of new Set(
    [...files.keys(), "assets/"].map((name) => dirname(join(out, `${name}.`))),
  ))
    await mkdir(directory, { recursive: true });
  await Promise.all([...files].map(([name, content]) => writeFile(join(out, name), content)));
  await buildAssets(join(out, "assets"));
}

function sitemap(pages: readonly Page[], url: string): string {
  const places = pages.map(
    ({ path }) => `<url><loc>${url}${path === "" ? "" : `${path}/`}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join("\n")}\n</urlset>\n`;
}

/**
 * Returns llms.txt (https://llmstxt.org): a description of the site, and the Markdown URL of each
 * page.
 */
function llmsIndex(pages: readonly Page[], url: string, authentication: string): string {
  const [home] = pages;
  const list = (title: string, section: string) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => `- [${page.title}](${url}${twinOf(page)}): ${page.description}`);
    return `## ${title}\n\n${items.join("\n")}`;
  };
  return [
    `# mediagen`,
    `> ${home?.description}`,
    `The service is called over HTTP. ${authentication}`,
    `All pages in one file: ${url}llms-full.txt. The service's OpenAPI description: ${url}api/openapi.yaml. The SDK's reference as TypeDoc JSON: ${url}sdk/reference.json`,
    ...["Guides", "API", "SDK", "Playground", "Changelog"].map((title) =>
      list(title, title.toLowerCase()),
    ),
    "",
  ].join("\n\n");
}

function manifestOf(directory: string): {
  readonly version: string;
  readonly repository?: { readonly url: string };
} {
  return JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
}
