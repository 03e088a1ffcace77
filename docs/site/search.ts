import type { SearchEntry } from "../../scripts/docs/search.ts";

let dialog: HTMLDialogElement | undefined;
let entries: readonly SearchEntry[] = [];

/** Opens the search; the index is fetched the first time. */
export async function openSearch(root: URL, index: URL): Promise<void> {
  dialog ??= createDialog(root);
  if (!dialog.open) dialog.showModal();
  const input = dialog.querySelector("input");
  input?.select();
  if (entries.length > 0) return;
  entries = (await (await fetch(index)).json()) as SearchEntry[];
  input?.dispatchEvent(new Event("input"));
}

/** The best entries for what is typed: names before words, complete names before parts. */
export function find(all: readonly SearchEntry[], typed: string): readonly SearchEntry[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const whole = words.join(" ");
  const scored = all
    .map((entry, at) => ({ entry, at, score: score(entry, words, whole) }))
    .filter(({ score: one }) => one > 0);
  return scored
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, 12)
    .map(({ entry }) => entry);
}

function score([name, , address, text]: SearchEntry, words: readonly string[], whole: string): number {
  const title = name.toLowerCase();
  const isPage = address.includes("#") ? 0 : 5;
  if (title === whole) return 100 + isPage;
  if (title.endsWith(`.${whole}`)) return 80;
  if (title.startsWith(whole)) return 60 + isPage - title.length / 100;
  if (title.includes(whole)) return 40 + isPage - title.length / 100;
  const inside = text.toLowerCase();
  let sum = isPage;
  for (const word of words) {
    const part = title.includes(word) ? 10 : inside.includes(word) ? 3 : 0;
    if (part === 0) return 0;
    sum += part;
  }
  return sum;
}

function createDialog(root: URL): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.className = "search";
  made.ariaLabel = "Search";
  const input = document.createElement("input");
  const list = document.createElement("ul");
  const count = document.createElement("p");
  const attributes = {
    type: "search",
    placeholder: "An operation, an export, a question",
    role: "combobox",
    "aria-label": "Search",
    "aria-controls": "hits",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  list.id = "hits";
  list.role = "listbox";
  list.ariaLabel = "Hits";
  list.hidden = true;
  count.role = "status";
  made.append(input, list, count);
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
    const hits = find(entries, input.value);
    list.replaceChildren(...hits.map(hitItem));
    list.hidden = hits.length === 0;
    input.ariaExpanded = String(hits.length > 0);
    count.textContent =
      input.value.trim() === "" ? "" : hits.length === 0 ? "Nothing is called that" : `${hits.length} hits`;
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
