import { slug } from "github-slugger";
import MarkdownIt, { type Token } from "markdown-it";
import anchor from "markdown-it-anchor";
import alerts from "markdown-it-github-alerts";
import { posix } from "node:path";
import { codeBlock } from "./code.ts";
import type { PageOf } from "./finish-page.ts";
import { pageLink, relative, type Heading } from "./site.ts";

/**
 * Creates a function that renders the Markdown of the page at `path`, whose Markdown file is
 * `twin`. Links to `.md` files become links to pages. `pageOf` returns the page of a type, for
 * links in signatures.
 */
export function createRenderer(pageOf: PageOf = () => undefined) {
  const markdownIt = MarkdownIt({ html: true });
  let headings: Heading[] = [];
  // Anchors as GitHub makes them, so that the Markdown twins' links hold there too.
  markdownIt.use(anchor, {
    level: [2, 3, 4],
    tabIndex: false,
    slugify: (text: string) => slug(text),
    permalink: anchor.permalink.headerLink(),
    callback: ({ tag }, { slug: id, title: text }) =>
      headings.push({ level: Number(tag.slice(1)), id, text }),
  });
  markdownIt.use(alerts);
  const { rules } = markdownIt.renderer;
  rules["hr"] = () => "";
  rules["fence"] = codeRule(pageOf);
  rules["table_open"] = (tokens, at) =>
    `<div class="table${tokens[at]?.markup ?? ""}"><table role="table">`;
  const { code_inline: inline } = rules;
  rules["code_inline"] = (...given) => {
    const [tokens, at] = given;
    const html = inline?.(...given) ?? "";
    return tokens[at]?.info
      ? html.replace(/(?<=\w[.(/_]|[a-z](?=[A-Z]))(?=\w)(?![^<]*>)/g, "<wbr>")
      : html;
  };
  rules["table_close"] = () => "</table></div>\n";
  return (markdown: string, path: string, twin: string) => {
    headings = [];
    const tokens = markdownIt.parse(markdown, {});
    for (const [index, token] of tokens.entries()) {
      if (token.type === "table_open") token.markup = finishTable(tokens, index);
      for (const child of token.children ?? []) {
        const href = child.type === "link_open" ? child.attrGet("href") : null;
        if (href) child.attrSet("href", hrefOf(String(href), path, twin));
      }
    }
    const html = markdownIt.renderer
      .render(tokens, markdownIt.options, { path })
      .replaceAll("<th></th>", "<td></td>")
      .replace(
        /<(thead|tbody|tr|th|td)(?= |>)/g,
        (_, tag: string) => `<${tag} role="${roles[tag]}"`,
      );
    return { html, headings };
  };
}

/** Renders a block of code. Consecutive blocks with a `tab` become one block with tabs. */
function codeRule(pageOf: PageOf) {
  return (tokens: Token[], at: number, _: unknown, env: unknown): string => {
    const { path } = env as { readonly path: string }; // The renderer below passes it.
    const tabOf = (index: number) => {
      const token = tokens[index];
      return token?.type === "fence" ? / tab="([^"]+)"/.exec(token.info)?.[1] : undefined;
    };
    const { info = "", content = "" } = tokens[at] ?? {};
    const plain = codeBlock(content.replace(/\n$/, ""), info);
    const isSignature =
      path.startsWith("sdk/") &&
      tokens[at - 1]?.type === "heading_close" &&
      tokens[at - 2]?.content !== "Example";
    const linked = (name: string) => {
      const page = pageOf(name);
      return page === undefined || page === path
        ? name
        : `<a href="${pageLink(path, page)}">${name}</a>`;
    };
    const block = isSignature
      ? plain.replace(/>[^<]+/g, (text) => text.replace(/\b[A-Z]\w+/g, linked))
      : plain;
    if (!tabOf(at)) return block;
    const end = tabOf(at + 1) ? "" : "</div>\n";
    if (tabOf(at - 1)) return `${block}${end}`;
    let inputs = "";
    for (let index = 0, name; (name = tabOf(at + index)); index++)
      inputs += `<input type="radio" name="tabs-${at}" id="tab-${at}-${index}"${index === 0 ? " checked" : ""}><label for="tab-${at}-${index}">${name}</label>`;
    return `<div class="tabs" role="radiogroup" aria-label="Language">${inputs}${block}${end}`;
  };
}

/**
 * Roles of the elements of a table. Without them, browsers drop the semantics of tables that narrow
 * screens show as blocks.
 */
const roles: Readonly<Record<string, string>> = {
  thead: "rowgroup",
  tbody: "rowgroup",
  tr: "row",
  th: "columnheader",
  td: "cell",
};

/** The characters of code that fit next to each other in a page. */
const room = 84;

/**
 * Adds the head of its column to each cell after the first, except for sentences: narrow screens
 * show it before the cell. Returns the class of a table whose longest words do not fit next to each
 * other; they may break at signs, or anywhere.
 */
function finishTable(tokens: readonly Token[], from: number): string {
  const heads: string[] = [];
  const longest: number[] = [];
  const code: Token[] = [];
  let column = 0;
  for (let index = from; tokens[index]?.type !== "table_close"; index++) {
    const token = tokens[index] as Token; // A table that is open is closed.
    const { content = "", children } = tokens[index + 1] ?? {};
    if (token.attrGet("style") === "text-align:right") {
      token.attrs = []; // A strict policy allows no style attributes.
      token.attrSet("class", "right");
    }
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") heads.push(content);
    if (token.type !== "td_open") continue;
    // Dates and numbers do not wrap.
    if (content.length <= 12) token.attrJoin("class", "short");
    const head = heads[column];
    if (
      column > 0 &&
      head &&
      !/^(what it (is|means)|description|content)$/i.test(head) &&
      content !== ""
    )
      token.attrSet("data-head", head);
    code.push(...(children ?? []).filter(({ type }) => type === "code_inline"));
    const words = (children ?? []).flatMap(({ content: text }) =>
      text.split(" ").map((word) => word.length),
    );
    longest[column] = Math.max(longest[column] ?? 0, ...words);
    column++;
  }
  if (longest.reduce((sum, one) => sum + one + 2, 0) <= room) return "";
  for (const token of code) token.info = "tight";
  return " tight";
}

function hrefOf(href: string, path: string, twin: string): string {
  if (/^([a-z]+:|#|\/\/)/.test(href)) return href;
  const [file = "", anchorOf] = href.split("#");
  const target = posix.join(posix.dirname(twin), file);
  const to = target.endsWith(".md")
    ? pageLink(path, target === "index.md" ? "" : target.slice(0, -".md".length))
    : relative(path, target);
  return anchorOf === undefined ? to : `${to}#${anchorOf}`;
}
