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

/** Links of a sidebar under a heading, which folds them; those without one come first. */
export interface NavGroup {
  readonly title: string;
  readonly links: readonly NavLink[];
  /** Whether it starts folded, unless the current page is among its links. */
  readonly folded?: boolean;
}

/** The site as far as each of its pages must know it. */
export interface Site {
  /** Where it will be reached, with a slash at the end. */
  readonly url: string;
  /** The repository's address, for edit links; undefined where it is not known. */
  readonly repository: string | undefined;
  /** The SDK's version. */
  readonly version: string;
  /** The sidebar of each section, and that of Redoc's page, whose links stay on it. */
  readonly sidebars: Readonly<Record<string, readonly NavGroup[]>>;
}

/** A heading that the page's own contents list. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

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
