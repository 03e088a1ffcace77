import MiniSearch, { type Query } from "minisearch";
import type { SearchEntry } from "../../scripts/docs/search.ts";

/** An entry, and the words in it that a query has found. */
export type Hit = readonly [...entry: SearchEntry, found: readonly string[]];
/** Returns the best entries for a query. */
export type Find = (typed: string) => readonly Hit[];

/** Search terms without their endings, and the words of this site for them. */
const synonyms: Readonly<Record<string, string>> = {
  callback: "webhook event",
  download: "save results",
  cost: "credits billed money",
  pip: "python",
  python: "curl openapi",
  quickstart: "install first",
  sav: "download results",
};
const fillers = new Set(
  "a an and are be can do does don't for from have how i if in is it me my no not of on or so that the there they this to use using was we what when where whether while with you".split(
    " ",
  ),
);

/** Returns a word without its ending. */
function stem(word: string): string {
  return word.toLowerCase().replace(/(?<=[a-z]{3})(?:ing|ed|e?s|e)$/, "");
}

/** Returns the words of a text: names in camel case, and their parts. */
function wordsOf(text: string): string[] {
  return (text.replace(/next\.js/gi, "nextjs").match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** Ranks guides before reference entries, pages before their sections, names that are typed first, and the emulator's types last. */
function rankOf([name, sort, address]: SearchEntry, phrase: string): number {
  const isPage = !address.includes("#");
  const called = name.toLowerCase();
  const isNamed = called === phrase ? (isPage ? 12 : 4) : called.endsWith(`.${phrase}`) ? 3 : 1;
  if (sort.startsWith("Guide")) return isNamed * (isPage ? 8 : 2);
  if (address.startsWith("sdk/emulator")) return isNamed * 0.3;
  return isNamed * (sort === "SDK" ? (isPage ? 1 : 0.5) : isPage ? 2 : 1);
}

/** Whether two earlier results have a member with this name, such as a field that many exports inherit. */
function isRepeated(name: string, before: readonly Hit[]): boolean {
  const [, member] = name.split(".");
  return member !== undefined && before.filter(([other]) => other.endsWith(`.${member}`)).length > 1;
}

/** Indexes the entries. */
export function createFinder(entries: readonly SearchEntry[]): Find {
  const known = new Set<string>();
  const processTerm = (word: string) => {
    known.add(stem(word));
    return stem(word);
  };
  const index = new MiniSearch({ fields: ["name", "words"], tokenize: wordsOf, processTerm });
  index.addAll(entries.map(([name, , , words], id) => ({ id, name, words })));
  return (typed) => {
    const phrase = typed.trim().toLowerCase();
    const all = wordsOf(typed).map((word) => word.toLowerCase());
    const words = all.filter((word) => !fillers.has(word));
    // A word, and the words of this site for it.
    const meanings = (words.length > 0 ? words : all).map((word) => [
      word,
      ...(synonyms[stem(word)]?.split(" ") ?? []),
    ]);
    const foundIn = (terms: readonly string[]) =>
      meanings.filter((queries) => queries.some((word) => terms.includes(stem(word)))).length;
    const pageOf = (id: unknown) => (entries[id as number] as SearchEntry)[2].split("#")[0];
    const results = index.search(
      { combineWith: "OR", queries: meanings.map((queries): Query => ({ combineWith: "OR", queries })) },
      {
        prefix: (term) => term.length > 2,
        processTerm: stem,
        // Only a word that is nowhere is taken for a slip.
        fuzzy: (term) => (term.length > 4 && !/\d/.test(term) && !known.has(term) ? 0.25 : false),
        boost: { name: 4 },
        weights: { fuzzy: 0.3, prefix: 0.5 },
        boostDocument: (id) => rankOf(entries[id as number] as SearchEntry, phrase),
      },
    );
    const pages = Map.groupBy(results, ({ id }) => pageOf(id));
    return results
      .map(({ id, score, terms, queryTerms }) => {
        const onPage = foundIn((pages.get(pageOf(id)) ?? []).flatMap((one) => one.queryTerms));
        return {
          hit: [...(entries[id as number] as SearchEntry), terms] as const,
          score: score * (foundIn(queryTerms) ** 2 + onPage ** 2),
        };
      })
      .sort((one, other) => other.score - one.score)
      .map(({ hit }) => hit)
      .filter(([name, sort], at, hits) => sort !== "SDK" || !isRepeated(name, hits.slice(0, at)))
      .slice(0, 12);
  };
}

let dialog: HTMLDialogElement | undefined;
let loaded: Promise<Find> | undefined;

/** Fetches the index, once. */
export function loadIndex(url: URL): Promise<Find> {
  loaded ??= fetch(url)
    .then(async (response) => createFinder((await response.json()) as SearchEntry[]))
    .catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
  return loaded;
}

/** Opens the search. */
export async function openSearch(root: URL, index: URL): Promise<void> {
  const find = await loadIndex(index);
  dialog ??= createDialog(root, find);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("input")?.select();
}

type Parts = readonly [input: HTMLInputElement, list: HTMLElement, count: HTMLElement, elsewhere: HTMLElement];

function createDialog(root: URL, find: Find): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.className = "search";
  made.ariaLabel = "Search";
  made.innerHTML = `<input type="search" placeholder="Search guides, API and SDK" role="combobox" aria-label="Search" aria-controls="hits" aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<div id="hits" role="listbox" aria-label="Results" hidden></div>
<p role="status"></p>
<p hidden>Try <a href="${root}guides/">all guides</a>, <a href="${root}guides/errors/">errors</a>, <a href="${root}api/">the API</a> or <a href="${root}sdk/">the SDK</a>.</p>`;
  // The cast: they are the elements created above.
  const [input, list, count, elsewhere] = [...made.children] as unknown as Parts;
  document.body.append(made);

  let chosen = 0;
  const choose = (at: number) => {
    const all = [...list.children];
    chosen = (at + all.length) % Math.max(1, all.length);
    for (const [index, one] of all.entries()) one.ariaSelected = String(index === chosen);
    input.setAttribute("aria-activedescendant", all[chosen]?.id ?? "");
    all[chosen]?.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("input", () => {
    const typed = input.value.trim();
    const hits = find(typed);
    list.replaceChildren(...hits.map((hit, at) => hitLink(hit, at, root)));
    list.hidden = hits.length === 0;
    input.ariaExpanded = String(hits.length > 0);
    count.textContent = typed === "" ? "" : hits.length === 0 ? `No results for "${typed}"` : `${hits.length} results`;
    elsewhere.hidden = typed === "" || hits.length > 0;
    choose(0);
  });
  made.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") (list.children[chosen] as HTMLElement | undefined)?.click();
    else if (event.key === "Escape") made.close(); // A search field would only be emptied by it.
    else return;
    event.preventDefault();
  });
  made.addEventListener("click", ({ target, ctrlKey, metaKey }) => {
    const isLink = (target as Element).closest("a") && !ctrlKey && !metaKey;
    if (target === made || isLink) made.close();
  });
  return made;
}

/** Returns a hit as a link with its name, and the text around the first word that is found; found words are marked. */
function hitLink([name, sort, address, text, found]: Hit, at: number, root: URL): HTMLAnchorElement {
  const link = document.createElement("a");
  Object.assign(link, { id: `hit-${at}`, role: "option", tabIndex: -1, href: new URL(address, root).href });
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])((?:${found.map((term) => term.replace(/\W/g, "\\$&")).join("|")})[\\p{L}\\p{N}]*)`,
    "giu",
  );
  const first = Math.max(0, text.search(pattern));
  const from = first < 60 ? 0 : text.indexOf(" ", first - 40) + 1;
  for (const [tag, words] of [
    ["b", name],
    ["small", sort],
    ["span", `${from > 0 ? "… " : ""}${text.slice(from, from + 300)}`],
  ] as const) {
    const part = document.createElement(tag);
    // Every second part is a word that is found.
    for (const [index, piece] of words.split(pattern).entries()) {
      if (index % 2 === 0 || tag === "small") part.append(piece);
      else part.append(Object.assign(document.createElement("mark"), { textContent: piece }));
    }
    link.append(part);
  }
  return link;
}
