import MiniSearch, { type Query } from "minisearch";
import type { SearchEntry } from "../../scripts/docs/search.ts";

/** An entry, and the words in it that a query has found. */
export type Hit = readonly [
  name: string,
  sort: string,
  address: string,
  words: string,
  found: readonly string[],
];
/** Returns the best entries for a query. */
export type Find = (typed: string) => readonly Hit[];

/** The words of this site for those of other products and of error messages. */
const synonyms = new Map(
  `cancel cancelled cancellation stop kill terminate interrupt: abort deletion; remove clear: deletion; prediction operation: task; history: list
callback notify notification push subscribe websocket: webhook poll; retrieve: query; pipe chunk: streams results; bucket gcs: s3 storage streams
progress percent eta stuck forever infinite endless pending processing queued complete completed done finish hang freeze ready: wait status poll timeout
output link save folder display embed gallery mp4: results download; buffer arraybuffer: bytes blobs; expire expiry lifetime ttl: valid results
refund: billed deletion; charge cost price pay payment fee invoice spend expensive overcharged: billed money credits; balance quota cap: credits limit
deadline: timeout; duplicate double twice dedupe exactly repeat: once idempotency; resend attempt backoff rerun: retry; sign signin: login
platform compatible electron: runtimes; sound music: audio; throttle 429 burst throughput backpressure: rate limit; bundler rollup esbuild: bundlers
econnreset econnrefused etimedout epipe enotfound socket network disconnect premature close dns: connection lost timeout unknown; trial: free
simultaneous bulk concurrent semaphore: concurrency many; verbose logger print: log; vue angular client webpage: browser; length second: duration
token secret credential auth authenticate authorization unauthorized bearer password 401 403 forbidden rotate: key; deterministic reproducible: seed
remix vercel netlify fastify nest koa: frameworks; mjs import declaration module typing: modules formats typescript; serialize stringify: json
ssl cert rejectunauthorized: certificate tls; sentry datadog telemetry monitor otel grafana: observability traces metrics; dotenv: environment
stub sandbox dummy unit local e2e cypress playwright: mock emulator testing; width height dimension size pixel quality: resolution; agent chatgpt: mcp
attach picture photo jpeg multipart reference keyframe input init: source image; aspect orientation portrait landscape: ratio; switch: migration
param parameter argument config: option configuration; endpoint host domain gateway: baseurl; cli terminal console bash interactive: command line
invalid 400 422 unsupported moderation nsfw safety blocked: rejected errors; restart continue recovery: resume recover; slow long: wait timeout
persist database sql mysql mongodb firestore drizzle kysely prisma mongo upstash: store; python go java ruby php rust pip: python curl openapi
tutorial example begin demo sample snippet starter: install first; overloaded unavailable 500 502 503 504: 5xx http; scheduled background: job queue
throw catch uncaught unhandled: errors; production scale k8s helm autoscale: fleet; enough lack exceeded: insufficient; multiple: several many
tenant customer: user; performance faster latency speed: benchmarks; cache reuse race: once store; estimate preview: plan; airflow: workflow
approve approval: confirmation; kafka rabbitmq celery: queue; codegen generator: openapi; intellisense autocomplete: typescript; chaos inject: faults
session cookie jwt: user browser; upgrade breaking deprecated: changelog; usage track audit: metrics events; yup joi: schema validation
vpn: proxy network; sla guarantee undocumented: assumptions; yarn pnpm: install; broken: troubleshooting`
    .split(/[;\n]/)
    .flatMap((topic) => {
      const [theirs = "", ours = ""] = topic.trim().split(": ");
      return theirs.split(" ").map((word) => [stem(word), ours.split(" ")] as const);
    }),
);

/** Words that many questions have, whatever their topic. */
const fillers = new Set(
  `a able add all allow an and any are at be but by can cannot could did do does doesn don enable for from get has have how i if implement in into is
issue it its like many me more must my need no not of on only or other our out over please problem question run should so some such support than
that the them then there these they this to too unable up use using want was way we were what when where whether which while who why will with work
working would you your`.split(/\s+/),
);

/** Returns a word without its ending: "retries", "retried" and "retry" are one word. */
function stem(word: string): string {
  return word
    .toLowerCase()
    .replace(/(?<=[a-z]{4})ions?$|(?<=[a-z]{3})(?:ings?|ed|es|e|(?<![su])s)$/, "")
    .replace(/(?<=[a-z]{2}[^aeiou])y$/, "i")
    .replace(/(?<=[a-z]{2})([bdfgmnprt])\1$/, "$1");
}

/** Returns the words of a text: names in camel case, and their parts. */
function wordsOf(text: string): string[] {
  return (text.replace(/next\.js/gi, "nextjs").match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/**
 * Ranks guides before reference entries, names that are typed first, and the emulator's types last.
 */
function rankOf([name, sort, address]: SearchEntry, phrase: string): number {
  const rank = rankOfName(name.toLowerCase(), phrase);
  if (address.startsWith("guides/")) return rank * 2;
  if (address.startsWith("sdk/emulator")) return rank * 0.3;
  const isPage = !address.includes("#");
  if (sort === "SDK") return isPage ? rank : rank * 0.5;
  return isPage ? rank * 2 : rank;
}

function rankOfName(name: string, phrase: string): number {
  if (name === phrase) return 30;
  return name.endsWith(`.${phrase}`) ? 3 : 1;
}

/** Returns how much a place counts for its page. Only the places of guides count together. */
function weightOf(address: string): number {
  if (!address.startsWith("guides/")) return 0;
  return address.includes("#") ? 1 : 4;
}

/**
 * Whether two earlier results have a member with this name, such as a field that many exports
 * inherit.
 */
function isRepeated(name: string, before: readonly Hit[]): boolean {
  const [, member] = name.split(".");
  return (
    member !== undefined && before.filter(([other]) => other.endsWith(`.${member}`)).length > 1
  );
}

/** Indexes the entries. */
export function createFinder(entries: readonly SearchEntry[]): Find {
  const known = new Set<string>();
  const processTerm = (word: string) => {
    known.add(stem(word));
    return stem(word);
  };
  const index = new MiniSearch({
    fields: ["name", "also", "words"],
    tokenize: wordsOf,
    processTerm,
  });
  index.addAll(entries.map(([name, , , words, also = ""], id) => ({ id, name, words, also })));
  return (typed) => {
    const phrase = typed.trim().toLowerCase();
    const all = wordsOf(typed).map((word) => word.toLowerCase());
    const words = all.filter((word) => !fillers.has(word));
    // A word, and the words of this site for it.
    const meanings = (words.length > 0 ? words : all).map(
      (word) => [word, ...(synonyms.get(stem(word)) ?? [])] as const,
    );
    const queries = meanings.flatMap(([word, ...ours]): Query[] => [
      word,
      { queries: ours, boostTerm: () => 0.4 },
    ]);
    const results = index.search(
      { combineWith: "OR", queries },
      {
        prefix: (term) => term.length > 2,
        processTerm: stem,
        // Only a word that is nowhere is taken for a slip.
        fuzzy: (term) => (term.length > 4 && !/\d/.test(term) && !known.has(term) ? 0.25 : false),
        boost: { name: 4, also: 3 },
        weights: { fuzzy: 0.3, prefix: 0.5 },
        boostDocument: (id) => rankOf(entries[id as number] as SearchEntry, phrase),
      },
    );
    const stems = meanings.map((one) => one.map(stem));
    const isFound = (one: readonly string[], terms: readonly string[]) =>
      one.some((word) => terms.includes(word));
    // A word that few entries have says more.
    const worths = stems.map((one) => {
      const count = results.filter(({ queryTerms }) => isFound(one, queryTerms)).length;
      return Math.log(1 + entries.length / (1 + count));
    });
    const places = results
      .map(({ id, score, terms, queryTerms }) => {
        const [name, sort, address, text, also = ""] = entries[id as number] as SearchEntry;
        const share = stems.reduce(
          (sum, one, at) => sum + (isFound(one, queryTerms) ? (worths[at] ?? 0) : 0),
          0,
        );
        return {
          hit: [name, sort, address, `${text} ${also}`, terms] as const,
          score: score * share,
          weight: weightOf(address),
        };
      })
      .sort((one, other) => other.score - one.score);
    // The words of a question are often in several sections of a guide, so these count together. A
    // page has one hit: its best place.
    return [...Map.groupBy(places, ({ hit: [, , address] }) => address.split("#")[0]).values()]
      .map((page) => {
        const sum = page.reduce((total, { score, weight }) => total + score * weight, 0);
        return { ...(page[0] as (typeof places)[0]), total: Math.max(sum, page[0]?.score ?? 0) };
      })
      .sort((one, other) => other.total - one.total)
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

type Parts = readonly [
  input: HTMLInputElement,
  list: HTMLElement,
  count: HTMLElement,
  elsewhere: HTMLElement,
];

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
    const outcome = hits.length === 0 ? `No results for "${typed}"` : `${hits.length} results`;
    count.textContent = typed === "" ? "" : outcome;
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

/**
 * Returns a hit as a link with its name, and the text around the first word that is found; found
 * words are marked.
 */
function hitLink(
  [name, sort, address, text, found]: Hit,
  at: number,
  root: URL,
): HTMLAnchorElement {
  const link = document.createElement("a");
  Object.assign(link, {
    id: `hit-${at}`,
    role: "option",
    tabIndex: -1,
    href: new URL(address, root).href,
  });
  // The word "retri" stands for "retry", too.
  const beginnings = found.map((term) => term.replace(/i$/, "[iy]")).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${beginnings})[\\p{L}\\p{N}]*)`, "giu");
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
