import { beforeAll, expect, test } from "vitest";
import { find } from "../../docs/site/search.ts";
import type { SearchEntry } from "../../scripts/docs/search.ts";
import { operations } from "../contract/cases.ts";
import { builtSite, filesOf, pagesIn } from "./built-site.ts";

let files: ReadonlyMap<string, Buffer>;
let entries: readonly SearchEntry[];
beforeAll(async () => {
  files = await filesOf(await builtSite());
  entries = JSON.parse(String(files.get("assets/search.json"))) as SearchEntry[];
});

/** Whether the page is among the first three hits. */
function finds(typed: string, address: string): boolean {
  return find(entries, typed)
    .slice(0, 3)
    .some(([, , at]) => at === address);
}

test("every operation is found by its id, and most of it", () => {
  for (const { operationId } of operations) {
    expect(finds(operationId, `api/${operationId}/`), operationId).toBe(true);
    expect(finds(operationId.toLowerCase(), `api/${operationId}/`), operationId).toBe(true);
  }
});

test("every export is found by its name, at the door that has it", () => {
  const names = pagesIn(files).filter(
    (path) => /^sdk\/.*[^/]+\/$/.test(path) && !/^sdk\/(node|http|batch|emulator|emulator-node)\/$/.test(path),
  );
  expect(names.length).toBeGreaterThan(100);
  const missed = names.filter((path) => !finds(path.split("/").at(-2) ?? "", path));
  expect(missed).toEqual([]);
});

test("every guide is found by its title", () => {
  const guides = [...files]
    .filter(([name]) => /^guides\/[^/]+\.md$/.test(name))
    .map(([name, content]) => [name.replace(".md", "/"), /^# (.*)$/m.exec(String(content))?.[1] ?? ""] as const);
  expect(guides.length).toBeGreaterThan(8);
  expect(guides.filter(([path, title]) => !finds(title, path))).toEqual([]);
});

test.for([
  ["duration", /api\/\w+\/#field-duration|#property-duration/],
  ["wait", /sdk\/Task\/#wait/],
  ["test without paying", /^guides\/testing\//],
  ["insufficient credits", /InsufficientCreditsError/],
  ["playground", /^playground\//],
  ["poll", /^guides\/waiting\//],
  ["cancel", /^guides\/abort-and-deletion\//],
  ["install", /^guides\/first-video\//],
  ["cors", /^guides\/browsers\//],
  ["9000", /^guides\/errors\//],
  ["how long do URLs stay valid", /^guides\/(results|first-video)\//],
])("what one looks for is there: %s", ([typed = "", address]) => {
  expect(
    find(entries, String(typed))
      .slice(0, 3)
      .map(([, , at]) => at)
      .join(" "),
  ).toMatch(address as RegExp);
});

test("every address of the index leads to a page and an anchor that are there", () => {
  const wrong = entries.filter(([, , address]) => {
    const [path = "", anchor] = address.split("#");
    const html = String(files.get(`${path}index.html`) ?? "");
    return html === "" || (anchor !== undefined && !html.includes(` id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});

test("nothing is found where nothing is typed, or nothing is called so", () => {
  expect([find(entries, "  "), find(entries, "zzzz no such thing")]).toEqual([[], []]);
});
