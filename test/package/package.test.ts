import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import { describe, expect, test } from "vitest";
import { packages as paths } from "../../scripts/build.ts";
import { check } from "../../scripts/release.ts";
import { useProject } from "./project.ts";

const packages = paths.map((path) => basename(path));
const project = useProject(packages, ["sdk"]);

describe.each(packages)("@mediagen/%s", (name) => {
  const tarball = () => project.tarballs[packages.indexOf(name)] ?? "";

  test("the tarball holds what was built from the sources, and nothing else", () => {
    const list = execFileSync("tar", ["-tzf", tarball()], { encoding: "utf8" }).trim().split("\n");
    const files = list.map((path) => path.replace("package/", ""));
    const root = `packages/${name}`;
    const scripts = reachedFrom(
      globSync(`${root}/dist/{index,node,http,schema,kit,command,vitest,node-test,postgres,redis,sqlite,check}.js`),
    );
    const isScript = (file: string) => scripts.includes(join(root, file.replace(/\.map$/, "")));
    const isSource = (file: string) => existsSync(`${root}/${file.replace(/^dist(.*)\.d\.ts$/, "src$1.ts")}`);
    const others = files.filter(
      (file) => !/^(LICENSE|README\.md|package\.json|server\.json|bin\.js|.*\.cjs|.*\.gen\.json)$/.test(file),
    );
    expect(others.filter((file) => (file.endsWith(".d.ts") ? !isSource(file) : !isScript(file)))).toEqual([]);
    expect(others.filter((file) => file.endsWith(".js"))).toHaveLength(scripts.length);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  });
});

test.each(packages)("publint and attw find nothing in @mediagen/%s", (name) =>
  check(project.tarballs[packages.indexOf(name)] ?? ""),
);

test.each(["sdk", "emulator", "proxy"])(
  "the plain entry point of @mediagen/%s needs nothing of Node, and evaluates no text",
  async (name) => {
    const { outputFiles } = await bundle(`export * from "@mediagen/${name}";`);
    expect(outputFiles.map(({ text }) => text).join("\n")).not.toMatch(/\beval\(|new Function\(|["']node:/);
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

/** Returns the scripts and those that they import, and load later unless that does not count. */
function reachedFrom(scripts: readonly string[], { later = true } = {}): readonly string[] {
  const imported = later ? /(?:\bimport|\} from|\bimport\() ?"(\.[^"]+)"/g : /(?:^import|\} from) "(\.[^"]+)"/gm;
  const reached = new Set(scripts);
  // A set goes on to what is added in the meantime.
  for (const path of reached)
    for (const [, other = ""] of readFileSync(path, "utf8").matchAll(imported)) reached.add(join(dirname(path), other));
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

describe("in an empty project", () => {
  test.each(["esbuild", "vite"])(
    "its Node entry point, bundled for a browser by %s, names the one to import",
    async (bundler) => {
      const { directory } = project;
      const [source, target] = [join(directory, "in-browser.js"), join(directory, `in-browser-${bundler}.mjs`)];
      await writeFile(
        source,
        `import { createMediaGen, download } from "@mediagen/sdk/node"; createMediaGen(); download();`,
      );
      const lib = { entry: source, formats: ["es" as const], fileName: () => basename(target) };
      const written = { lib, outDir: directory, emptyOutDir: false };
      if (bundler === "esbuild")
        await build({ entryPoints: [source], outfile: target, bundle: true, format: "esm", platform: "browser" });
      else await viteBuild({ root: directory, configFile: false, logLevel: "error", build: written });
      await expect(import(pathToFileURL(target).href)).rejects.toThrow('Import "@mediagen/sdk" there');
    },
  );

  test("errors are of the same classes by both entry points, also where they are thrown by what is loaded later", async () => {
    const script = `
      import { InvalidRequestError } from "@mediagen/sdk";
      import { download, fileFrom, createMediaGen } from "@mediagen/sdk/node";
      const { image } = createMediaGen({ baseUrl: "http://localhost", fetch: async () => new Response("{}") });
      const thrown = [() => fileFrom("none.png"), () => image.generate("none", {})].map((call) => call().catch((error) => error instanceof InvalidRequestError));
      console.log(JSON.stringify(await Promise.all(thrown)));`;
    expect(await evaluate(script)).toBe("[true,true]");
  });

  test("to import them loads nothing that is slow to load, and few files", async () => {
    const script = `
      const before = process.moduleLoadList.length;
      await import("@mediagen/sdk/node");
      console.log(process.moduleLoadList.slice(before).filter((name) => /crypto|http|streams|undici|fs.promises/.test(name)).join());`;
    expect(await evaluate(script)).toBe("");
    const first = (name: string) => reachedFrom([`packages/sdk/dist/${name}.js`], { later: false });
    expect([first("index"), first("node")].map(({ length }) => length)).toEqual([2, 3]);
  });

  test("the service's description and CommonJS load it", async () => {
    const spec = `const { default: { openapi } } = await import("@mediagen/sdk/openapi.json", { with: { type: "json" } });`;
    expect(await evaluate(`${spec} console.log(openapi);`)).toMatch(/^3\.1\./);
    const names = `["@mediagen/sdk", "@mediagen/sdk/http", "@mediagen/sdk/node"]`;
    const required = await evaluate(
      `console.log(${names}.flatMap((name) => Object.keys(require(name))).join())`,
      "commonjs",
    );
    expect(required.split(",")).toEqual(
      expect.arrayContaining(["createMediaGen", "createHttpClient", "download", "fileStore"]),
    );
  });

  async function evaluate(script: string, type = "module"): Promise<string> {
    const { directory: cwd } = project;
    const run = promisify(execFile)(process.execPath, [`--input-type=${type}`, "-e", script], { cwd });
    return (await run).stdout.trim();
  }
});
