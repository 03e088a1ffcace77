import { posix } from "node:path";

/** A page of the site before it is put into the template. */
export interface Page {
  /** Its path in the site, without leading and trailing slashes; "" is the home page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly also?: string;
  readonly section: string;
  /**
   * The page as Markdown, includes resolved; links to other pages are relative, and end in `.md`.
   */
  readonly markdown: string;
  readonly html?: string;
  /** Its source file in the repository. */
  readonly source?: string;
  /** Scripts that the page loads besides the site's own. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** The name of its own layout, for the style sheet. */
  readonly layout?: "home" | "redoc" | "playground";
}

/** A link in a sidebar to a page. */
export interface NavLink {
  readonly path: string;
  readonly title: string;
  /** Whether the title is a name in code. */
  readonly code?: boolean;
}

/**
 * Links in a sidebar under a heading, which collapses them. Groups without a heading come first.
 */
export interface NavGroup {
  readonly title: string;
  readonly links: readonly NavLink[];
  /** Whether it starts folded, unless the current page is among its links. */
  readonly folded?: boolean;
}

/** The properties of the site that each page needs. */
export interface Site {
  readonly url: string;
  /** For edit links; undefined if it is not known. */
  readonly repository: string | undefined;
  readonly version: string;
  readonly sidebars: Readonly<Record<string, readonly NavGroup[]>>;
}

/** A heading in the page's contents. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** Escapes a text for HTML, also for attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns the relative URL from one page to another path of the site. */
export function relative(from: string, to: string): string {
  return posix.relative(`/${from}`, `/${to}`) || ".";
}

/** Returns the relative URL of a page, which is a directory, or of a file. */
export function pageLink(from: string, to: string): string {
  return to.includes(".") ? relative(from, to) : `${relative(from, to)}/`;
}

/** Returns the path of a page's Markdown file. */
export function twinOf({ path }: Pick<Page, "path">): string {
  return path === "" ? "index.md" : `${path}.md`;
}
