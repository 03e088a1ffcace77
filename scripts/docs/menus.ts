import { sections } from "./navigation.ts";
import {
  escapeHtml,
  pageLink,
  type Heading,
  type NavGroup,
  type NavLink,
  type Page,
  type Site,
} from "./site.ts";

/** Renders the breadcrumb of a page: its section, and its group in the sidebar. */
export function renderCrumbs(page: Page, sidebar: readonly NavGroup[], root: string): string {
  const section = sections.find((one) => one.section === page.section);
  const group = sidebar.find(({ links }) => links.some(({ path }) => path === page.path));
  const own =
    section && page.path !== section.section
      ? `<li><a href="${root}${section.section}/">${section.title}</a></li>`
      : "";
  const inside = own && group?.title ? `<li>${escapeHtml(group.title)}</li>` : "";
  return `<nav class="crumbs" aria-label="Breadcrumb"><ol>${own}${inside}<li aria-current="page">${escapeHtml(own || !section ? page.title : section.title)}</li></ol></nav>`;
}

/** Renders links to the previous and the next page, in the sidebar's order. */
export function renderNeighbours({ path, section }: Page, sidebar: readonly NavGroup[]): string {
  const links = sidebar
    .flatMap((group) => group.links)
    .filter((link) => link.path.split("/")[0] === section && !link.path.includes("."));
  const at = links.findIndex((link) => link.path === path);
  const side = (word: string, link: NavLink | undefined) =>
    link
      ? `<a class="${word.toLowerCase()}" href="${pageLink(path, link.path)}"><span>${word}</span>${escapeHtml(link.title)}</a>`
      : "";
  if (at < 0) return "";
  return `<nav class="neighbours" aria-label="Neighbouring pages">${side("Previous", links[at - 1])}${side("Next", links[at + 1])}</nav>`;
}

/** Renders the sidebar. On a narrow screen it is a menu, with the links of the header. */
export function renderMenu(
  site: Site,
  page: Page,
  groups: readonly NavGroup[],
  root: string,
): string {
  const link = ({ path, title, code }: NavLink) => {
    const text = code ? `<code>${escapeHtml(title)}</code>` : escapeHtml(title);
    return `<li><a href="${pageLink(page.path, path)}"${path === page.path ? ' aria-current="page"' : ""}>${text}</a></li>`;
  };
  const list = ({ title, links, folded }: NavGroup) => {
    const items = `<ul>${links.map(link).join("")}</ul>`;
    if (title === "") return items;
    const open = !folded || links.some(({ path }) => path === page.path);
    return `<details${open ? " open" : ""}><summary>${escapeHtml(title)}</summary>${items}</details>`;
  };
  const wide = [
    ...sections.map(({ section, title }) => ({ title, href: `${root}${section}/` })),
    { title: "Changelog", href: `${root}changelog/` },
    ...(site.repository === undefined ? [] : [{ title: "Repository", href: site.repository }]),
  ];
  const narrow = wide.map(({ title, href }) => `<li><a href="${href}">${title}</a></li>`).join("");
  return `<nav class="sidebar${groups.length === 0 ? " empty" : ""}" id="menu" aria-label="Pages of this section"><ul class="narrow">${narrow}</ul>${groups.map(list).join("")}</nav>`;
}

/** Renders the contents of a page as a list. */
export function renderContents(headings: readonly Heading[]): string {
  const items = headings.map(
    ({ id, text, level }) =>
      `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<ul>${items.join("")}</ul>`;
}
