import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parse } from "yaml";

/** What pages may include. */
export interface Includes {
  /** The folder of the programs. */
  readonly examples: string;
  /** The folder that generated tables stand in. */
  readonly docs: string;
  /** Tables by name; `fields` takes a model. */
  table(name: string, argument: string | undefined): string | undefined;
  /** The path of the page that `sdk:NAME` or `api:NAME` means. */
  page(scheme: string, name: string): string | undefined;
}

/** A page as it is written: its front matter, and what follows. */
export function readFrontMatter(
  text: string,
  file: string,
): { readonly matter: Readonly<Record<string, unknown>>; readonly body: string } {
  const [, yaml, body] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  if (yaml === undefined || body === undefined)
    throw new Error(`${file}: a page begins with front matter between two lines of ---`);
  return { matter: parse(yaml) as Record<string, unknown>, body };
}

/** The Markdown with its programs, tables and links put in. `twin` is the page's Markdown file within the site. */
export function resolveIncludes(
  markdown: string,
  { file, twin, includes }: { readonly file: string; readonly twin: string; readonly includes: Includes },
): string {
  const lineOf = (offset: number) => markdown.slice(0, offset).split("\n").length;
  const fail = (offset: number, what: string) => new Error(`${file}:${lineOf(offset)}: ${what}`);
  return markdown
    .replace(
      /^```(\w+) file=(\S+)(?: region=(\S+))?\n```$/gm,
      (_, language: string, name: string, region: string | undefined, at: number) => {
        const path = join(includes.examples, name);
        if (!existsSync(path)) throw fail(at, `there is no program docs/examples/${name}`);
        const code = regionOf(readFileSync(path, "utf8"), region);
        if (code === undefined) throw fail(at, `docs/examples/${name} has no region ${region}`);
        return `\`\`\`${language}\n${code}\n\`\`\``;
      },
    )
    .replace(/^<!-- include: (\S+)(?: (\S+))? -->$/gm, (_, name: string, argument: string | undefined, at: number) => {
      const table =
        name === "not-published" && argument
          ? readFileSync(join(includes.docs, argument), "utf8")
          : includes.table(name, argument);
      if (table === undefined) throw fail(at, `there is nothing to include called ${name}`);
      return table.trim();
    })
    .replace(
      /\]\((sdk|api):([^)#]+)(#[^)]*)?\)/g,
      (_, scheme: string, name: string, anchor: string | undefined, at: number) => {
        const page = includes.page(scheme, name);
        if (page === undefined) throw fail(at, `${scheme}:${name} is not there`);
        return `](${posix.relative(posix.dirname(twin), `${page}.md`)}${anchor ?? ""})`;
      },
    );
}

/** A program or one region of it, without the comments that mark regions and without common indentation. */
export function regionOf(program: string, region: string | undefined): string | undefined {
  const lines = program.trimEnd().split("\n");
  const marks = (word: string) => lines.findIndex((line) => line.trim() === `// #${word} ${region}`);
  const [from, to] = region === undefined ? [-1, lines.length] : [marks("region"), marks("endregion")];
  if (region !== undefined && (from < 0 || to < from)) return undefined;
  const shown = lines.slice(from + 1, to).filter((line) => !/^\s*\/\/ #(end)?region /.test(line));
  const indent = Math.min(
    ...shown.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length),
  );
  return shown
    .map((line) => line.slice(Number.isFinite(indent) ? indent : 0))
    .join("\n")
    .trim();
}
