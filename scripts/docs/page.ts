import { posix } from "node:path";

/** A page of the site before it is put into the template. */
export interface Page {
  /** Where it stands, without slashes at the ends; "" is the home page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** Other words by which people look for it. */
  readonly also?: string;
  /** Which entry of the header it belongs to. */
  readonly section: string;
  /** The page as Markdown, includes resolved; links to other pages are relative, and end in `.md`. */
  readonly markdown: string;
  /** What stands small above its title; the section's title where it is not said. */
  readonly place?: string;
  /** HTML in the place of what is made of the Markdown. */
  readonly html?: string;
  /** The file of the repository that it is written in. */
  readonly source?: string;
  /** What the page loads besides the site's own script. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** A name for the style sheet, where the page has a layout of its own. */
  readonly layout?: "home" | "redoc" | "playground";
}

/** A link of a sidebar: to a page, or to a place of the page that it is on. */
export interface NavLink {
  readonly path: string;
  readonly anchor?: string;
  readonly title: string;
  /** Whether the title is a name in code. */
  readonly code?: boolean;
}

/** Links of a sidebar under a heading. */
export interface NavGroup {
  readonly title: string;
  readonly links: readonly NavLink[];
  /** Whether it is folded up where the current page is not among its links. */
  readonly folded?: boolean;
}

/** The site as far as each of its pages must know it. */
export interface Site {
  /** Where it will be reached, with a slash at the end. */
  readonly url: string;
  /** The repository's address, for edit links; undefined where it is not known. */
  readonly repository: string | undefined;
  /** The sidebar of each section, and that of Redoc's page, whose links stay on it. */
  readonly sidebars: Readonly<Record<string, readonly NavGroup[]>>;
}

/** A heading that the page's own contents list. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** The sections in the header. */
export const sections: readonly { readonly section: string; readonly title: string }[] = [
  { section: "guides", title: "Guides" },
  { section: "api", title: "API" },
  { section: "sdk", title: "SDK" },
  { section: "playground", title: "Playground" },
];

/** The text as it stands in HTML, also between quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** The relative address from one page to another place of the site. */
export function relative(from: string, to: string): string {
  return posix.relative(`/${from}`, `/${to}`) || ".";
}

/** The relative URL of a page, which is a directory, or of a file. */
export function pageLink(from: string, to: string): string {
  return to.includes(".") ? relative(from, to) : `${relative(from, to)}/`;
}

/** The file of a page's Markdown twin. */
export function twinOf({ path }: Pick<Page, "path">): string {
  return path === "" ? "index.md" : `${path}.md`;
}

/** Returns a complete page. `root` is where the site begins, as seen from the page. */
export function renderPage(
  site: Site,
  page: Page,
  body: string,
  headings: readonly Heading[],
  root = pageLink(page.path, ""),
): string {
  const { path, title, section, layout = "" } = page;
  const whole = path === "" ? title : `${title} · mediagen`;
  const description = escapeHtml(page.description);
  const url = `${site.url}${path === "" ? "" : `${path}/`}`;
  const sidebar = site.sidebars[layout === "redoc" ? "redoc" : section];
  const contents = headings.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(whole)}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="canonical" href="${url}">
<link rel="alternate" type="text/markdown" href="${root}${twinOf(page)}">
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${site.url}assets/card.png">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" type="image/svg+xml" href="${root}assets/icon.svg">
<link rel="stylesheet" href="${root}assets/style.css">
${(page.styles ?? []).map((name) => `<link rel="stylesheet" href="${root}assets/${name}">\n`).join("")}<script src="${root}assets/site.js"></script>
${(page.scripts ?? []).map((name) => `<script type="module" src="${root}assets/${name}"></script>\n`).join("")}</head>
<body class="${layout}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${root}"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M9.5 7.5v9l7.5-4.5z"/></svg>mediagen</a>
<nav aria-label="Sections">${sections.map((one) => `<a href="${root}${one.section}/"${one.section === section ? ` aria-current="${path === one.section ? "page" : "true"}"` : ""}>${one.title}</a>`).join("")}</nav>
<div class="tools">
<button type="button" id="search-button" aria-haspopup="dialog"><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg><span>Search</span> <kbd>/</kbd></button>
<button type="button" id="theme-button" aria-label="Theme: as the system"><svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path class="for-system" d="M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 3v14a7 7 0 0 0 0-14z"/><path class="for-light" d="M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6l1.5 1.5M14.9 14.9l1.5 1.5M3.6 16.4l1.5-1.5M14.9 5.1l1.5-1.5"/><path class="for-dark" d="M16.5 12.5A7 7 0 0 1 7.5 3.5a7 7 0 1 0 9 9z"/></svg></button>
</div>
${
  layout === "redoc"
    ? `<h1 class="unseen">${escapeHtml(title)}</h1>
`
    : ""
}</header>
<div class="frame">
${sidebar ? `${renderSidebar(page, sidebar)}\n` : ""}${layout === "redoc" ? `<div id="content" tabindex="-1"><section aria-label="This page">${renderActions(page, root)}</section>${body}<footer class="foot">${renderSource(site, page)}</footer></div>` : renderMain(site, page, body, root, sidebar !== undefined)}
${layout === "" && contents.length > 1 ? renderContents(contents) : ""}</div>
</body>
</html>
`;
}

function renderMain(site: Site, page: Page, body: string, root: string, hasSidebar: boolean): string {
  if (page.layout === "home")
    return `<main id="content" tabindex="-1">\n${body}${page.markdown === "" ? "" : `<div class="end"><footer class="foot">${renderSource(site, page)}</footer>${renderActions(page, root)}</div>`}</main>`;
  const neighbours = hasSidebar && page.section === "guides" ? renderNeighbours(site, page) : "";
  return `<main id="content" tabindex="-1">
${renderActions(page, root)}
${body}${neighbours}<footer class="foot">${renderSource(site, page)}</footer>
</main>`;
}

/** Where the page stands, and its Markdown. */
function renderActions(page: Page, root: string): string {
  const place = page.place ?? sections.find(({ section }) => section === page.section)?.title ?? "";
  return `<div class="actions"><p>${escapeHtml(place === page.title ? "" : place)}</p><button type="button" id="copy-page">Copy as Markdown</button><a href="${root}${twinOf(page)}">Markdown</a></div>`;
}

function renderSource({ repository }: Site, { source, section }: Page): string {
  if (source === undefined) return "";
  if (repository) return `<a href="${repository}/edit/main/${source}">Edit this page</a>`;
  return `${section === "guides" || section === "home" ? "Written" : "Made from what is written"} in <code>${source}</code>.`;
}

/** The page before and the one after, in the sidebar's order. */
function renderNeighbours(site: Site, page: Page): string {
  const links = (site.sidebars[page.section] ?? []).flatMap((group) => group.links);
  const at = links.findIndex(({ path }) => path === page.path);
  const side = (word: string, link: NavLink | undefined) =>
    link
      ? `<a class="${word.toLowerCase()}" href="${pageLink(page.path, link.path)}"><span>${word}</span>${escapeHtml(link.title)}</a>`
      : "";
  return `<nav class="neighbours" aria-label="Neighbouring pages">${side("Previous", links[at - 1])}${side("Next", links[at + 1])}</nav>`;
}

function renderSidebar(page: Page, groups: readonly NavGroup[]): string {
  const link = ({ path, anchor, title, code }: NavLink) => {
    const text = code ? `<code>${escapeHtml(title)}</code>` : escapeHtml(title);
    return `<li><a href="${anchor ?? pageLink(page.path, path)}"${path === page.path && !anchor ? ' aria-current="page"' : ""}>${text}</a></li>`;
  };
  const list = ({ title, links, folded }: NavGroup) => {
    const items = `<ul>${links.map(link).join("")}</ul>`;
    if (!folded) return `<p>${escapeHtml(title)}</p>${items}`;
    return `<details${links.some(({ path }) => path === page.path) ? " open" : ""}><summary>${escapeHtml(title)}</summary>${items}</details>`;
  };
  return `<button type="button" id="menu-button" aria-expanded="false" aria-controls="menu">Pages of this section</button>
<nav class="sidebar" id="menu" aria-label="Pages of this section">${groups.map(list).join("")}</nav>`;
}

function renderContents(headings: readonly Heading[]): string {
  const items = headings.map(
    ({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>\n`;
}
