import { posix } from "node:path";
import { parse } from "yaml";

/** Parses a page: its front matter and its Markdown. */
export function readFrontMatter(
  text: string,
  file: string,
): { readonly matter: Readonly<Record<string, unknown>>; readonly body: string } {
  const [, yaml, body] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  if (yaml === undefined || body === undefined)
    throw new Error(`${file}: a page begins with front matter between two lines of ---`);
  return { matter: parse(yaml) as Record<string, unknown>, body };
}

/** Returns the path of the page for a link `sdk:NAME` or `api:NAME`. */
export type PageOf = (scheme: string, name: string) => string | undefined;

/** Returns a page for the site: without the marks of `npm run generate`, and with links for names. `twin` is its file in the site. */
export function finishPage(markdown: string, file: string, twin: string, pageOf: PageOf): string {
  return markdown
    .replace(/^<!-- (?:include: .*|end) -->\n\n?/gm, "")
    .replace(/^(```\w+) file=(\S+)(?: region=\S+)?(.*)$/gm, `$1 title="$2"$3`)
    .replace(
      /\]\((sdk|api):([^)#]+)(#[^)]*)?\)/g,
      (_, scheme: string, name: string, anchor: string | undefined, at: number) => {
        const page = pageOf(scheme, name);
        if (page === undefined)
          throw new Error(`${file}:${markdown.slice(0, at).split("\n").length}: ${scheme}:${name} is not there`);
        return `](${posix.relative(posix.dirname(twin), `${page}.md`)}${anchor ?? ""})`;
      },
    );
}
