import { beforeAll, expect, test } from "vitest";
import { createFinder, type Find } from "../../docs/site/search.ts";
import { entryPoints } from "../../scripts/docs/navigation.ts";
import type { SearchEntry } from "../../scripts/docs/search.ts";
import { operations } from "../contract/cases.ts";
import { builtSite, filesOf, pagesIn } from "./built-site.ts";

let files: ReadonlyMap<string, Buffer>;
let entries: readonly SearchEntry[];
let find: Find;
beforeAll(async () => {
  files = await filesOf(await builtSite());
  entries = JSON.parse(String(files.get("assets/search.json"))) as SearchEntry[];
  find = createFinder(entries);
});

/** Whether the page is among the first three hits. */
function finds(typed: string, address: string): boolean {
  return find(typed)
    .slice(0, 3)
    .some(([, , at]) => at === address);
}

test("every operation is found by its id, and most of it", () => {
  for (const { operationId } of operations) {
    expect(finds(operationId, `api/${operationId}/`), operationId).toBe(true);
    expect(finds(operationId.toLowerCase(), `api/${operationId}/`), operationId).toBe(true);
  }
});

test("every export is found by its name, at the entry point that has it", () => {
  const overviews = entryPoints.map(({ path }) => `${path}/`);
  const names = pagesIn(files).filter((path) => /^sdk\/.*[^/]+\/$/.test(path) && !overviews.includes(path));
  expect(names.length).toBeGreaterThan(100);
  const nameOf = (path: string) =>
    path
      .split("/")
      .at(-2)
      ?.replace(/-type$/, "")
      .replace(/^generate-(\w+)$/, "media.$1.generate") ?? "";
  expect(names.filter((path) => !finds(nameOf(path), path))).toEqual([]);
});

test("every guide is found by its title", () => {
  const guides = [...files]
    .filter(([name]) => /^guides\/[^/]+\.md$/.test(name))
    .map(([name, content]) => [name.replace(".md", "/"), /^# (.*)$/m.exec(String(content))?.[1] ?? ""] as const);
  expect(guides.length).toBeGreaterThan(8);
  expect(guides.filter(([path, title]) => !finds(title, path))).toEqual([]);
});

/** Words of our pages, and of questions in issues of other clients, with a page that has the answer. */
type Queries = readonly (readonly [typed: string, address: RegExp])[];
const queries: Queries = [
  ["9000", /^guides\/errors\//],
  ["duration", /^api\/\w+\/#field-duration/],
  ["vidmodelv2 ratio", /^api\/generateVidmodelv2\/#field-ratio/],
  ["timout", /^guides\/waiting\//],
  ["insuficient credits", /^sdk\/InsufficientCreditsError\//],
  ["task.wait", /^sdk\/Task\/#wait/],
  ["task_status", /^api\/\w+\/#data-task_status$/],
];

test.for(queries)("%s finds %s among the first three hits", ([typed, address]) => {
  const hits = find(typed).slice(0, 3);
  expect(hits.map(([, , at]) => at)).toContainEqual(expect.stringMatching(address));
});

/** In the words of questions in issues of openai-node, replicate-javascript, fal-js, runwayml, vercel/ai and others, written before the pages were read. */
const unseen: Queries = [
  ["charged twice", /^guides\/(paying-once|errors|faq)\//],
  ["image doesn't generate and credits are used", /^guides\/(paying-once|errors|faq|troubleshooting)\//],
  ["socket hang up", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["ECONNRESET", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["UND_ERR_SOCKET other side closed", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["request timed out", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["option to add request timeout", /^guides\/(configuration|waiting)\/|^sdk\/\w+Options\//],
  ["maxRetries", /^guides\/(configuration|errors|migration)\//],
  [
    "occasionally getting 429 too many requests error",
    /^guides\/(many-images|errors|faq|troubleshooting)\/|^sdk\/RateLimitError/,
  ],
  ["webhooks when creating predictions", /^guides\/(waiting|faq|migration)\//],
  [
    "callbacks so that developers don't have to repeatedly ask whether the task is finished",
    /^guides\/(waiting|faq)\//,
  ],
  ["never obtained a video result", /^guides\/(waiting|troubleshooting)\//],
  ["wait can get stuck when using Next.js with App Router", /^guides\/(frameworks|troubleshooting|waiting)\//],
  ["Vercel Runtime Timeout Error: Task timed out after 60 seconds", /^guides\/(frameworks|troubleshooting)\//],
  ["progress bar", /^guides\/waiting\//],
  ["progress percentage", /^guides\/waiting\//],
  ["how to download the video", /^guides\/results\/|^sdk\/node\/download\//],
  ["output folder is empty", /^guides\/(results|troubleshooting)\//],
  ["dangerouslyAllowBrowser", /^guides\/browsers\//],
  ["No 'Access-Control-Allow-Origin' header is present", /^guides\/(browsers|troubleshooting)\//],
  ["other people can see my API key in network", /^guides\/browsers\//],
  ["use it client side in React", /^guides\/(browsers|frameworks)\//],
  ["unsupported mimetype application/octet-stream", /^guides\/(source-images|troubleshooting)\//],
  ["accept Buffer objects when uploading images", /^guides\/source-images\//],
  ["send user uploaded image dataurl", /^guides\/(source-images|frameworks|browsers)\//],
  ["httpAgent", /^guides\/(proxies-and-tls|migration)\//],
  ["corporate proxy certificate", /^guides\/proxies-and-tls\//],
  ["set custom base url", /^guides\/(configuration|installation)\/|^sdk\/\w*Options\/#/],
  ["incorrect api key 401", /^guides\/(errors|troubleshooting)\/|^sdk\/AuthenticationError\//],
  ["cancel prediction", /^guides\/abort-and-deletion\//],
  ["generation in the backend and polling for it in the client", /^guides\/(browsers|waiting|frameworks)\//],
  ["we pay for the generation but lose the result on timeout", /^guides\/(paying-once|errors|waiting)\//],
  ["persist request id to recover", /^guides\/(paying-once|waiting|stores)\//],
  ["how to control a large number of requests", /^guides\/(many-images|batches|queues)\//],
  ["Unexpected token is not valid JSON", /^guides\/(troubleshooting|errors)\//],
  ["support edge runtime", /^guides\/(runtimes|frameworks)\//],
  [
    "customize image size 1024x1024",
    /^guides\/(first-video|source-images|troubleshooting|schemas|many-images)\/|^api\/\w+\/#field-resolution/,
  ],
  ["timeout above 5 minutes headersTimeout", /^guides\/(configuration|waiting|errors|troubleshooting)\//],
  ["pip install", /^api\/$|^guides\/faq\//],
  ["mcp", /^guides\/mcp\//],
];

test("36 of 40 questions in the words of others find their page among the first three hits", () => {
  const isFound = ([typed, address]: Queries[number]) =>
    find(typed)
      .slice(0, 3)
      .some(([, , at]) => address.test(at));
  expect(unseen).toHaveLength(40);
  expect(unseen.filter(isFound).length).toBeGreaterThanOrEqual(36);
});

test("every address of the index leads to a page and an anchor that are there", () => {
  const wrong = entries.filter(([, , address]) => {
    const [path = "", anchor] = address.split("#");
    const html = String(files.get(`${path}index.html`) ?? "");
    return html === "" || (anchor !== undefined && !html.includes(`id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});
