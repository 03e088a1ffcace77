import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages, each after those that it imports. */
export const packages: readonly string[] = "sdk emulator stores proxy batch mcp ai-sdk-provider cli"
  .split(" ")
  .map((name) => `packages/${name}`);

/**
 * Builds the packages: declarations with the TypeScript compiler, if sources have changed, and scripts with esbuild. The compiler is
 * called by path, because several versions have the bin `tsc`.
 */
export default async function run(): Promise<void> {
  const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript-7/package.json")));
  execFileSync(process.execPath, [compiler, "-b", ...packages], { cwd: root, stdio: "inherit" });
  // Each package contains the license, which is written once.
  for (const name of packages) copyFileSync(join(root, "LICENSE"), join(root, name, "LICENSE"));
  await Promise.all(packages.map((name) => bundle(join(root, name))));
}

/**
 * Bundles a package's scripts, with source maps. Modules that are imported on first use are separate files. Everything else is in one file
 * that the entry points share, because importing a file takes Node half a millisecond, whatever its size.
 */
export async function bundle(directory: string): Promise<void> {
  const options: BuildOptions = {
    absWorkingDir: directory,
    entryPoints: scriptsOf(directory),
    outdir: "dist",
    bundle: true,
    splitting: true,
    sourcemap: true,
    packages: "external",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Otherwise the imports that `fewFiles` adds are dropped, because they have no side effects.
    ignoreAnnotations: true,
    define: { MEDIAGEN_VERSION: JSON.stringify(versionOf(directory)) },
    write: false,
  };
  const { metafile } = await build({ ...options, metafile: true });
  const { outputFiles = [] } = await build({ ...options, plugins: [fewFiles(directory, metafile)] });
  // A user's bundler would warn of imports for side effects, because the packages have none. Line breaks stay, for source maps.
  const scripts = outputFiles.map(({ path, text }) => ({
    path,
    text: text.replace(/^import "\.\/[^"]+";$/gm, "").replaceAll(copied, ""),
  }));
  const empty = scripts.filter(({ text }) => /^\s*\/\/# sourceMappingURL=.*\s*$/.test(text)).map(({ path }) => path);
  const kept = scripts.filter(({ path }) => !empty.includes(path.replace(/\.map$/, "")));
  for (const { path, text } of kept) writeFileSync(path, text);
  removeOrphans(
    directory,
    kept.map(({ path }) => path.slice(directory.length + 1)),
  );
}

/** The sources of a package that are entry points: those that its package.json exports, and its command. */
function scriptsOf(directory: string): string[] {
  const exported = readFileSync(join(directory, "package.json"), "utf8").matchAll(/"\.\/dist\/([\w-]+)\.js"/g);
  const names = new Set([...[...exported].map(([, name = ""]) => name), "command"]);
  return [...names].map((name) => `src/${name}.ts`).filter((path) => existsSync(join(directory, path)));
}

function versionOf(directory: string): string {
  // The cast: npm rejects a package without a version.
  return (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version: string }).version;
}

const main = "src/index.ts";
const client = "src/client/client.ts";
/** Suffix of the path of a copied source. */
const copied = "?copied";

/**
 * Makes each file that is imported on first use import the main entry point, which is already loaded. Otherwise esbuild creates a
 * file for each set of modules that two of them share. Modules of the main entry point outside the client are copied into these
 * files. If they were shared, a user's bundler would load them at the start.
 */
function fewFiles(directory: string, { inputs }: Metafile): Plugin {
  const ofMain = reachedFrom([main], inputs);
  const ofClient = reachedFrom([client], inputs);
  const ofAny = reachedFrom(scriptsOf(directory), inputs);
  const inPackage = (path: string) => relative(directory, path).replaceAll(sep, "/");
  const namespace = "loaded-at-first-use";
  return {
    name: "few-files",
    setup({ onResolve, onLoad }) {
      if (!(main in inputs)) return;
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir, importer, pluginData }) => {
        const source = join(resolveDir, path);
        if (kind === "dynamic-import") return { path: source, namespace };
        const isLater = pluginData === copied || !ofAny.has(inPackage(importer));
        const isCopied =
          isLater && client in inputs && ofMain.has(inPackage(source)) && !ofClient.has(inPackage(source));
        return isCopied && inPackage(source) !== main ? { path: source, suffix: copied } : undefined;
      });
      onLoad({ filter: /^/, namespace }, ({ path }) => ({
        contents: `import ${JSON.stringify(join(directory, main))};\nexport * from "./${basename(path)}";`,
        resolveDir: dirname(path),
        pluginData: copied,
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path, suffix }) => {
        if (suffix !== copied) return undefined;
        const contents = await readFile(path, "utf8");
        // Copies would break `instanceof` and state. Caches may be copied.
        if (/^(export )?((default |const \w+ = )?(abstract )?class|let) /m.test(contents))
          throw new Error(`${path}: a module with a class or a variable must not be copied`);
        return { contents, loader: "ts", resolveDir: dirname(path), pluginData: copied };
      });
    },
  };
}

/** Returns sources and those that they import statically. */
function reachedFrom(paths: readonly string[], inputs: Metafile["inputs"]): ReadonlySet<string> {
  const reached = new Set(paths);
  // The iteration of a set includes values that are added during it.
  for (const one of reached)
    for (const imported of inputs[one]?.imports ?? [])
      if (imported.kind === "import-statement") reached.add(imported.path);
  return reached;
}

/** Removes the output of deleted sources, which the package would contain. */
function removeOrphans(directory: string, scripts: readonly string[]): void {
  const made = new Set([...scripts, "dist/.tsbuildinfo"]);
  for (const entry of readdirSync(join(directory, "dist"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length + 1);
    const source = join(directory, name.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts"));
    if (entry.isFile() && !made.has(name) && !existsSync(source)) rmSync(path);
  }
}
