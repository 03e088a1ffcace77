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
      ?.replace(/-type$/, "") ?? "";
  expect(names.filter((path) => !finds(nameOf(path), path))).toEqual([]);
});

test("every guide is found by its title", () => {
  const guides = [...files]
    .filter(([name]) => /^guides\/[^/]+\.md$/.test(name))
    .map(([name, content]) => [name.replace(".md", "/"), /^# (.*)$/m.exec(String(content))?.[1] ?? ""] as const);
  expect(guides.length).toBeGreaterThan(8);
  expect(guides.filter(([path, title]) => !finds(title, path))).toEqual([]);
});

test.for([
  // What the reviewers of version 0.1.0 typed.
  ["retry", /^guides\/errors\//],
  ["timeout", /^guides\/waiting\//],
  ["resume task", /^guides\/waiting\//],
  ["9000", /^guides\/errors\//],
  ["insufficient credits", /^sdk\/InsufficientCreditsError\//],
  ["duration", /^api\/\w+\/#field-duration/],
  ["typescript enum", /^sdk\/Form\//],
  ["cancel", /^guides\/abort-and-deletion\//],
  ["proxy", /^guides\/proxies-and-tls\//],
  ["webhook", /^guides\/waiting\//],
  ["cost", /^guides\/errors\//],
  ["vidmodelv2 ratio", /^api\/generateVidmodelv2\/#field-ratio/],
  ["OutcomeUnknownError", /^sdk\/OutcomeUnknownError\/$/],
  ["nextjs", /^guides\/frameworks\//],
  ["python", /^api\/$/],
  ["rate limit", /^guides\/(faq|many-images)\//],
  ["seed", /^api\/\w+\/#field-seed/],
  ["file size", /^guides\/source-images\//],
  ["batch", /^guides\/batches\//],
  ["api key", /^guides\/configuration\//],
  ["polling", /^guides\/waiting\//],
  ["download", /^sdk\/node\/download\/$/],
  ["authentication", /^sdk\/AuthenticationError\//],
  ["timout", /^guides\/waiting\//],
  // Further tasks, names, products and slips.
  ["idempotency key", /^guides\/paying-once\//],
  ["duplicate charge", /^guides\/paying-once\//],
  ["after a crash", /^guides\/paying-once\//],
  ["sqlite", /^guides\/stores\//],
  ["redis", /^guides\/(stores|queues-operation)\//],
  ["mock server", /^guides\/testing\//],
  ["test without paying", /^guides\/testing\//],
  ["prism", /^guides\/testing\//],
  ["opentelemetry", /^guides\/observability\//],
  ["logging", /^guides\/observability\//],
  ["hono", /^guides\/frameworks\//],
  ["cloudflare workers", /^guides\/frameworks\//],
  ["vercel", /^guides\/frameworks\//],
  ["cors", /^guides\/browsers\//],
  ["S3", /^guides\/results\//],
  ["how long do URLs stay valid", /^guides\/results\//],
  ["base64", /^guides\/source-images\//],
  ["csv", /^guides\/batches\//],
  ["exit code", /^guides\/command-line\//],
  ["quickstart", /^guides\/first-video\//],
  ["install", /^guides\/installation\//],
  ["runway", /^guides\/migration\//],
  ["self-signed certificate", /^guides\/proxies-and-tls\//],
  ["webhok", /^guides\/waiting\//],
  ["insuficient credits", /^sdk\/InsufficientCreditsError\//],
  ["delete video", /^api\/deleteVideoTasks\//],
  ["task.wait", /^sdk\/Task\/#wait/],
  ["playground", /^playground\//],
  ["changelog", /^changelog\//],
  // What the pages for reference answer.
  ["environment variables", /^guides\/configuration\//],
  ["deno", /^guides\/runtimes\//],
  ["ECONNREFUSED", /^guides\/troubleshooting\//],
  ["refund", /^guides\/(faq|errors)\//],
  ["bundle size", /^guides\/faq\/|^benchmarks\//],
] as const)("the answer is among the first three results for %s", ([typed, address]) => {
  const addresses = find(typed)
    .slice(0, 3)
    .map(([, , at]) => at);
  expect(addresses).toContainEqual(expect.stringMatching(address));
});

test("every address of the index leads to a page and an anchor that are there", () => {
  const wrong = entries.filter(([, , address]) => {
    const [path = "", anchor] = address.split("#");
    const html = String(files.get(`${path}index.html`) ?? "");
    return html === "" || (anchor !== undefined && !html.includes(`id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});

test("nothing is found where nothing is typed, or nothing matches", () => {
  expect([find("  "), find("zzzzzzzz")]).toEqual([[], []]);
});
