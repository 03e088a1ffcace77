import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { finishPage } from "../../scripts/docs/finish-page.ts";
import { fillPage } from "../../scripts/generate/markdown.ts";
import { checkLinks } from "../../scripts/docs/links.ts";
import { createRenderer } from "../../scripts/docs/markdown.ts";
import { guideGroups, sdkGroups } from "../../scripts/docs/navigation.ts";
import { operations } from "../contract/cases.ts";
import { builtSite, filesOf, pagesIn, siteOptions } from "./built-site.ts";

let files: ReadonlyMap<string, Buffer>;
let pages: readonly string[];
beforeAll(async () => {
  files = await filesOf(await builtSite());
  pages = pagesIn(files);
});
const text = (name: string) => files.get(name)?.toString() ?? "";
/** Of the files that have been weighed: every page loads the same style and script. */
const weights = new Map<string, number>();
const weight = (...names: readonly string[]) =>
  names.reduce((sum, name) => {
    const known = weights.get(name) ?? gzipSync(files.get(name) ?? Buffer.alloc(0), { level: 9 }).length;
    weights.set(name, known);
    return sum + known;
  }, 0);

test("every page can be edited where it is written, and what is generated in its source", () => {
  const own = pages.filter((page) => page !== "api/redoc/"); // Its page is Redoc's.
  const edited = own.map((page) => /\/edit\/main\/([^"]+)"/.exec(text(`${page}index.html`))?.[1] ?? "none");
  const known = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" }).split("\n");
  expect(edited.filter((file) => !known.includes(file) || file.includes(".gen."))).toEqual([]);
  expect(text("guides/waiting/index.html")).toContain(`${siteOptions.repository}/edit/main/docs/guides/waiting.md"`);
  expect(text("sdk/OutcomeUnknownError/index.html")).toContain("/edit/main/packages/sdk/src/errors/errors.ts");
});

test("no link, anchor or asset is broken", () => {
  expect(
    checkLinks(
      new Map([...files].map(([name, content]) => [name, /\.(png|mp4)$/.test(name) ? content : content.toString()])),
    ),
  ).toEqual([]);
  const assets = new Set(
    pages.flatMap((page) =>
      [...text(`${page}index.html`).matchAll(/"(?:\.{1,2}\/)*(assets\/[^"]+)"/g)].map(([, name = ""]) => name),
    ),
  );
  expect([...assets].filter((name) => !files.has(name))).toEqual([]);
  expect(assets.size).toBeGreaterThan(7);
});

test("the check of links sees what is broken", () => {
  const html =
    '<a href="gone/"></a><a href="#nowhere"></a><a href="page/#there"></a><a href="https://example.com/"></a>';
  expect(
    checkLinks(
      new Map([
        ["index.html", html],
        ["page/index.html", '<p id="there">'],
      ]),
    ),
  ).toEqual(["index.html: href gone/", "index.html: #nowhere has no such anchor"]);
});

test("every operation has a page of its own, with title, samples, fields, and how it is authenticated", () => {
  for (const { operationId, summary } of operations) {
    const html = text(`api/${operationId}/index.html`);
    expect(html).toContain(`<title>${summary} · mediagen</title>`);
    expect(html).toContain("createMediaGen");
    expect(html).toContain("MEDIAGEN_BASE_URL");
    expect(html).toContain(
      'id="data-taskid"'.replace("taskid", operationId.startsWith("delete") ? "status" : "taskid"),
    );
    for (const twin of [`api/${operationId}.md`, "api.md", "llms.txt"]) expect(text(twin)).toContain("Authorization");
  }
  const { paths } = JSON.parse(text("api/openapi.json")) as {
    readonly paths: Readonly<
      Record<string, { readonly post: { readonly "x-codeSamples": readonly { readonly label: string }[] } }>
    >;
  };
  expect(Object.values(paths).map(({ post }) => post["x-codeSamples"].map(({ label }) => label))).toEqual(
    operations.map(() => ["TypeScript", "curl"]),
  );
});

describe("weights, compressed", () => {
  test("style and script of every page are below 5 kB each, and with the page and its pictures below 100 kB in at most 6 requests", () => {
    expect(weight("assets/style.css")).toBeLessThan(5_000);
    expect(weight("assets/site.js")).toBeLessThan(5_000);
    for (const page of pages.filter((path) => !/^(api\/redoc|playground)\/$/.test(path))) {
      const html = text(`${page}index.html`);
      const loaded = [
        ...html.matchAll(
          /<(?:script|img|video|link rel="(?:stylesheet|icon)"[^>]*)[^>]* (?:src|href)="(?:\.{1,2}\/)*([^"]+)"/g,
        ),
      ].map(([, name = ""]) => name);
      expect(loaded.length + 1, page).toBeLessThanOrEqual(6);
      expect(loaded.filter((name) => !files.has(name))).toEqual([]);
      expect(
        weight(`${page}index.html`) +
          loaded.reduce((sum, name) => {
            if (name.endsWith("mp4")) return sum;
            return sum + (name.endsWith("png") ? (files.get(name)?.length ?? 0) : weight(name));
          }, 0),
        page,
      ).toBeLessThan(100_000);
    }
    // Its text has smooth edges, which the emulator's lossless encoder writes out.
    expect(files.get("assets/clip.mp4")?.length).toBeLessThan(400_000);
  });

  test("the API's page has less than 660 kB of script", () => {
    expect(weight("assets/redoc.js", "assets/api.js", "assets/site.js")).toBeLessThan(660_000);
  });
});

describe("for machines", () => {
  test("every page has a Markdown twin that says what it is, and the indices lead to each", () => {
    for (const page of pages) {
      const twin = page === "" ? "index.md" : page.replace(/\/$/, ".md");
      expect(text(twin), twin).toMatch(/^# \S[^]*\n\n[^]{40}/m);
      if (page !== "api/redoc/") expect(text(`${page}index.html`), page).toContain('id="copy-page"');
      expect(text("llms.txt") + (page === "" ? twin : ""), twin).toContain(twin);
      expect(text("sitemap.xml")).toContain(`<loc>https://docs.example/${page}</loc>`);
    }
    expect(text("llms-full.txt")).toContain("# First video");
  });

  test("no twin holds an include that was not put in", () => {
    const left = [...files].filter(
      ([name, content]) => name.endsWith(".md") && /^```\w+ file=|<!-- |\]\((sdk|api):/m.test(content.toString()),
    );
    expect(left.map(([name]) => name)).toEqual([]);
  });

  test("the card that links show is a picture of 1200 x 630", () => {
    const card = files.get("assets/card.png");
    expect([card?.readUInt32BE(16), card?.readUInt32BE(20)]).toEqual([1200, 630]);
  });
});

test("every page carries a policy that allows no inline script or style, and no foreign origin", () => {
  const html = [...files].filter(([name]) => name.endsWith(".html"));
  for (const [name, content] of html) {
    const [, policy = ""] =
      /<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(
        String(content),
      ) ?? [];
    expect(policy, name).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy, name).not.toMatch(/unsafe|\*(?!;| |$)/);
    if (!name.startsWith("playground/")) expect(policy, name).not.toMatch(/https?:|\*/);
  }
  // What a page cannot say of itself, hosts are told.
  expect(text("_headers")).toContain("Content-Security-Policy: frame-ancestors 'none'");
  expect(text("_headers").match(/^\//gm)).toHaveLength(1);
});

/** All that pages consist of. A text in angle brackets, as `<width>`, would be an element of another name. */
const elements =
  "a aside b blockquote body br button circle code dd details div dl dt em figcaption figure footer form h1 h2 h3 h4 h5 head header html img input kbd label li link main meta nav noscript ol p path pre rect script section small span strong summary svg table tbody td text thead title tr th ul video wbr g";

test("no page has an unknown element, an inline script, style or handler, or loads anything from elsewhere", () => {
  const known = new Set(elements.split(" "));
  const wrong: string[] = [];
  for (const page of [...pages.map((path) => `${path}index.html`), "404.html"]) {
    for (const [tag, name = "", rest = ""] of text(page).matchAll(/<([a-zA-Z][\w-]*)([^>]*)>/g)) {
      const isInline = / (style|on[a-z]+)=/.test(rest) || (name === "script" && !rest.includes(" src="));
      const isForeign =
        name !== "a" && / (src|href|poster)="(https?:)?\/\//.test(rest) && !/rel="canonical"/.test(rest);
      if (!known.has(name) || isInline || isForeign) wrong.push(`${page}: ${tag.slice(0, 80)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("on every page headings go down one level at a time, and links and heads of tables have words", () => {
  const wrong: string[] = [];
  for (const page of pages) {
    const [, main = ""] = /<main[^>]*>([^]*)<\/main>/.exec(text(`${page}index.html`)) ?? [];
    const levels = [...main.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    if (levels[0] !== 1 || levels.some((level, at) => at > 0 && (level === 1 || level > (levels[at - 1] ?? 0) + 1)))
      wrong.push(`${page}: headings ${levels.join("")}`);
    const silent = [...main.matchAll(/<(a|button|summary|th)\b([^>]*)>(?:\s|<(?!\/\1)[^>]*>)*<\/\1>/g)];
    wrong.push(
      ...silent.filter(([, , rest]) => !/ (id|aria-label)=/.test(rest ?? "")).map(([what]) => `${page}: ${what}`),
    );
  }
  expect(wrong).toEqual([]);
});

test("no two files differ only in case, which macOS and Windows take for one", () => {
  const seen = Map.groupBy(files.keys(), (name) => name.toLowerCase());
  expect([...seen.values()].filter((names) => names.length > 1)).toEqual([]);
});

test("every guide has its group in the navigation, and every list in it is true", () => {
  const guides = [...files.keys()].flatMap((name) => /^guides\/(.+)\.md$/.exec(name)?.[1] ?? []);
  const listed = Object.values(guideGroups).flat();
  expect(guides.filter((name) => !listed.includes(name))).toEqual([]);
  const exported = new Set(pages.flatMap((page) => /^sdk\/(\w+)(?:-type)?\/$/.exec(page)?.[1] ?? []));
  expect(
    Object.values(sdkGroups)
      .flat()
      .filter((name) => !exported.has(name)),
  ).toEqual([]);
});

test("the reference is published as JSON, with every export", () => {
  const { children } = JSON.parse(text("sdk/reference.json")) as {
    readonly children: readonly { readonly name: string; readonly children: readonly { readonly name: string }[] }[];
  };
  const names = children.find(({ name }) => name === "sdk/src")?.children.map(({ name }) => name) ?? [];
  expect(names).toEqual(expect.arrayContaining(["createMediaGen", "OutcomeUnknownError", "WaitOptions"]));
  expect(text("sdk/reference.json")).not.toContain(process.cwd());
});

describe("what generate fills in", () => {
  const tables = (name: string) => (name === "models" ? "| a |\n" : undefined);
  const filled = (markdown: string) => fillPage(markdown, "docs/guides/x.md", tables);

  test("replaces what it filled in before, and nothing else", () => {
    const page = (code: string, rows: string) =>
      `A\n\n\`\`\`ts file=home.ts region=x\n${code}\`\`\`\n\n\`\`\`sh\nb\n\`\`\`\n\n<!-- include: models -->\n${rows}\nC\n`.replace(
        " region=x",
        "",
      );
    const once = filled(page("", ""));
    expect(once).toContain("\n\n<!-- include: models -->\n\n| a |\n\n<!-- end -->\n\nC\n");
    expect(once).toContain("createMediaGen");
    expect(filled(once)).toBe(once);
    expect(filled(page("old\n", "\n| old |\n\n<!-- end -->\n"))).toBe(once);
  });
});

test("a link to an export that is not there is named with its file and line", () => {
  const finished = () =>
    finishPage("See [it](../../packages/sdk/api.md#gone).", "docs/guides/x.md", "guides/x.md", () => undefined);
  expect(finished).toThrow("docs/guides/x.md:1: gone is not there");
});

describe("code", () => {
  test("has its file as title, its marked lines, and tabs where blocks follow each other", async () => {
    const render = await createRenderer();
    const { html } = render(
      [
        '```ts title="a.ts" mark="wait"\nlet a;\nwait();\na;\n```',
        '```ts tab="TypeScript"\nlet b;\n```',
        '```sh tab="curl"\ncurl\n```',
        "> [!WARNING]\n> This costs money.",
      ].join("\n\n"),
      "x",
      "x.md",
    );
    expect(html).toContain('<div class="code"><p class="title">a.ts</p><pre tabindex="0">');
    expect(html.match(/<span class="mark">.*\n<\/span>/g)).toEqual([expect.stringContaining("wait")]);
    expect(html.match(/<label [^>]*>[^<]*/g)).toEqual(['<label for="tab-1-0">TypeScript', '<label for="tab-1-1">curl']);
    expect(html).toContain('<div class="markdown-alert markdown-alert-warning">');
    expect(html.match(/<div/g)).toHaveLength(html.match(/<\/div>/g)?.length ?? 0);
  });

  test("that does not have what is to be marked is an error", async () => {
    const render = await createRenderer();
    expect(() => render('```ts mark="gone"\nlet a;\n```', "x", "x.md")).toThrow("what is marked: gone");
  });
});
