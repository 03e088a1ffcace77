import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { specFile } from "../spec.ts";
import { buildAssets } from "./assets.ts";
import { drawCharts } from "./charts.ts";
import { checkLinks } from "./links.ts";
import { finishPage, type PageOf } from "./finish-page.ts";
import { createRenderer, type Rendered } from "./markdown.ts";
import { drawMedia } from "./media.ts";
import { operationPages } from "./operations.ts";
import { renderPage } from "./page.ts";
import { twinOf, type Page, type Site } from "./site.ts";
import { headersFile } from "./policy.ts";
import { readReference } from "./reference.ts";
import { furtherEntries, searchEntries } from "./search.ts";
import { readSpecPages } from "./tables.ts";
import { changelogPage, notFoundPage, playgroundPage, readGuides, readPage } from "./written-pages.ts";

/** Options of `buildSite`. */
export interface BuildOptions {
  /** The directory to build into. Its content is replaced. */
  readonly out: string;
  /** The URL of the site, with a trailing slash. */
  readonly url: string;
  /** The repository's URL, for edit links. @default `repository` of package.json */
  readonly repository?: string | undefined;
  /** Called with the progress of the build. */
  readonly tell?: (what: string) => void;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The line of the home page that is run in a clone. */
const inClone = /^(npm ci && npm start)   # in a clone: free$/m;

/** Builds the site. The same sources give the same bytes. */
export async function buildSite({
  out,
  url,
  repository = manifestOf("").repository?.url.replace(/^git\+|\.git$/g, ""),
  tell = () => undefined,
}: BuildOptions): Promise<void> {
  const yaml = readFileSync(specFile, "utf8");
  const specPages = readSpecPages(yaml);
  const [reference, media] = await Promise.all([readReference(specPages.spec), drawMedia(specPages.spec)]);
  tell(`read the spec and ${reference.pages.length} pages of the SDK's reference, made a clip`);

  const operations = operationPages(yaml, specPages);
  const pageOf: PageOf = (name) =>
    reference.pageOf.get(name) ?? operations.pages.find(({ path }) => path === `api/${name}`)?.path;
  const render = await createRenderer((name) => reference.pageOf.get(name));
  const { pages: guides, sidebar } = readGuides();
  const home = readPage("docs/home.md", "", "home");
  const written: readonly Page[] = [
    {
      ...home,
      layout: "home",
      markdown: repository ? home.markdown.replace(inClone, `git clone ${repository}\n$1`) : home.markdown,
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
  const rendered = new Map<Page, Rendered>(pages.map((page) => [page, render(page.markdown, page.path, twinOf(page))]));
  for (const [page, { html, headings }] of rendered) {
    const body = drawCharts(page.layout === "redoc" ? `<div id="redoc"><main>${html}</main></div>` : html);
    files.set(
      page.path === "" ? "index.html" : `${page.path}/index.html`,
      renderPage(site, page, page.html ?? body, headings),
    );
    files.set(twinOf(page), withoutMarks(page.markdown));
  }
  files.set("404.html", notFoundPage(site));
  files.set("api/openapi.yaml", yaml);
  files.set("api/openapi.json", operations.bundle);
  files.set("sdk/reference.json", reference.json);
  files.set(
    "assets/search.json",
    JSON.stringify([
      ...[...rendered].flatMap(([page, { headings }]) => searchEntries(page, headings)),
      ...furtherEntries,
    ]),
  );
  for (const [name, bytes] of Object.entries(media)) files.set(`assets/${name}`, bytes);
  files.set("sitemap.xml", sitemap(pages, url));
  files.set("robots.txt", `User-agent: *\nAllow: /\nSitemap: ${url}sitemap.xml\n`);
  files.set("llms.txt", llmsIndex(pages, url, operations.authentication));
  files.set("llms-full.txt", pages.map(({ markdown }) => withoutMarks(markdown).trim()).join("\n\n---\n\n") + "\n");
  const short = pages.filter(({ section, path }) => section === "guides" || path.startsWith("api/generate"));
  files.set("llms-small.txt", short.map(({ markdown }) => withoutMarks(markdown).trim()).join("\n\n---\n\n") + "\n");
  files.set("_headers", headersFile);
  tell(`rendered ${pages.length} pages`);

  const broken = checkLinks(files);
  if (broken.length > 0) throw new Error(`${broken.length} links are broken:\n  ${broken.join("\n  ")}`);
  await rm(out, { recursive: true, force: true });
  for (const directory of new Set([...files.keys(), "assets/"].map((name) => dirname(join(out, `${name}.`)))))
    await mkdir(directory, { recursive: true });
  await Promise.all([...files].map(([name, content]) => writeFile(join(out, name), content)));
  await buildAssets(join(out, "assets"));
  tell(`built ${out}`);
}

/** Returns a page's Markdown without the marks of its charts, because its tables have the figures. */
function withoutMarks(markdown: string): string {
  return markdown.replace(/^<!-- charts: .* -->\n\n?/gm, "");
}

function sitemap(pages: readonly Page[], url: string): string {
  const places = pages.map(({ path }) => `<url><loc>${url}${path === "" ? "" : `${path}/`}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join("\n")}\n</urlset>\n`;
}

/** Returns llms.txt (https://llmstxt.org): a description of the site, and the Markdown URL of each page. */
function llmsIndex(pages: readonly Page[], url: string, authentication: string): string {
  const [home] = pages;
  const list = (title: string, section: string) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => `- [${page.title}](${url}${twinOf(page)}): ${page.description}`);
    return `## ${title}\n\n${items.join("\n")}`;
  };
  const sections = ["Guides", "API", "SDK", "Playground", "Changelog"].map((title) => list(title, title.toLowerCase()));
  return [
    `# mediagen`,
    `> ${home?.description}`,
    `The service is called over HTTP. ${authentication}`,
    `The guides and the forms in one file: ${url}llms-small.txt. All pages: ${url}llms-full.txt. The service's OpenAPI description: ${url}api/openapi.yaml. The SDK's reference as TypeDoc JSON: ${url}sdk/reference.json`,
    ...sections,
    "",
  ].join("\n\n");
}

function manifestOf(directory: string): { readonly version: string; readonly repository?: { readonly url: string } } {
  return JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
}
