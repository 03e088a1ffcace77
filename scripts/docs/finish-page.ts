import { posix } from "node:path";

/** Returns the path of the page of an export or an operation. */
export type PageOf = (name: string) => string | undefined;

/**
 * Returns a page for the site: without the marks of `npm run generate`. Links to names in the
 * repository, such as `../../packages/sdk/api.md#Task.wait`, lead to the pages of the names. `twin`
 * is its file in the site.
 */
export function finishPage(markdown: string, file: string, twin: string, pageOf: PageOf): string {
  return markdown
    .replace(/^<!-- (?:include: .*|end) -->\n\n?/gm, "")
    .replace(/^(```\w+) file=(\S+)(?: region=\S+)?(.*)$/gm, `$1 title="$2"$3`)
    .replace(
      /\]\((?:\.\.\/)+(?:packages\/[\w-]+\/api\.md|openapi\/openapi\.yaml)#(\w+)(?:\.(\w+))?\)/g,
      (_, name: string, member: string | undefined, at: number) => {
        const page = pageOf(name);
        if (page === undefined)
          throw new Error(
            `${file}:${markdown.slice(0, at).split("\n").length}: ${name} is not there`,
          );
        return `](${posix.relative(posix.dirname(twin), `${page}.md`)}${member ? `#${member.toLowerCase()}` : ""})`;
      },
    );
}
