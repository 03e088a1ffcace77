import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages, each after those that it imports. */
export const packages: readonly string[] = ["sdk", "emulator", "batch", "mcp", "ai-sdk-provider", "cli"].map(
  (name) => `packages/${name}`,
);

/** The sources that are entry points if a package has them: what programs import, and what its command runs. */
const entryPoints = ["index", "node", "http", "http-node", "schema", "proxy", "command", "vitest", "node-test"];

/**
 * Builds the packages: declarations by the TypeScript compiler, if sources have changed, and scripts by esbuild. The compiler is
 * called by path because several versions own the bin `tsc`.
 */
export default async function run(): Promise<void> {
  const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript-7/package.json")));
  execFileSync(process.execPath, [compiler, "-b", ...packages], { cwd: root, stdio: "inherit" });
  // Each package contains the license, which is written once.
  for (const name of packages) copyFileSync(join(root, "LICENSE"), join(root, name, "LICENSE"));
  await Promise.all(packages.map((name) => bundle(join(root, name))));
}

/**
 * Bundles a package's scripts, with source maps. What is loaded at first use is a file of its own. Everything else is in one file
 * that the entry points share, because to import a file takes Node half a millisecond, whatever its size.
 */
export async function bundle(directory: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: entryPoints.map((name) => `src/${name}.ts`).filter((path) => existsSync(join(directory, path))),
    outdir: "dist",
    bundle: true,
    splitting: true,
    sourcemap: true,
    packages: "external",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Otherwise the imports that `fewFiles` adds are dropped as free of effects.
    ignoreAnnotations: true,
    define: { MEDIAGEN_VERSION: JSON.stringify(versionOf(directory)) },
    plugins: [fewFiles(join(directory, "src/index.ts"))],
    write: false,
  });
  // A user's bundler would warn of imports for effects alone, because the packages have none. Line breaks stay, for source maps.
  const scripts = outputFiles.map(({ path, text }) => ({ path, text: text.replace(/^import "\.\/[^"]+";$/gm, "") }));
  const empty = scripts.filter(({ text }) => /^\s*\/\/# sourceMappingURL=.*\s*$/.test(text)).map(({ path }) => path);
  const kept = scripts.filter(({ path }) => !empty.includes(path.replace(/\.map$/, "")));
  for (const { path, text } of kept) writeFileSync(path, text);
  removeOrphans(
    directory,
    kept.map(({ path }) => path.slice(directory.length + 1)),
  );
}

function versionOf(directory: string): string {
  // The cast: npm rejects a package without a version.
  return (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version: string }).version;
}

/**
 * Lets each file that is loaded at first use import the complete main entry point, which is loaded by then. Otherwise esbuild makes a
 * file of each set of modules that two of them share.
 */
function fewFiles(main: string): Plugin {
  const namespace = "loaded-at-first-use";
  return {
    name: "few-files",
    setup({ onResolve, onLoad }) {
      if (!existsSync(main)) return;
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === "dynamic-import" ? { path: join(resolveDir, path), namespace } : undefined,
      );
      onLoad({ filter: /^/, namespace }, ({ path }) => ({
        contents: `import ${JSON.stringify(main)};\nexport * from ${JSON.stringify(path)};`,
        resolveDir: dirname(main),
      }));
    },
  };
}

/** Removes what earlier builds made of sources that are gone: the package would contain it. */
function removeOrphans(directory: string, scripts: readonly string[]): void {
  const made = new Set([...scripts, "dist/.tsbuildinfo"]);
  for (const entry of readdirSync(join(directory, "dist"), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length + 1);
    const source = join(directory, name.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts"));
    if (entry.isFile() && !made.has(name) && !existsSync(source)) rmSync(path);
  }
}
