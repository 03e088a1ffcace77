import hljs from "highlight.js";
import { escapeHtml } from "./site.ts";

/**
 * Returns a block of code as HTML. `info` is the text after its fence: the language, then perhaps
 * `title="..."`.
 */
export function codeBlock(code: string, info: string): string {
  const [language = ""] = info.split(" ");
  const [, title] = / title="([^"]*)"/.exec(info) ?? [];
  const html = hljs.getLanguage(language)
    ? hljs.highlight(code, { language }).value
    : escapeHtml(code);
  const head = title ? `<p class="title">${escapeHtml(title)}</p>` : "";
  return `<div class="code">${head}<pre tabindex="0"><code>${html}</code></pre></div>\n`;
}
