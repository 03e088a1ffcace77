import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packages } from "../../scripts/build.ts";
import { type Npm, publish } from "../../scripts/publish.ts";
import { addressFault, type Manifest } from "../../scripts/release.ts";

interface Addresses {
  readonly name: string;
  readonly author: string;
  readonly keywords: readonly string[];
  readonly homepage: string;
  readonly bugs: { readonly url: string };
  readonly repository: { readonly type: string; readonly url: string; readonly directory: string };
}

const manifests = await Promise.all(
  packages.map(async (path) => JSON.parse(await readFile(`${path}/package.json`, "utf8")) as Addresses),
);

test("every package says where it comes from: the same repository, and its own directory there", () => {
  const [first] = manifests;
  const page = first?.repository.url.replace(/^git\+(.*)\.git$/, "$1");
  expect(page).toMatch(/^https:\/\/github\.com\/[\w-]+\/mediagen$/);
  expect(
    manifests.map(({ author, keywords, homepage, bugs, repository }) => ({
      author,
      keywords,
      homepage,
      bugs,
      repository,
    })),
  ).toEqual(
    packages.map((directory) => ({
      author: `The mediagen authors (${page})`,
      keywords: expect.arrayContaining(["media-generation"]),
      homepage: `${page}/tree/main/${directory}#readme`,
      bugs: { url: `${page}/issues` },
      repository: { type: "git", url: first?.repository.url, directory },
    })),
  );
});

test("no link of a package's README is relative, and none leads to a file or heading that is not in the repository", async () => {
  const page = manifests[0]?.repository.url.replace(/^git\+(.*)\.git$/, "$1") ?? "";
  const links: string[] = [];
  const dead: string[] = [];
  for (const directory of packages) {
    const text = await readFile(`${directory}/README.md`, "utf8");
    for (const [, link = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      links.push(link);
      const [, path = "", heading] = /^\/(?:blob|tree)\/main\/([^#]+)(?:#(.+))?$/.exec(link.replace(page, "")) ?? [];
      const isThere = path
        ? existsSync(path) && (!heading || headingsOf(await readFile(path, "utf8")).includes(heading))
        : link === page || link === `${page}/issues` || /^https:(?!.*\/mediagen)/.test(link);
      if (!isThere) dead.push(`${directory}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
  expect(links.length).toBeGreaterThan(10);
});

const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s+/g, "-"),
  );

describe("a release", () => {
  const good: Manifest = {
    name: "@mediagen/sdk",
    repository: { url: "git+https://github.com/fox/mediagen.git" },
    homepage: "https://github.com/fox/mediagen#readme",
    bugs: { url: "https://github.com/fox/mediagen/issues" },
    author: "Fox (https://github.com/fox)",
  };
  const { repository: _, ...without } = good;

  test("refuses packages whose addresses are missing or placeholders", () => {
    expect(addressFault([good, good])).toBeUndefined();
    for (const bad of [
      without,
      { ...good, repository: { url: "git+https://github.com/OWNER/mediagen.git" } },
      { ...good, homepage: "https://github.com/OWNER/mediagen#readme" },
      { ...good, bugs: { url: "https://github.com/OWNER/mediagen/issues" } },
      { ...good, author: "Fox (https://github.com/OWNER)" },
      { ...good, readme: "[Guides](https://github.com/OWNER/mediagen/tree/main/docs/guides)" },
    ])
      expect(addressFault([good, bad])).toMatch(/^release: @mediagen\/sdk .* Nothing was published\./);
  });

  describe("in a copy of the project", () => {
    let copy = "";
    beforeAll(async () => {
      await mkdir("out", { recursive: true });
      copy = await mkdtemp("out/release-");
      await cp("scripts", join(copy, "scripts"), { recursive: true });
      await writeFile(join(copy, "package.json"), "{}");
      for (const path of packages) {
        const manifest = {
          ...good,
          name: `@mediagen/${basename(path)}`,
          homepage: "https://github.com/OWNER/mediagen",
        };
        await mkdir(join(copy, path), { recursive: true });
        await writeFile(join(copy, path, "package.json"), JSON.stringify(manifest));
        await writeFile(join(copy, path, "README.md"), "");
      }
    });
    afterAll(() => rm(copy, { recursive: true, force: true }));

    test.for([{ how: "--no-test" }, { how: "--pack" }])("refuses them before anything else, with $how", ({ how }) => {
      const { status, stderr } = spawnSync(process.execPath, ["scripts/run.js", "release", how], {
        cwd: copy,
        encoding: "utf8",
      });
      expect(stderr).toContain("has no URL, or the placeholder github.com/OWNER/");
      expect(status).toBe(1);
    });
  });
});

describe("publishing", () => {
  const packed = ["sdk", "cli"].map((name) => ({ id: `@mediagen/${name}@1.0.0`, tarball: `${name}.tgz` }));
  const calls: (readonly string[])[] = [];
  const npm =
    (published: string, status = 0): Npm =>
    (...args) => {
      calls.push(args.map((one) => basename(one)));
      return { status: args[0] === "publish" ? status : 0, stdout: args[1] === published ? "1.0.0\n" : "" };
    };

  test("goes on where an earlier run failed, in order and with provenance", () => {
    publish(packed, false, npm("@mediagen/sdk@1.0.0"));
    expect(calls.splice(0)).toEqual([
      ["view", "sdk@1.0.0", "version"],
      ["view", "cli@1.0.0", "version"],
      ["publish", "cli.tgz", "--access", "public", "--provenance"],
    ]);
  });

  test("stops at a package that npm does not publish", () => {
    expect(() => publish(packed, false, npm("none", 1))).toThrow("npm has not published @mediagen/sdk@1.0.0");
    expect(calls.splice(0)).toHaveLength(2);
  });

  test("sends nothing in a dry run", () => {
    publish(packed, true, npm("none"));
    expect(calls.map((args) => args.at(-1))).toEqual(["--dry-run", "--dry-run"]);
  });

  test("imports nothing that has to be installed", async () => {
    const source = await readFile("scripts/publish.ts", "utf8");
    expect([...source.matchAll(/from "(?!node:)([^"]+)"/g)]).toEqual([]);
  });
});
