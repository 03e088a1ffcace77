import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const packages = ["packages/sdk", "packages/emulator", "packages/cli"];

/** The doors that a package may have: what programs import, and what its command runs. Each is a source of its name. */
const doors = ["index", "node", "command"];

/** Builds the packages: their declarations where the sources have changed, and the scripts. The compiler is called by path: two of them own the bin `tsc`. */
export default async function run(): Promise<void> {
  const compiler = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [compiler, "-b", ...packages], { cwd: root, stdio: "inherit" });
  // A package carries the licence along, and it is written once.
  for (const name of packages) copyFileSync(join(root, "LICENSE"), join(root, name, "LICENSE"));
  await Promise.all(packages.map((name) => bundle(join(root, name))));
}

/**
 * Makes a package's scripts, few and readable: what two doors share is in them once, and what is loaded later stays a file of
 * its own. To import a file takes Node half a millisecond, whatever is in it.
 */
export async function bundle(directory: string): Promise<void> {
  const sources = join(directory, "src");
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: doors.map((name) => join(sources, `${name}.ts`)).filter((path) => existsSync(path)),
    outdir: "dist",
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Else the plain door, which below is imported for its files alone, would be left out as free of effects.
    ignoreAnnotations: true,
    plugins: [fewFiles],
    write: false,
  });
  for (const { path, text } of outputFiles) {
    // What is imported for its order alone has no effects to be ordered, and whoever bundles the package would be warned of it.
    const script = text.replace(/^import "\.\/[^"]+";\n/gm, "");
    if (!existsSync(path) || readFileSync(path, "utf8") !== script) writeFileSync(path, script);
  }
  removeOrphans(directory, new Set(outputFiles.map(({ path }) => basename(path))));
}

/**
 * Keeps the files of a package few. What is loaded later stands on the whole plain door, which is there by then: else each set
 * of what two of them share would be a file. What it wants of the Node door it imports from there.
 */
const fewFiles: Plugin = {
  name: "few-files",
  setup({ onResolve, onLoad }) {
    const namespace = "later";
    onResolve({ filter: /^\.\/node\.ts$/ }, ({ kind }) => (kind === "import-statement" ? { path: "./node.js", external: true } : undefined));
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => (kind === "dynamic-import" ? { path, namespace, pluginData: resolveDir } : undefined));
    onLoad({ filter: /^/, namespace }, ({ path, pluginData: resolveDir }) => {
      const door = existsSync(join(resolveDir, "index.ts")) ? 'import "./index.ts";\n' : "";
      return { contents: `${door}export * from ${JSON.stringify(path)};`, resolveDir };
    });
  },
};

/** What was made of a source that is gone, or has a new name, goes: a package would carry it along. */
function removeOrphans(directory: string, scripts: ReadonlySet<string>): void {
  const sources = new Set(readdirSync(join(directory, "src")));
  for (const name of readdirSync(join(directory, "dist"))) {
    const made = name === ".tsbuildinfo" || scripts.has(name) || sources.has(name.replace(/\.d\.ts$/, ".ts"));
    if (!made) rmSync(join(directory, "dist", name));
  }
}
