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
function finds(typed: string, url: string | RegExp): boolean {
  const hits = find(typed).slice(0, 3);
  return hits.some(([, , at]) => (typeof url === "string" ? at === url : url.test(at)));
}

test("every operation is found by its id, and most of it", () => {
  for (const { operationId } of operations) {
    expect(finds(operationId, `api/${operationId}/`), operationId).toBe(true);
    expect(finds(operationId.toLowerCase(), `api/${operationId}/`), operationId).toBe(true);
  }
});

test("every export is found by its name, at the entry point that has it", () => {
  const overviews = entryPoints.map(({ path }) => `${path}/`);
  const names = pagesIn(files).filter(
    (path) => /^sdk\/.*[^/]+\/$/.test(path) && !overviews.includes(path),
  );
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
    .map(
      ([name, content]) =>
        [name.replace(".md", "/"), /^# (.*)$/m.exec(String(content))?.[1] ?? ""] as const,
    );
  expect(guides.length).toBeGreaterThan(8);
  expect(guides.filter(([path, title]) => !finds(title, path))).toEqual([]);
});

/** Words of our pages, with a page that has the answer. */
const queries: readonly (readonly [typed: string, url: RegExp])[] = [
  ["9000", /^guides\/errors\//],
  ["duration", /^api\/\w+\/#field-duration/],
  ["vidmodelv2 ratio", /^api\/generateVidmodelv2\/#field-ratio/],
  ["timout", /^guides\/waiting\//],
  ["insuficient credits", /^sdk\/InsufficientCreditsError\//],
  ["task.wait", /^sdk\/Task\/#wait/],
  ["task_status", /^api\/\w+\/#data-task_status$/],
];

test.for(queries)("%s finds %s among the first three hits", ([typed, url]) => {
  expect(finds(typed, url)).toBe(true);
});

/**
 * Titles of issues in the repositories of other clients, stores, queues and command lines, with the
 * pages that have the answer. They were chosen, and their pages read, before the search was tried.
 * Do not tune the search or the pages to them.
 */
const unseen: readonly (readonly [typed: string, pages: string, issue: string])[] = [
  [
    "APIConnectionError: Connection error",
    "errors troubleshooting sdk/ConnectionError",
    "truefoundry/cognita#351",
  ],
  ["docker unable to connect, how to set proxy", "proxies-and-tls", "langgenius/dify#7253"],
  ["end wait if a prediction is canceled", "waiting abort-and-deletion faq", "replicate-python#21"],
  ["get list of all predictions", "faq command-line paying-once", "stackwise#74"],
  [
    "status change callback while waiting for the result",
    "waiting configuration migration first-video sdk/WaitOptions sdk/WaitUpdate",
    "replicate-swift#55",
  ],
  ["leak your credentials in any frontend", "browsers", "react-native-aws3#54"],
  [
    "using outside of Node.js (Cloudflare Workers or Deno)",
    "runtimes frameworks",
    "stripe-node#997",
  ],
  ["node specific APIs in Workers", "runtimes frameworks module-formats", "stripe-node#1593"],
  ["the library doesn't work on Deno", "runtimes", "stripe-node#1428"],
  ["use fetch-based client in Bun", "runtimes proxies-and-tls", "stripe-node#2090"],
  ["request throttling plugin", "many-images configuration errors batches", "octokit.js#1099"],
  [
    "abuse detected, rate limit errors",
    "many-images errors troubleshooting sdk/RateLimitError",
    "plugin-throttling#108",
  ],
  ["fail workflow after max activity retry", "workflow-engines", "appsmith#33026"],
  ["mark failure as not retryable in Temporal", "workflow-engines queues", "temporal#131"],
  [
    "fail an activity in long-polling patterns",
    "workflow-engines queues",
    "temporalio/sdk-typescript#1420",
  ],
  ["zod validation for requests", "schemas", "zenstack#262"],
  [
    "file upload without loading entire file into memory",
    "source-images",
    "assemblyai-ruby-sdk#17",
  ],
  [
    "support readable streams in uploadFile",
    "source-images sdk/fileFrom sdk/FileSource",
    "daytona#3216",
  ],
  ["race condition allows exceeding daily quota", "browsers", "auto.fun#330"],
  ["per-user rate limiting to prevent API abuse", "browsers frameworks", "arcmindAI#184"],
  ["verify user has enough credit before generation", "browsers many-images", "scrollcraft#45"],
  ["disable real HTTP requests", "testing", "nock#113"],
  ["idempotency in a cluster environment", "paying-once stores", "IdempotentAPI#34"],
  ["Redis store overwrites in-flight record on concurrent requests", "stores", "idempot-js#182"],
  ["Redis store adapter", "stores sdk/stores-redis", "hono-idempotency#64"],
  ["lose idempotency on restart or across replicas", "paying-once stores", "YieldVault-RWA#811"],
  ["reject key reuse with a different request", "paying-once troubleshooting", "Stockpile#132"],
  ["concurrent claims are atomic", "stores paying-once", "Stockpile#132"],
  ["retention/cleanup of idempotency keys", "paying-once stores fleet", "Stockpile#132"],
  ["prevent duplicate orders", "paying-once queues fleet", "Truxify#4006"],
  ["TTL expiry of idempotency record", "stores paying-once", "powertools-lambda-python#2567"],
  ["automation cannot detect CLI failures", "command-line", "potpie#992"],
  [
    "environment variable takes precedence over config file",
    "command-line configuration",
    "niks3#143",
  ],
  ["use keychain to store auth tokens", "command-line", "golem#2332"],
  ["Claude Desktop approval", "mcp", "ha-mcp#2480"],
  ["SSRF bypass via redirect", "results source-images", "Token-Print#271"],
  ["chaos resilience testing", "testing emulator", "pnp/proxy-samples#53"],
  ["sleep after creating before polling", "waiting", "replicate-javascript#79"],
  ["null output while still processing", "waiting troubleshooting", "kmp-contest-starter-kit#39"],
  ["prevent high API bills", "many-images browsers mcp", "scrollcraft#45"],
];

test("36 of 40 questions in the words of others find their page among the first three hits", () => {
  const pattern = (pages: string) => new RegExp(`^(?:guides/)?(?:${pages.replaceAll(" ", "|")})/`);
  const missed = unseen.filter(([typed, pages]) => !finds(typed, pattern(pages)));
  expect(missed.length, missed.map(([typed]) => typed).join("\n")).toBeLessThanOrEqual(4);
});

test("every URL of the index leads to a page and an anchor that are there", () => {
  const wrong = entries.filter(([, , url]) => {
    const [path = "", anchor] = url.split("#");
    const html = String(files.get(`${path}index.html`) ?? "");
    return html === "" || (anchor !== undefined && !html.includes(`id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});
