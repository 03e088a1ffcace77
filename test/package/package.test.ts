import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { packages as paths } from "../../scripts/build.ts";
import { check, pack } from "../../scripts/release.ts";

const packages = paths.map((path) => basename(path));
const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
afterAll(() => rm(directory, { recursive: true }));
const tarballs = await pack(paths, directory);

describe.each(packages)("@mediagen/%s", (name) => {
  const tarball = tarballs[packages.indexOf(name)] ?? "";

  test("the tarball holds what was built from the sources, and nothing else", () => {
    const list = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
    const files = list.map((path) => path.replace("package/", ""));
    const root = `packages/${name}`;
    const scripts = reachedFrom(
      globSync(
        `${root}/dist/{index,node,http,schema,kit,command,vitest,node-test,postgres,redis,sqlite,check}.js`,
      ),
    );
    const isScript = (file: string) => scripts.includes(join(root, file.replace(/\.map$/, "")));
    const isSource = (file: string) =>
      existsSync(`${root}/${file.replace(/^dist(.*)\.d\.ts$/, "src$1.ts")}`);
    const others = files.filter(
      (file) =>
        !/^(LICENSE|README\.md|package\.json|server\.json|bin\.js|.*\.cjs|.*\.gen\.json)$/.test(
          file,
        ),
    );
    expect(
      others.filter((file) => (file.endsWith(".d.ts") ? !isSource(file) : !isScript(file))),
    ).toEqual([]);
    expect(others.filter((file) => file.endsWith(".js"))).toHaveLength(scripts.length);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  });

  test("publint and attw find nothing in it", () => check(tarball));
});

test.each(["sdk", "emulator", "proxy"])(
  "the plain entry point of @mediagen/%s needs nothing of Node, and evaluates no text",
  async (name) => {
    const { outputFiles } = await bundle(`export * from "@mediagen/${name}";`);
    expect(outputFiles.map(({ text }) => text).join("\n")).not.toMatch(
      /\beval\(|new Function\(|["']node:/,
    );
  },
);

test.each(["createMediaGen", "fileFrom"])(
  "%s loads what a store or a source image needs at first use",
  async (name) => {
    const { metafile } = await bundle(`export { ${name} } from "@mediagen/sdk";`);
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports.filter(({ kind }) => kind === "dynamic-import")).toHaveLength(1);
  },
);

test("to import an entry point of the SDK loads few files", () => {
  const first = (name: string) => reachedFrom([`packages/sdk/dist/${name}.js`], { later: false });
  expect([first("index"), first("node")].map(({ length }) => length)).toEqual([2, 3]);
});

/** Returns the scripts and those that they import, and load later unless that does not count. */
function reachedFrom(scripts: readonly string[], { later = true } = {}): readonly string[] {
  const imported = later
    ? /(?:\bimport|\} from|\bimport\() ?"(\.[^"]+)"/g
    : /(?:^import|\} from) "(\.[^"]+)"/gm;
  const reached = new Set(scripts);
  // A set goes on to what is added in the meantime.
  for (const path of reached)
    for (const [, other = ""] of readFileSync(path, "utf8").matchAll(imported))
      reached.add(join(dirname(path), other));
  return [...reached];
}

/** Bundles for browsers; an import that they do not have is an error. */
function bundle(contents: string) {
  const stdin = { contents, resolveDir: process.cwd() };
  return build({
    ...{ stdin, bundle: true, minify: true, format: "esm", platform: "browser" },
    ...{ target: "es2022", splitting: true, outdir: "out", metafile: true, write: false },
  });
}
