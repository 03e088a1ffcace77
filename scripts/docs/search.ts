import type { Heading, Page } from "./page.ts";

/** A place that the search finds: its name, which sort it is, where it stands, and the words there. */
export type SearchEntry = readonly [name: string, sort: string, address: string, words: string];

const sorts: Readonly<Record<string, string>> = { api: "API", sdk: "SDK", guides: "Guide", playground: "Playground" };

/** The places of a page: itself, its headings, and the fields and members that its tables anchor. */
export function searchEntries(
  { path, title, description, also = "", section, markdown }: Page,
  headings: readonly Heading[],
): readonly SearchEntry[] {
  const address = path === "" ? "" : `${path}/`;
  const name = section === "api" || section === "sdk" ? (path.split("/").at(-1) ?? title) : title;
  const sort = sorts[section] ?? "Page";
  const [beginning = "", ...parts] = markdown.split(/^#{2,4} .*$/m);
  const intro = section === "guides" ? plain(beginning.replace(/^# .*$/m, "")) : "";
  const words = [name === title ? "" : `${title}.`, description, also, intro].filter((text) => text !== "").join(" ");
  const own: SearchEntry = [
    path.split("/").length > 1 && section !== "guides" && !title.startsWith("@") ? name : title,
    sort,
    address,
    words,
  ];
  const inside = headings
    .filter(({ level }) => level > 1)
    .flatMap(({ text, id }, index): SearchEntry[] => {
      if (
        section === "sdk" &&
        /^(Properties|Methods|Parameters|Returns|Throws|Extends|Type Parameters?|Type Declaration|Default Value|Call Signature|Extended by|Functions|Errors|Interfaces|Types|Values|Union Members|Accessors|Default|Implementation of|Constructors|Overrides|Inherited from|Remarks|Get Signature|Indexable|Type declaration)/i.test(
          text,
        )
      )
        return [];
      if (section === "api" && path !== "api") return [];
      return [
        [
          section === "sdk" ? `${name}.${text.replace(/[()?]/g, "")}` : text,
          section === "sdk" ? sort : `${sort}: ${title}`,
          `${address}#${id}`,
          plain(parts[index] ?? "").slice(0, section === "sdk" ? 400 : Infinity),
        ],
      ];
    });
  const anchored = [...markdown.matchAll(/^\| <a id="([^"]+)"><\/a>\s*`([^`]+)`([^\n]*)/gm)].map(
    ([, id = "", member = "", rest = ""]): SearchEntry => [
      `${name}.${member.replace(/\?$/, "")}`,
      sort,
      `${address}#${id}`,
      plain(rest).slice(0, 160),
    ],
  );
  return [own, ...inside, ...anchored];
}

/** The words of some Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/```[^]*?```/g, "")
    .replace(/<[^>]+>/g, "")
    .replace(/\]\([^)]*\)/g, "")
    .replace(/[|`*[\]\\#]|-{3,}/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
