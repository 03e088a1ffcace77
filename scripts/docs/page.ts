import { renderContents, renderCrumbs, renderMenu, renderNeighbours } from "./menus.ts";
import { sections } from "./navigation.ts";
import { policyOf } from "./policy.ts";
import {
  escapeHtml,
  pageLink,
  twinOf,
  type Heading,
  type NavGroup,
  type Page,
  type Site,
} from "./site.ts";

interface PageContent {
  readonly body: string;
  readonly headings: readonly Heading[];
  /** The URL of the site's root, by default relative to the page. */
  readonly root?: string;
}

/** Returns a complete page. */
export function renderPage(
  site: Site,
  page: Page,
  { body, headings, root = pageLink(page.path, "") }: PageContent,
): string {
  const { path, title, section, layout = "" } = page;
  const sidebar = layout === "redoc" ? [] : (site.sidebars[section] ?? []);
  const contents = layout === "" ? headings.filter(({ level }) => level === 2 || level === 3) : [];
  const list = contents.length > 1 ? renderContents(contents) : "";
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
${renderHead(site, page, root)}
</head>
<body class="${layout || `in-${section}`}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" id="menu-button" aria-label="Menu" aria-expanded="false" aria-controls="menu">${icons.menu}</button>
<a class="brand" href="${root}">${icons.brand}mediagen</a><a class="version" href="${root}changelog/" aria-label="Version ${site.version}: changelog">${site.version}</a>
<nav aria-label="Sections">${sections.map((one) => `<a href="${root}${one.section}/"${one.section === section ? ` aria-current="${path === one.section ? "page" : "true"}"` : ""}>${one.title}</a>`).join("")}</nav>
<div class="tools">
<button type="button" id="search-button" aria-haspopup="dialog" aria-label="Search">${icons.search}<span>Search</span> <kbd>/</kbd></button>
${site.repository === undefined ? "" : `<a href="${site.repository}">Repository</a>`}
<button type="button" id="theme-button" aria-label="Theme: as the system">${icons.theme}</button>
</div>
${layout === "redoc" ? `<h1 class="unseen">${escapeHtml(title)}</h1>\n` : ""}</header>
<div class="frame">
${renderMenu(site, page, sidebar, root)}
${renderContent(site, page, { body, sidebar, list })}
${list === "" ? "" : `<nav class="contents" aria-label="On this page"><p>On this page</p>${list}</nav>\n`}</div>
</body>
</html>
`;
}

function renderHead(site: Site, page: Page, root: string): string {
  const { path, title, styles = [], scripts = [] } = page;
  const description = escapeHtml(page.description);
  const url = `${site.url}${path === "" ? "" : `${path}/`}`;
  const tags = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(path === "" ? title : `${title} · mediagen`)}</title>`,
    `<meta name="description" content="${description}">`,
    '<meta name="color-scheme" content="light dark">',
    `<link rel="canonical" href="${url}">`,
    `<link rel="alternate" type="text/markdown" href="${root}${twinOf(page)}">`,
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    `<meta property="og:description" content="${description}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:url" content="${url}">`,
    `<meta property="og:image" content="${site.url}assets/card.png">`,
    '<meta name="twitter:card" content="summary_large_image">',
    `<link rel="icon" type="image/svg+xml" href="${root}assets/icon.svg">`,
    ...["style.css", ...styles].map(
      (name) => `<link rel="stylesheet" href="${root}assets/${name}">`,
    ),
    `<script src="${root}assets/site.js"></script>`,
    ...scripts.map((name) => `<script type="module" src="${root}assets/${name}"></script>`),
  ];
  return tags.join("\n");
}

/** Returns the content of a page. `list` has its contents, if it has more than one heading. */
function renderContent(
  site: Site,
  page: Page,
  { body, sidebar, list }: { body: string; sidebar: readonly NavGroup[]; list: string },
): string {
  const root = pageLink(page.path, "");
  const foot = `<footer class="foot">${renderSource(site, page)}</footer>`;
  const actions = `<div class="actions"><button type="button" id="copy-page">Copy page</button><a href="${root}${twinOf(page)}">Markdown</a></div>`;
  if (page.layout === "redoc")
    return `<div id="content" tabindex="-1"><div id="redoc"><main>${body}</main></div></div>`;
  const end =
    page.layout === "home" && page.markdown !== ""
      ? `<div class="end">${foot}${actions}</div>`
      : "";
  if (page.layout === "home") return `<main id="content" tabindex="-1">\n${body}${end}</main>`;
  const menu =
    list && `<details class="on-this-page"><summary>On this page</summary>${list}</details>`;
  const bar = `<div class="bar">${renderCrumbs(page, sidebar, root)}${actions}${menu}</div>`;
  return `<main id="content" tabindex="-1">\n${bar}\n${body}${renderNeighbours(page, sidebar)}${foot}\n</main>`;
}

function renderSource({ repository }: Site, { source }: Page): string {
  return source && repository
    ? `<a href="${repository}/edit/main/${source}">Edit this page</a>`
    : "";
}

const icons = {
  menu: '<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 6h14M3 10h14M3 14h14"/></svg>',
  brand:
    '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M9.5 7.5v9l7.5-4.5z"/></svg>',
  search:
    '<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg>',
  theme: [
    '<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">',
    '<path class="for-system" d="M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 3v14a7 7 0 0 0 0-14z"/>',
    '<path class="for-light" d="M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1v2M10 17v2M1 10h2M17 10h2"/>',
    '<path class="for-light" d="M3.6 3.6l1.5 1.5M14.9 14.9l1.5 1.5M3.6 16.4l1.5-1.5M14.9 5.1l1.5-1.5"/>',
    '<path class="for-dark" d="M16.5 12.5A7 7 0 0 1 7.5 3.5a7 7 0 1 0 9 9z"/></svg>',
  ].join(""),
};
