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
const queries: readonly (readonly [typed: string, address: RegExp])[] = [
  ["resume task", /^guides\/waiting\//],
  ["9000", /^guides\/errors\//],
  ["duration", /^api\/\w+\/#field-duration/],
  ["typescript enum", /^sdk\/Form\//],
  ["vidmodelv2 ratio", /^api\/generateVidmodelv2\/#field-ratio/],
  ["timout", /^guides\/waiting\//],
  ["duplicate charge", /^guides\/paying-once\//],
  ["after a crash", /^guides\/paying-once\//],
  ["test without paying", /^guides\/testing\//],
  ["S3", /^guides\/results\//],
  ["base64", /^guides\/source-images\//],
  ["exit code", /^guides\/command-line\//],
  ["quickstart", /^guides\/first-video\//],
  ["insuficient credits", /^sdk\/InsufficientCreditsError\//],
  ["task.wait", /^sdk\/Task\/#wait/],
  ["ECONNREFUSED", /^guides\/troubleshooting\//],
  ["refund", /^guides\/(faq|errors)\//],
  ["openapi spec", /^api\/$/],
  ["task_status", /^api\/\w+\/#data-task_status$/],
  ["charged twice", /^guides\/(paying-once|errors|faq)\//],
  ["socket hang up", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["request timed out", /^guides\/(troubleshooting|errors|paying-once)\//],
  ["maxRetries", /^guides\/(configuration|errors|migration)\//],
  ["webhooks when creating predictions", /^guides\/(waiting|faq|migration)\//],
  ["progress bar", /^guides\/waiting\//],
  ["how to download the video", /^guides\/results\/|^sdk\/node\/download\//],
  ["other people can see my API key in network", /^guides\/browsers\//],
  ["accept Buffer objects when uploading images", /^guides\/source-images\//],
  ["corporate proxy certificate", /^guides\/proxies-and-tls\//],
  ["incorrect api key 401", /^guides\/(errors|troubleshooting)\/|^sdk\/AuthenticationError\//],
  ["cancel prediction", /^guides\/abort-and-deletion\//],
  ["how to control a large number of requests", /^guides\/(many-images|batches|queues)\//],
  ["support edge runtime", /^guides\/(runtimes|frameworks)\//],
  ["pip install", /^api\/$|^guides\/faq\//],
];

test.for(queries)("%s finds %s among the first three hits", ([typed, address]) => {
  const hits = find(typed).slice(0, 3);
  expect(hits.map(([, , at]) => at)).toContainEqual(expect.stringMatching(address));
});

test("every address of the index leads to a page and an anchor that are there", () => {
  const wrong = entries.filter(([, , address]) => {
    const [path = "", anchor] = address.split("#");
    const html = String(files.get(`${path}index.html`) ?? "");
    return html === "" || (anchor !== undefined && !html.includes(`id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});
