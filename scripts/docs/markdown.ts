import { posix } from "node:path";
import MarkdownIt, { type Token } from "markdown-it";
import { createCssVariablesTheme, createHighlighter, type BundledLanguage } from "shiki";
import { escapeHtml, pageLink, relative, type Heading } from "./page.ts";

/** What was made of a page's Markdown. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Makes HTML of Markdown; links to `.md` files become links to pages. */
export interface Renderer {
  /** The Markdown of the page at `path`, whose twin is the file `twin`. */
  render(markdown: string, path: string, twin: string): Rendered;
  /** Code as HTML, its words in classes that the style sheet colours. */
  highlight(code: string, language: string): string;
}

const languages: readonly BundledLanguage[] = ["ts", "js", "json", "yaml", "sh", "http", "html", "sql"];
const theme = createCssVariablesTheme({ name: "site", variablePrefix: "--" });

/** Creates the renderer, with the highlighter that it needs. */
export async function createRenderer(): Promise<Renderer> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] });
  const highlight = (code: string, language: string): string => {
    const known = languages.find((one) => one === aliasOf(language));
    if (!known) return escapeHtml(code);
    // Without a timeout, which would make a slow machine build another site.
    const lines = highlighter.codeToTokensBase(code, { lang: known, theme, tokenizeTimeLimit: 0 });
    // Classes, because a strict policy allows no style attributes.
    const spans = lines.map((tokens) =>
      tokens
        .map(({ content, color }) => {
          const name = /--token-([\w-]+)/.exec(color ?? "")?.[1];
          return name && name !== "punctuation"
            ? `<span class="t-${name}">${escapeHtml(content)}</span>`
            : escapeHtml(content);
        })
        .join(""),
    );
    return spans.join("\n");
  };
  const markdownIt = MarkdownIt({ html: true });
  const { rules } = markdownIt.renderer;
  rules["fence"] = (tokens, index) => {
    const { info = "", content = "" } = tokens[index] ?? {};
    const [language = ""] = info.split(" ");
    return `<div class="code"><pre><code>${highlight(content.replace(/\n$/, ""), language)}</code></pre></div>\n`;
  };
  rules["hr"] = () => "";
  return {
    highlight,
    render(markdown, path, twin) {
      const tokens = markdownIt.parse(markdown, {});
      const headings: Heading[] = [];
      const taken = new Map<string, number>();
      for (const [index, token] of tokens.entries()) {
        const inline = tokens[index + 1];
        if (token.type === "heading_open" && inline) {
          const text = (inline.children ?? [])
            .filter(({ type }) => type === "text" || type === "code_inline")
            .map(({ content }) => content)
            .join("");
          const id = slugOf(text, taken);
          token.attrSet("id", id);
          headings.push({ level: Number(token.tag.slice(1)), id, text });
        }
        if (token.type === "table_open") nameCells(tokens, index);
        if (token.type !== "inline") continue;
        for (const child of token.children ?? []) {
          const href = child.type === "link_open" ? child.attrGet("href") : null;
          if (href) child.attrSet("href", hrefOf(String(href), path, twin));
        }
      }
      const body = markdownIt.renderer.render(tokens, markdownIt.options, {});
      // The heading links to itself, where it holds no other link.
      const html = body.replace(
        /<(h[2-4]) id="([^"]+)">((?:(?!<a )[^])*?)<\/\1>/g,
        '<$1 id="$2"><a href="#$2">$3</a></$1>',
      );
      return {
        html: html
          .replaceAll("<th></th>", "<td></td>")
          .replaceAll("<table>", '<table role="table">')
          .replace(/<(thead|tbody|tr|th|td)(?= |>)/g, (_, tag: string) => `<${tag} role="${roles[tag]}"`),
        headings,
      };
    },
  };
}

/** Tables are shown as blocks on narrow screens, where a browser would forget what they are. */
const roles: Readonly<Record<string, string>> = {
  thead: "rowgroup",
  tbody: "rowgroup",
  tr: "row",
  th: "columnheader",
  td: "cell",
};

/** Gives each cell after the first of its row the head of its column, which stands before it where the screen is narrow; sentences need none. */
function nameCells(tokens: readonly Token[], from: number): void {
  const heads: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    if (index < from) continue;
    const { type } = token;
    if (type === "table_close") return;
    if (token.attrGet("style") === "text-align:right") {
      token.attrs = []; // A strict policy allows no style attributes.
      token.attrSet("class", "right");
    }
    if (type === "tr_open") column = 0;
    if (type === "th_open") heads.push(tokens[index + 1]?.content ?? "");
    if (type !== "td_open") continue;
    const head = heads[column++];
    if (column > 1 && head && !/^(What it (is|means)|Description)$/.test(head) && tokens[index + 1]?.content !== "")
      tokens[index]?.attrSet("data-head", head);
  }
}

function aliasOf(language: string): string {
  return { typescript: "ts", javascript: "js", bash: "sh", shell: "sh", yml: "yaml" }[language] ?? language;
}

/** An anchor as GitHub makes it, so that the Markdown twins' links hold there too. */
export function slugOf(text: string, taken = new Map<string, number>()): string {
  const slug = text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function hrefOf(href: string, path: string, twin: string): string {
  if (/^([a-z]+:|#|\/\/)/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const target = posix.join(posix.dirname(twin), file);
  const to = target.endsWith(".md")
    ? pageLink(path, target === "index.md" ? "" : target.slice(0, -".md".length))
    : relative(path, target);
  return anchor === undefined ? to : `${to}#${anchor}`;
}
