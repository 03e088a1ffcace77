import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check, pack } from "../../scripts/release.ts";
import { install } from "./install.ts";

const exec = promisify(execFile);

/** The packages that run anywhere, the one that needs Node, and the one that is a command. */
const libraries = ["sdk", "emulator", "proxy"] as const;
const packages = [...libraries, "stores", "batch", "mcp", "ai-sdk-provider", "cli"] as const;
/** The scripts that they are entered by. */
const entries: Readonly<Record<(typeof packages)[number], readonly string[]>> = {
  sdk: ["dist/index.js", "dist/node.js", "dist/http.js", "dist/schema.js", "dist/kit.js"],
  emulator: ["dist/index.js", "dist/node.js", "dist/command.js", "dist/vitest.js", "dist/node-test.js"],
  stores: ["dist/postgres.js", "dist/redis.js", "dist/sqlite.js", "dist/check.js"],
  proxy: ["dist/index.js"],
  batch: ["dist/index.js"],
  mcp: ["dist/index.js", "dist/command.js"],
  "ai-sdk-provider": ["dist/index.js"],
  cli: ["dist/command.js"],
};
let folder = "";
const tarballs: Record<string, string> = {};
beforeAll(async () => {
  await mkdir("out", { recursive: true });
  folder = resolve(await mkdtemp("out/package-"));
  const packed = await pack(
    packages.map((name) => `packages/${name}`),
    folder,
  );
  packages.forEach((name, index) => (tarballs[name] = packed[index] ?? ""));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(packages)("@mediagen/%s", (name) => {
  test("the tarball holds what was built from the sources, and nothing else", async () => {
    const sources = (await readdir(`packages/${name}/src`, { recursive: true }))
      .filter((file) => /(?<!\.d)\.ts$/.test(file))
      .map((file) => file.replace(".ts", "").replaceAll(sep, "/"));
    const machineWritten = (await readdir(`packages/${name}`)).filter((file) => file.includes(".gen."));
    const commands = (await readdir(`packages/${name}`)).filter((file) => /^(bin\.js|.*\.cjs)$/.test(file));
    const scripts = reachedFrom(entries[name].map((entry) => join("packages", name, entry))).map((path) =>
      relative(join("packages", name), path).replaceAll(sep, "/"),
    );
    const expected = [
      "LICENSE",
      "README.md",
      "package.json",
      ...commands,
      ...machineWritten,
      ...scripts,
      // A script that only exports from another one has no map.
      ...scripts.map((script) => `${script}.map`).filter((map) => existsSync(join("packages", name, map))),
      ...sources.map((source) => `dist/${source}.d.ts`),
    ];
    const list = execFileSync("tar", ["-tzf", tarballs[name] ?? ""], { encoding: "utf8" })
      .trim()
      .split("\n");
    expect(list.map((path) => path.replace("package/", "")).sort()).toEqual(expected.sort());
  });

  test("publint and attw find nothing", () => {
    check(tarballs[name] ?? "");
  });
});

test.each(libraries)(
  "the plain entry point of @mediagen/%s needs nothing of Node, and evaluates no text",
  async (name) => {
    const { outputFiles } = await bundle(`export * from "@mediagen/${name}";`);
    expect(outputFiles.map(({ text }) => text).join("\n")).not.toMatch(/\beval\(|new Function\(|["']node:/);
  },
);

/** The scripts, and those that they import, and load later unless that does not count. */
function reachedFrom(paths: readonly string[], { later = true } = {}): readonly string[] {
  const imported = later ? /(?:\bimport|\} from|\bimport\() ?"(\.[^"]+)"/g : /(?:^import|\} from) "(\.[^"]+)"/gm;
  const reached = new Set(paths);
  // A set goes on to what is added meanwhile.
  for (const path of reached) {
    for (const [, other = ""] of readFileSync(path, "utf8").matchAll(imported)) reached.add(join(dirname(path), other));
  }
  return [...reached];
}

/** Bundles for browsers; an import that they do not have is an error. */
function bundle(contents: string) {
  return build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    splitting: true,
    outdir: "out",
    metafile: true,
    write: false,
  });
}

describe("in an empty project", () => {
  beforeAll(async () => {
    await install(
      folder,
      [tarballs["sdk"] ?? ""],
      [
        ["openapi-fetch", "sdk"],
        ["openapi-typescript-helpers", "sdk"],
      ],
    );
  });

  test("it installs with one dependency of its own", async () => {
    const { dependencies } = JSON.parse(await readFile("packages/sdk/package.json", "utf8")) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(["openapi-fetch"]);
    expect((await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
      "@mediagen",
      "openapi-fetch",
      "openapi-typescript-helpers",
    ]);
  });

  test.each(["esbuild", "vite"])(
    "its Node entry point, bundled for a browser by %s, names the one to import",
    async (bundler) => {
      const [source, target] = [join(folder, "in-browser.js"), join(folder, `in-browser-${bundler}.mjs`)];
      await writeFile(
        source,
        `import { createMediaGen, download } from "@mediagen/sdk/node"; createMediaGen(); download();`,
      );
      if (bundler === "esbuild") {
        await build({ entryPoints: [source], outfile: target, bundle: true, format: "esm", platform: "browser" });
      } else {
        const lib = { entry: source, formats: ["es" as const], fileName: () => basename(target) };
        await viteBuild({
          root: folder,
          configFile: false,
          logLevel: "error",
          build: { lib, outDir: folder, emptyOutDir: false },
        });
      }
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
    expect(reachedFrom(["packages/sdk/dist/index.js"], { later: false }), "the plain entry point").toHaveLength(2);
    expect(reachedFrom(["packages/sdk/dist/node.js"], { later: false }), "the Node entry point").toHaveLength(3);
  });

  test("both entry points and the service's description load, and run until something is sent", async () => {
    const script = `
      const { default: spec } = await import("@mediagen/sdk/openapi.json", { with: { type: "json" } });
      if (!spec.openapi.startsWith("3.1.")) throw new Error("this is no OpenAPI document");
      const { createMediaGen, validate } = await import("@mediagen/sdk");
      const { fileFrom } = await import("@mediagen/sdk/node");
      createMediaGen({ baseUrl: "http://localhost" });
      const file = await fileFrom(Buffer.from("GIF89a"));
      console.log(JSON.stringify(validate("vidmodelv2", { sourceImage: [file, file] })));`;
    expect(await evaluate(script)).toBe("[]");
  });

  test("an error of another copy of the package is recognized", async () => {
    const script = `
      const { MediaGenError } = await import("@mediagen/sdk");
      const copy = await import(${JSON.stringify(pathToFileURL("packages/sdk/dist/index.js").href)});
      const error = new copy.ConnectionError("queryVideoTask", new Error("why"));
      const others = [new Error("why"), undefined, "why"];
      console.log(error instanceof MediaGenError, [error, ...others].map((one) => MediaGenError.is(one)).join());`;
    expect(await evaluate(script)).toBe("false true,false,false,false");
  });

  async function evaluate(script: string): Promise<string> {
    const { stdout } = await exec(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    return stdout.trim();
  }
});

test("what a store and source images need is loaded at first use", async () => {
  for (const name of ["createMediaGen", "fileFrom"]) expect(await loadedLater(name), name).toHaveLength(1);
});

/** The paths of the files that a bundle of this export loads at first use. */
async function loadedLater(name: string) {
  const { metafile } = await bundle(`export { ${name} } from "@mediagen/sdk";`);
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) => (kind === "dynamic-import" ? path : [])),
  );
}
