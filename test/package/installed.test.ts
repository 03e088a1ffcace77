import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import { beforeAll, describe, expect, test } from "vitest";
import { useProject } from "./project.ts";

const exec = promisify(execFile);
/** The versions of TypeScript, and where each is installed. */
const compilers = {
  "5.7": "test/weekly/long/node_modules/typescript-5.7",
  "5.9": "test/weekly/long/node_modules/typescript-5.9",
  "6.0": "node_modules/typescript",
  "7.0": "node_modules/typescript-7",
} as const;
type CompilerVersion = keyof typeof compilers;
const isLong = process.env["MEDIAGEN_LONG"] !== undefined;
// The cast: Object.keys forgets the names.
const allVersions = Object.keys(compilers) as readonly CompilerVersion[];
/** The older ones are compiled with each week, because each takes seconds for each setting. */
const versions = isLong ? allVersions : (["6.0", "7.0"] as const);

/**
 * The rows of the guide's table: a project, a module setting, and whether each version works with
 * it.
 */
const rows = [
  ...(await readFile("docs/guides/module-formats.md", "utf8")).matchAll(
    /^\| (ESM|CommonJS) \| `(\w+)`.*? \| (.*) \|$/gm,
  ),
].map(([, project, module, cells = ""]) => ({ project, module, cells: cells.split(" | ") }));

/** Uses the three entry points, their types, and their checks of types. */
const program = `
import { createMediaGen, type Form, type VideoRecord } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { download, fileFrom } from "@mediagen/sdk/node";
export const media = createMediaGen({ baseUrl: "http://localhost" });
export const http = createHttpClient({ baseUrl: "http://localhost" });
export const form: Form<"vidmodelv2"> = { prompt: "A fox", generate_audio: true };
export async function run(): Promise<VideoRecord> {
  const task = await media.video.generate("vidmodelv2", { ...form, sourceImage: await fileFrom("first.png") });
  await download(task, "out");
  await http.POST("/v1/video/infobytaskid", { body: { taskid: task.taskid } });
  return task.wait();
}
// @ts-expect-error -- a wrong model
void media.video.generate("vidmodelx", {});
// @ts-expect-error -- a wrong field
void media.video.generate("vidmodelv2", { promt: "A fox" });`;

/**
 * A project of each kind. Their programs compile together, since package.json of each decides its
 * format.
 */
const projects = { module: "esm/program.ts", commonjs: "cjs/program.ts" } as const;
/** The program of the guide for CommonJS projects that may not require ES modules. */
const lazy = "cjs/from-commonjs.cts";
const usualModes = [
  { module: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
] as const;
const otherModes = [
  { module: "node16" },
  { module: "commonjs", moduleResolution: "node10" },
] as const;
type Mode = (typeof usualModes | typeof otherModes)[number];
/** The version in JavaScript is compiled with in one setting each day, because it takes longest. */
const modesOf = (version: CompilerVersion): readonly Mode[] => {
  if (isLong) return [...usualModes, ...otherModes];
  return version === "6.0" ? usualModes.slice(0, 1) : usualModes;
};

const strict = {
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
  ...{ target: "es2022", lib: ["es2022"], types: ["node"] },
};

const project = useProject(["sdk"]);
beforeAll(async () => {
  for (const [type, file] of Object.entries(projects)) {
    await mkdir(join(project.directory, file, ".."));
    await writeFile(join(project.directory, file, "../package.json"), JSON.stringify({ type }));
    await writeFile(join(project.directory, file), program);
  }
  await copyFile("docs/examples/from-commonjs.cts", join(project.directory, lazy));
});

test("the guide's table has a cell for each version", () => {
  expect(rows.map(({ cells }) => cells.length)).toEqual([4, 4, 4, 4, 4, 4]);
});

describe.each(versions)("TypeScript %s", (version) => {
  test.each(modesOf(version))(
    "with module $module, type-checks the programs that the guide says it does, and no others",
    async (mode) => {
      const broken = await filesWithErrors(version, mode);
      const settings = rows.filter(({ module }) => module === mode.module);
      const works = settings.filter(({ project }) => {
        const others = [lazy, projects[project === "ESM" ? "commonjs" : "module"]];
        return broken.every((file) => others.includes(file));
      });
      expect(works, broken.join()).toEqual(
        settings.filter(({ cells }) => cells[allVersions.indexOf(version)] === "yes"),
      );
      expect(broken, "await import() needs nothing of the settings").not.toContain(lazy);
    },
  );
});

// What is looked up costs a compiler nothing; what is computed, each program of each user.
test("the types of @mediagen/sdk are looked up, not computed", async () => {
  const cost = `
import { createMediaGen, type Form } from "@mediagen/sdk";
import { download, fileFrom } from "@mediagen/sdk/node";
const form: Form<"vidmodelv2"> = { prompt: "A fox", generate_audio: true };
const media = createMediaGen({ baseUrl: "http://localhost" });
const task = await media.video.generate("vidmodelv2", { ...form, sourceImage: await fileFrom("first.png") });
export const [record, files] = [await task.wait(), await download(task, "out")];`;
  await writeFile(join(project.directory, "esm/cost.ts"), cost);
  const output = await run(
    "7.0",
    { module: "nodenext" },
    ["esm/cost.ts"],
    "--extendedDiagnostics",
    "--skipLibCheck",
  );
  expect(output).not.toContain("error TS");
  expect(Number(/^Instantiations: +(\d+)/m.exec(output)?.[1])).toBeLessThan(150);
});

describe("in an empty project", () => {
  test.each(["esbuild", "vite"])(
    "its Node entry point, bundled for a browser by %s, names the one to import",
    async (bundler) => {
      const { directory } = project;
      const source = join(directory, "in-browser.js");
      const target = join(directory, `in-browser-${bundler}.mjs`);
      await writeFile(
        source,
        `import { createMediaGen, download } from "@mediagen/sdk/node"; createMediaGen(); download();`,
      );
      const lib = { entry: source, formats: ["es" as const], fileName: () => basename(target) };
      const written = { lib, outDir: directory, emptyOutDir: false };
      if (bundler === "esbuild")
        await build({
          entryPoints: [source],
          outfile: target,
          bundle: true,
          format: "esm",
          platform: "browser",
          logLevel: "error",
        });
      else
        await viteBuild({ root: directory, configFile: false, logLevel: "error", build: written });
      await expect(import(pathToFileURL(target).href)).rejects.toThrow(
        'Import "@mediagen/sdk" there',
      );
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

  test("to import them loads nothing that is slow to load", async () => {
    const script = `
      const before = process.moduleLoadList.length;
      await import("@mediagen/sdk/node");
      console.log(process.moduleLoadList.slice(before).filter((name) => /crypto|http|streams|undici|fs.promises/.test(name)).join());`;
    expect(await evaluate(script)).toBe("");
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
    return (
      await exec(process.execPath, [`--input-type=${type}`, "-e", script], { cwd })
    ).stdout.trim();
  }
});

/**
 * Returns the files that a compiler reports errors in, declarations of the SDK included; or
 * "settings", if it rejects those.
 */
async function filesWithErrors(version: CompilerVersion, mode: Mode): Promise<readonly string[]> {
  // Bundlers compile no CommonJS, and node10 knows no attributes of imports.
  const files = [...Object.values(projects), ...(mode.module.startsWith("node") ? [lazy] : [])];
  const errors = (await run(version, mode, files))
    .split("\n")
    .filter((line) => line.includes("error TS"));
  const broken = errors.map(
    (line) => /^(?!tsconfig)(.+?)\(\d+,\d+\): error/.exec(line)?.[1] ?? "settings",
  );
  // With node16 the declarations are those of nodenext.
  return [...new Set(broken)].filter(
    (file) => mode.module !== "node16" || !file.startsWith("node_modules/"),
  );
}

/** Runs a compiler in the project, and returns what it prints. */
async function run(
  version: CompilerVersion,
  mode: Mode,
  files: readonly string[],
  ...args: readonly string[]
) {
  const path = join(project.directory, "tsconfig.json");
  await writeFile(path, JSON.stringify({ compilerOptions: { ...strict, ...mode }, files }));
  const tsc = resolve(compilers[version], "bin/tsc");
  const compiled = exec(process.execPath, [tsc, "-p", path, ...args], { cwd: project.directory });
  return (await compiled.catch((error: { stdout: string }) => error)).stdout;
}
