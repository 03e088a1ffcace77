import type { Heading, Page } from "./site.ts";

/**
 * An entry of the search index: its name, its kind, its URL, its words, and other words for its
 * topic.
 */
export type SearchEntry = readonly [
  name: string,
  sort: string,
  url: string,
  words: string,
  also?: string,
];

const sorts: Readonly<Record<string, string>> = {
  api: "API",
  sdk: "SDK",
  guides: "Guide",
  playground: "Playground",
};

/**
 * Returns the entries of a page: itself, its headings, and the fields and members with anchors in
 * its tables.
 */
export function searchEntries(
  { path, title, description, also = "", section, markdown }: Page,
  headings: readonly Heading[],
): readonly SearchEntry[] {
  const url = path === "" ? "" : `${path}/`;
  const name = section === "api" && path !== "api" ? (path.split("/").at(-1) ?? title) : title;
  const sort = sorts[section] ?? "Page";
  const [beginning = "", ...parts] = markdown.split(/^#{2,4} .*$/m);
  const intro = section === "guides" ? plain(beginning.replace(/^# .*$/m, "")) : "";
  const words = [name === title ? "" : `${title}.`, description, intro]
    .filter((text) => text !== "")
    .join(" ");
  const own: SearchEntry = also ? [name, sort, url, words, also] : [name, sort, url, words];
  // Its headings are those of the sidebar.
  const isIndex = path === "" || path === "guides" || title.startsWith("@");
  const inside = headings
    .filter(({ level }) => level > 1 && !isIndex)
    .flatMap(({ text, id }, index): SearchEntry[] => {
      // TypeDoc's other headings, such as Returns, are on every page.
      if (section === "sdk" ? !text.endsWith("()") : section === "api" && path !== "api") return [];
      return [
        [
          section === "sdk" ? `${name}.${text.replace(/[()?]/g, "")}` : text,
          section === "sdk" ? sort : `${sort}: ${title}`,
          `${url}#${id}`,
          plain(parts[index] ?? "").slice(0, section === "sdk" ? 400 : Infinity),
        ],
      ];
    });
  const anchored = [...markdown.matchAll(/^\| <a id="([^"]+)"><\/a>\s*`([^`]+)`([^\n]*)/gm)].map(
    ([, id = "", member = "", rest = ""]): SearchEntry => [
      `${name}.${member.replace(/\?$/, "")}`,
      sort,
      `${url}#${id}`,
      plain(rest).slice(0, 160),
    ],
  );
  return [own, ...inside, ...anchored];
}

/** Returns the words of Markdown text. */
function plain(markdown: string): string {
  return markdown
    .replace(/```[^]*?```|^Defined in: .*$/gm, "")
    .replace(/^\|.*\n(?=\|[ :|-]+\n)/gm, "") // The heads of tables say nothing by themselves.
    .replace(/<[^>]+>/g, "")
    .replace(/\]\([^)]*\)/g, "")
    .replace(/[|`*[\]\\#]|-{3,}/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ (?=[.,:;)])/g, "")
    .trim();
}
