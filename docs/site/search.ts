import MiniSearch, { type Query } from "minisearch";
import type { SearchEntry } from "../../scripts/docs/search.ts";

/** Returns the best entries for a query. */
export type Find = (typed: string) => readonly SearchEntry[];

/** Search terms, and the words of this site for them. */
const synonyms: Readonly<Record<string, string>> = {
  auth: "authentication key",
  authentication: "key authenticationerror",
  bun: "runtimes runs",
  charge: "billed paid",
  duplicate: "twice once",
  cancel: "abort delete",
  cost: "credits billed money",
  deno: "runtimes runs",
  edge: "workers worker",
  enum: "form valid",
  max: "limit most",
  pricing: "credits price billed",
  price: "credits billed",
  python: "curl openapi",
  quickstart: "install first",
  refund: "billed credits",
  throttling: "429 rate",
  upload: "source file",
  vercel: "nextjs serverless",
};
const fillers = new Set("a an and are can do does for how i in is it my of on the to what when with".split(" "));

/** Returns the words of a text: names in camel case, and their parts. */
function wordsOf(text: string): string[] {
  return (text.replace(/next\.js/gi, "nextjs").match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** Ranks guides before reference entries, pages before their sections, and the emulator's types last. */
function rankOf([, sort, address]: SearchEntry): number {
  const isPage = !address.includes("#");
  if (sort.startsWith("Guide")) return isPage ? 8 : 2;
  if (address.startsWith("sdk/emulator")) return 0.3;
  return sort === "SDK" ? (isPage ? 1 : 0.5) : isPage ? 2 : 1;
}

/** Whether two earlier results have a member with this name, such as a field that many exports inherit. */
function isRepeated(name: string, before: readonly SearchEntry[]): boolean {
  const [, member] = name.split(".");
  return member !== undefined && before.filter(([other]) => other.endsWith(`.${member}`)).length > 1;
}

/** Indexes the entries. */
export function createFinder(entries: readonly SearchEntry[]): Find {
  const index = new MiniSearch({ fields: ["name", "words"], tokenize: wordsOf });
  index.addAll(entries.map(([name, , , words], id) => ({ id, name, words })));
  return (typed) => {
    const phrase = typed.trim().toLowerCase();
    const all = wordsOf(phrase);
    const words = all.filter((word) => !fillers.has(word));
    const queries = (words.length > 0 ? words : all).map((word): Query => ({
      combineWith: "OR",
      queries: [word, ...(synonyms[word]?.split(" ") ?? [])],
    }));
    const search = (combineWith: "AND" | "OR") =>
      index.search(
        { combineWith, queries },
        {
          prefix: (term) => term.length > 2,
          fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
          boost: { name: 4 },
          weights: { fuzzy: 0.3, prefix: 0.5 },
        },
      );
    const every = search("AND");
    return (every.length > 0 ? every : search("OR"))
      .flatMap(({ id, score }) => {
        const entry = entries[id as number];
        if (!entry) return [];
        const name = entry[0].toLowerCase();
        const isNamed = name === phrase ? (entry[2].includes("#") ? 4 : 12) : name.endsWith(`.${phrase}`) ? 3 : 1;
        return [{ entry, score: score * rankOf(entry) * isNamed }];
      })
      .sort((one, other) => other.score - one.score)
      .map(({ entry }) => entry)
      .filter(([name, sort], at, all) => sort !== "SDK" || !isRepeated(name, all.slice(0, at)))
      .slice(0, 12);
  };
}

let dialog: HTMLDialogElement | undefined;
let find: Find | undefined;

/** Opens the search. Fetches the index on first use. */
export async function openSearch(root: URL, index: URL): Promise<void> {
  dialog ??= createDialog(root);
  if (!dialog.open) dialog.showModal();
  const input = dialog.querySelector("input");
  input?.select();
  if (find) return;
  find = createFinder((await (await fetch(index)).json()) as SearchEntry[]);
  input?.dispatchEvent(new Event("input"));
}

type Parts = readonly [input: HTMLInputElement, list: HTMLUListElement, count: HTMLElement, elsewhere: HTMLElement];

function createDialog(root: URL): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.className = "search";
  made.ariaLabel = "Search";
  made.innerHTML = `<input type="search" placeholder="Search guides, API and SDK" role="combobox" aria-label="Search" aria-controls="hits" aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<ul id="hits" role="listbox" aria-label="Results" hidden></ul>
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
  const go = () => {
    const address = list.children[chosen]?.getAttribute("data-address");
    if (address === null || address === undefined) return;
    made.close();
    location.href = new URL(address, root).href;
  };
  input.addEventListener("input", () => {
    const hits = find?.(input.value) ?? [];
    list.replaceChildren(...hits.map(hitItem));
    list.hidden = hits.length === 0;
    input.ariaExpanded = String(hits.length > 0);
    const isEmpty = !find || input.value.trim() === "";
    count.textContent = isEmpty
      ? ""
      : hits.length === 0
        ? `No results for "${input.value.trim()}"`
        : `${hits.length} results`;
    elsewhere.hidden = isEmpty || hits.length > 0;
    choose(0);
  });
  made.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") go();
    else if (event.key === "Escape") made.close(); // A search field would only be emptied by it.
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    const item = (event.target as Element).closest("li");
    if (!item) return;
    choose([...list.children].indexOf(item));
    go();
  });
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  return made;
}

function hitItem([name, sort, address, text]: SearchEntry, index: number): HTMLLIElement {
  const item = document.createElement("li");
  item.role = "option";
  item.id = `hit-${index}`;
  item.dataset["address"] = address;
  const parts = [
    ["b", name],
    ["small", sort],
    ["span", text],
  ] as const;
  for (const [tag, words] of parts) {
    const part = document.createElement(tag);
    part.textContent = words;
    item.append(part);
  }
  return item;
}
