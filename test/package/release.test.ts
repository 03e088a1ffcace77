import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { slug } from "github-slugger";
import { describe, expect, test } from "vitest";
import { packages } from "../../scripts/build.ts";
import { type Npm, publish } from "../../scripts/publish.ts";

interface Addresses {
  readonly repository: { readonly url: string };
}

const manifests = await Promise.all(
  packages.map(
    async (path) => JSON.parse(await readFile(`${path}/package.json`, "utf8")) as Addresses,
  ),
);
const url = manifests[0]?.repository.url ?? "";
const page = url.replace(/^git\+(.*)\.git$/, "$1");

test("every package says where it comes from: the same repository, and its own directory there", () => {
  expect(page).toMatch(/^https:\/\/github\.com\/[\w-]+\/mediagen$/);
  expect(manifests).toMatchObject(
    packages.map((directory) => ({
      author: `The mediagen authors (${page})`,
      keywords: expect.arrayContaining(["media-generation"]),
      homepage: `${page}/tree/main/${directory}#readme`,
      bugs: { url: `${page}/issues` },
      repository: { type: "git", url, directory },
    })),
  );
});

test("no link of a package's README is relative, and none leads to a file or heading that is not in the repository", async () => {
  const links: string[] = [];
  const dead: string[] = [];
  for (const directory of packages) {
    const text = await readFile(`${directory}/README.md`, "utf8");
    for (const [, link = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      links.push(link);
      const [, path = "", heading] =
        /^\/(?:blob|tree)\/main\/([^#]+)(?:#(.+))?$/.exec(link.replace(page, "")) ?? [];
      const isThere = path
        ? existsSync(path) &&
          (!heading || headingsOf(await readFile(path, "utf8")).includes(heading))
        : link === page || link === `${page}/issues` || /^https:(?!.*\/mediagen)/.test(link);
      if (!isThere) dead.push(`${directory}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
  expect(links.length).toBeGreaterThan(10);
});

const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slug(heading));

test("no package with a placeholder as its URL is released or packed", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/release.ts", "--pack"], {
    encoding: "utf8",
  });
  expect(stderr).toMatch(
    /^release: packages\/\S+ has the placeholder github\.com\/OWNER\/ .* Nothing was published\./,
  );
  expect(status).toBe(1);
});

describe("publishing", () => {
  const packed = ["sdk", "cli"].map((name) => ({
    id: `@mediagen/${name}@1.0.0`,
    tarball: `${name}.tgz`,
  }));
  const calls: (readonly string[])[] = [];
  const npm =
    (published: string, status = 0): Npm =>
    (...args) => {
      calls.push(args.map((one) => basename(one)));
      if (args[0] === "publish") return status;
      return args[1] === published ? 0 : 1;
    };

  test("continues where an earlier run failed, in order and with provenance", () => {
    publish(npm("@mediagen/sdk@1.0.0"), JSON.stringify(packed));
    expect(calls.splice(0)).toEqual([
      ["view", "sdk@1.0.0", "version"],
      ["view", "cli@1.0.0", "version"],
      ["publish", "cli.tgz", "--access", "public", "--provenance"],
    ]);
  });

  test("stops at a package that npm does not publish", () => {
    expect(() => publish(npm("none", 1), JSON.stringify(packed))).toThrow(
      "npm has not published @mediagen/sdk@1.0.0",
    );
    expect(calls.splice(0)).toHaveLength(2);
  });

  test("imports nothing that has to be installed", async () => {
    const source = await readFile("scripts/publish.ts", "utf8");
    expect([...source.matchAll(/from "(?!node:)([^"]+)"/g)]).toEqual([]);
  });
});
