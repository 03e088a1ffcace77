import { createCssVariablesTheme, createHighlighter, type BundledLanguage } from "shiki";
import { escapeHtml } from "./site.ts";

/** Returns a block of code as HTML. `info` is the text after its fence: the language, then `title="..."` and `mark="..."`. */
export type Highlight = (code: string, info: string) => string;

const languages: readonly BundledLanguage[] = ["ts", "js", "json", "yaml", "sh", "http", "html", "sql"];
const theme = createCssVariablesTheme({ name: "site", variablePrefix: "--" });

/** Creates the highlighter. It uses classes, because a strict policy allows no style attributes. */
export async function createHighlighterOf(): Promise<Highlight> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] });
  const linesOf = (code: string, language: string): string[] => {
    const lang = languages.find((one) => one === language);
    if (!lang) return escapeHtml(code).split("\n");
    // Without a timeout, so that slow machines build the same site.
    const lines = highlighter.codeToTokensBase(code, { lang, theme, tokenizeTimeLimit: 0 });
    return lines.map((tokens) =>
      tokens
        .map(({ content, color }) => {
          const name = /--token-([\w-]+)/.exec(color ?? "")?.[1];
          const text = escapeHtml(content);
          return name && name !== "punctuation" ? `<span class="t-${name}">${text}</span>` : text;
        })
        .join(""),
    );
  };
  return (code, info) => {
    const [language = ""] = info.split(" ");
    const { title, mark } = attributesOf(info);
    const texts = code.split("\n");
    if (mark !== undefined && !code.includes(mark)) throw new Error(`no line of the code has what is marked: ${mark}`);
    const lines = linesOf(code, language).map((line, index) =>
      mark !== undefined && texts[index]?.includes(mark) ? `<span class="mark">${line}\n</span>` : `${line}\n`,
    );
    const head = title ? `<p class="title">${escapeHtml(title)}</p>` : "";
    return `<div class="code">${head}<pre tabindex="0"><code>${lines.join("").replace(/\n(<\/span>)?$/, "$1")}</code></pre></div>\n`;
  };
}

/** Parses the attributes `name="value"` after a fence. */
function attributesOf(info: string): { readonly title?: string; readonly mark?: string } {
  return Object.fromEntries([...info.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}
