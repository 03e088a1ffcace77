import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { specFile } from "../spec.ts";
import { drawCharts } from "./charts.ts";
import { checkLinks } from "./links.ts";
import { finishPage, type PageOf, readFrontMatter } from "./finish-page.ts";
import { createRenderer, type Rendered } from "./markdown.ts";
import { drawMedia } from "./media.ts";
import { operationPages } from "./operations.ts";
import { renderPage, twinOf, type NavGroup, type Page, type Site } from "./page.ts";
import { readReference } from "./reference.ts";
import { searchEntries } from "./search.ts";
import { readSpecPages } from "./tables.ts";

/** How to build the site. */
export interface BuildOptions {
  /** The directory to build into. Its content is replaced. */
  readonly out: string;
  /** Where the site will be reached, with a slash at the end. */
  readonly url: string;
  /** The repository's address, for edit links. @default `repository` of package.json */
  readonly repository?: string | undefined;
  /** Called with how far the build has come. */
  readonly tell?: (what: string) => void;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds the site. The same sources give the same bytes. */
export async function buildSite({
  out,
  url,
  repository = repositoryOf(),
  tell = () => undefined,
}: BuildOptions): Promise<void> {
  const yaml = readFileSync(specFile, "utf8");
  const specPages = readSpecPages(yaml);
  const [reference, renderer, media] = await Promise.all([
    readReference(),
    createRenderer(),
    drawMedia(specPages.spec),
  ]);
  tell(`read the spec and ${reference.pages.length} pages of the SDK's reference, made a picture and a clip`);

  const operations = operationPages(yaml, specPages);
  const pageOf: PageOf = (scheme, name) =>
    scheme === "sdk" ? reference.pageOf.get(name) : operations.pages.find(({ path }) => path === `api/${name}`)?.path;
  const { pages: guides, sidebar } = readGuides();
  const home = readPage("docs/home.md", "", "home");
  const written: readonly Page[] = [
    { ...home, layout: "home" },
    ...guides,
    ...operations.pages,
    ...reference.pages,
    playgroundPage(),
  ];
  const pages = written.map((page): Page => ({
    ...page,
    markdown: finishPage(page.markdown, page.source ?? page.path, twinOf(page), pageOf),
  }));
  const site: Site = {
    url,
    repository,
    sidebars: { guides: sidebar, api: operations.sidebar, redoc: operations.redocSidebar, sdk: reference.sidebar },
  };

  const files = new Map<string, string | Uint8Array>();
  const rendered = new Map<Page, Rendered>(
    pages.map((page) => [page, renderer.render(page.markdown, page.path, twinOf(page))]),
  );
  for (const [page, { html, headings }] of rendered) {
    const body = drawCharts(page.layout === "redoc" ? `<div id="redoc"><main>${html}</main></div>` : html);
    files.set(
      page.path === "" ? "index.html" : `${page.path}/index.html`,
      renderPage(site, page, page.html ?? body, headings),
    );
    files.set(twinOf(page), page.markdown);
  }
  files.set("404.html", notFoundPage(site));
  files.set("api/openapi.yaml", yaml);
  files.set("api/openapi.json", operations.bundle);
  files.set(
    "assets/search.json",
    JSON.stringify([...rendered].flatMap(([page, { headings }]) => searchEntries(page, headings))),
  );
  for (const [name, bytes] of Object.entries(media)) files.set(`assets/${name}`, bytes);
  files.set("sitemap.xml", sitemap(pages, url));
  files.set("robots.txt", `User-agent: *\nAllow: /\nSitemap: ${url}sitemap.xml\n`);
  files.set("llms.txt", llmsIndex(pages, url));
  files.set("llms-full.txt", pages.map(({ markdown }) => markdown.trim()).join("\n\n---\n\n") + "\n");
  files.set("_headers", headersFile());
  tell(`rendered ${pages.length} pages`);

  const broken = checkLinks(files);
  if (broken.length > 0) throw new Error(`${broken.length} links lead nowhere:\n  ${broken.join("\n  ")}`);
  await rm(out, { recursive: true, force: true });
  for (const directory of new Set([...files.keys(), "assets/"].map((name) => dirname(join(out, `${name}.`)))))
    await mkdir(directory, { recursive: true });
  await Promise.all([...files].map(([name, content]) => writeFile(join(out, name), content)));
  await buildAssets(join(out, "assets"));
  tell(`built ${out}`);
}

/** Scripts and styles: the site's own are made small, the playground carries SDK and emulator along, Redoc is copied. */
async function buildAssets(directory: string): Promise<void> {
  const entry = (name: string) => join(root, "docs/site", name);
  const shared = {
    minify: true,
    legalComments: "none",
    target: "es2022",
    logLevel: "warning",
    absWorkingDir: root,
  } as const;
  const plain = build({
    ...shared,
    format: "iife",
    entryPoints: ["site.ts", "style.css", "api.css", "playground.css", "icon.svg"].map(entry),
    loader: { ".svg": "copy" },
    outdir: directory,
  });
  const bundled = build({
    ...shared,
    bundle: true,
    format: "esm",
    entryPoints: ["api.ts", "search.ts", "playground.ts"].map(entry),
    external: ["./redoc.js"],
    outdir: directory,
    // From their sources, so that the emulator's copy of the spec is bundled once.
    alias: {
      "@mediagen/sdk": join(root, "packages/sdk/src/index.ts"),
      "@mediagen/emulator": join(root, "packages/emulator/src/index.ts"),
    },
  });
  // The package exports nothing but its package.json.
  const redocly = dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json"));
  const redoc = quietRedoc(readFileSync(join(redocly, "lib/chunks/redoc.standalone.js"), "utf8"));
  await Promise.all([
    plain,
    bundled,
    writeFile(join(directory, "redoc.js"), redoc),
    copyFile(join(redocly, "LICENSE"), join(directory, "redoc.LICENSE.txt")),
  ]);
}

/** Redoc without what it loads from elsewhere, tells the console, or styles by attributes, which a strict policy forbids. */
function quietRedoc(script: string): string {
  const changes: readonly (readonly [string, string])[] = [
    ["https://cdn.redoc.ly/redoc/logo-mini-full.svg", emptyImage],
    ["https://cdn.redoc.ly/redoc/logo-mini.svg", emptyImage],
    ["https://otel.cloud.redocly.com/v1/traces", ""],
    ['a=i?` style="color: var(${i})"`:``', "a=``"], // Its classes say the same, and api.css colours them.
    ["typeof document<`u`&&console.info(", "0&&("],
    ["return e._factory??=Function(XDe),!0", "return!1"], // Its search, which the site's own stands for, would evaluate text for a worker.
    ['"aria-label":`Example`,', ""], // It hid from screen readers which example is chosen.
  ];
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2)
      throw new Error(`Redoc no longer has ${JSON.stringify(from)} once: see what has become of it`);
    return text.replace(from, () => to);
  }, script);
}

const emptyImage = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

/** A page of the repository with front matter. */
function readPage(source: string, path: string, section: string): Page & { readonly order: number } {
  const { matter, body } = readFrontMatter(readFileSync(join(root, source), "utf8"), source);
  const { title, description, also = "", order = 0 } = matter;
  if (typeof title !== "string" || typeof description !== "string")
    throw new Error(`${source}: the front matter needs title and description`);
  if (typeof also !== "string") throw new Error(`${source}: \`also\` in the front matter is a line of words`);
  const heading = /^# /m.test(body) || section === "home" ? "" : `# ${title}\n\n`;
  return {
    path,
    title,
    description,
    also,
    section,
    source,
    markdown: `${heading}${body.trim()}\n`,
    order: Number(order),
  };
}

function readGuides(): { readonly pages: readonly Page[]; readonly sidebar: readonly NavGroup[] } {
  const directory = join(root, "docs/guides");
  const names = existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith(".md"))
        .sort()
    : [];
  const guides = names
    .map((name) => readPage(`docs/guides/${name}`, `guides/${name.replace(/\.md$/, "")}`, "guides"))
    .sort((a, b) => a.order - b.order);
  const list = guides.map(({ path, title, description }) => `- [${title}](${path}.md)  \n  ${description}`);
  const index: Page = {
    path: "guides",
    title: "Guides",
    description: "From a first video to many at once, errors and money, and how to test for free.",
    section: "guides",
    markdown: `# Guides\n\nThe tests run every program of these guides.\n\n${list.join("\n")}\n`,
  };
  const benchmarks = readPage("docs/benchmarks.md", "benchmarks", "guides");
  const links = [...guides, benchmarks].map(({ path, title }) => ({ path, title }));
  return {
    pages: [index, ...guides, benchmarks],
    sidebar: [{ title: "Guides", links: [{ path: "guides", title: "All guides" }, ...links] }],
  };
}

function playgroundPage(): Page {
  return {
    path: "playground",
    title: "Playground",
    description:
      "Fill in a form made from the spec, see the exact TypeScript and curl, and send it to the emulator inside the page.",
    section: "playground",
    markdown:
      [
        "# Playground",
        "Each operation has a form made from the spec, with its limits. The SDK's own checks say what is wrong, and the TypeScript and curl for your input are next to it. Without a URL, Send goes to the emulator inside the page: it is free, and nothing leaves the browser.",
        "Without a browser: `npx mediagen-emulator exec -- node program.ts` runs a program with the same emulator.",
      ].join("\n\n") + "\n",
    html: readFileSync(join(root, "docs/site/playground.html"), "utf8"),
    layout: "playground",
    scripts: ["playground.js"],
    styles: ["playground.css"],
    source: "docs/site/playground.html",
  };
}

function notFoundPage(site: Site): string {
  const page: Page = {
    path: "404",
    title: "There is no such page",
    description: "Nothing is at this URL.",
    section: "",
    markdown: "",
    layout: "home",
  };
  const base = new URL(site.url).pathname;
  const body = `<h1>There is no such page</h1>\n<p>Perhaps it moved. Search with <kbd>/</kbd>, or begin at the <a href="${base}">home page</a>.</p>\n`;
  return renderPage(site, page, body, [], base)
    .replace(/<link rel="(canonical|alternate)"[^>]*>\n/g, "")
    .replace(
      "<title>",
      `<meta http-equiv="Content-Security-Policy" content="${policy().replace(/; frame-ancestors [^;]*/, "")}">\n<title>`,
    );
}

/** Styled components write into a style element that is empty when it is made: the hash of nothing. */
const emptyStyle = `'sha256-${createHash("sha256").update("").digest("base64")}'`;

function policy({ connect = "'self'", style = "'self'", font = "'none'" } = {}): string {
  return `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data: blob:; media-src 'self' blob:; font-src ${font}; connect-src ${connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The headers of each place, as Netlify, Cloudflare and others read them; no address matches two policies, which would add up. */
function headersFile(): string {
  const everywhere = [
    "X-Content-Type-Options: nosniff",
    "Referrer-Policy: no-referrer",
    "Cross-Origin-Opener-Policy: same-origin",
    "Permissions-Policy: camera=(), geolocation=(), microphone=()",
  ];
  const policies: readonly (readonly [string, string])[] = [
    ["/", policy()],
    ["/404.html", policy()],
    ["/guides/*", policy()],
    ["/benchmarks/*", policy()],
    ["/sdk/*", policy()],
    ["/api/*", policy({ style: `'self' ${emptyStyle}`, font: "data:" })],
    // The reader may enter the URL of a service.
    ["/playground/*", policy({ connect: "'self' https: http://127.0.0.1:* http://localhost:*" })],
  ];
  const block = (place: string, headers: readonly string[]) =>
    `${place}\n${headers.map((header) => `  ${header}\n`).join("")}`;
  return [
    block("/*", everywhere),
    ...policies.map(([place, value]) => block(place, [`Content-Security-Policy: ${value}`])),
  ].join("\n");
}

function sitemap(pages: readonly Page[], url: string): string {
  const places = pages.map(({ path }) => `<url><loc>${url}${path === "" ? "" : `${path}/`}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join("\n")}\n</urlset>\n`;
}

/** https://llmstxt.org: what the site is, and where each page stands as Markdown. */
function llmsIndex(pages: readonly Page[], url: string): string {
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
    `All of it in one file: ${url}llms-full.txt. The service's description: ${url}api/openapi.yaml`,
    list("Guides", "guides"),
    list("API", "api"),
    list("SDK", "sdk"),
    list("Playground", "playground"),
    "",
  ].join("\n\n");
}

function repositoryOf(): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly repository?: string | { readonly url: string };
  };
  const address = typeof repository === "string" ? repository : repository?.url;
  return address?.replace(/^git\+|\.git$/g, "");
}
