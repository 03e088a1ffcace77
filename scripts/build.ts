import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages, each after those that it imports. */
export const packages: readonly string[] = "sdk emulator stores proxy batch mcp ai-sdk-provider cli"
  .split(" ")
  .map((name) => `packages/${name}`);

/**
 * Builds the packages: declarations with the TypeScript compiler, if sources have changed, and
 * scripts with Rolldown. The compiler is called by path, because several versions have the bin
 * `tsc`.
 */
export async function buildPackages(): Promise<void> {
  const compiler = fileURLToPath(
    new URL("bin/tsc", import.meta.resolve("typescript-7/package.json")),
  );
  const args = [compiler, "-b", ...packages];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  // The compiler has said why.
  if (status !== 0) process.exit(status ?? 1);
  // Each package contains the license, which is written once.
  for (const name of packages) copyFileSync(join(root, "LICENSE"), join(root, name, "LICENSE"));
  await Promise.all(packages.map((name) => bundle(join(root, name))));
}

/**
 * Bundles a package's scripts, with source maps. What the entry points share is one file, because
 * importing a file takes Node half a millisecond, whatever its size. Modules that are imported on
 * first use are separate files.
 */
export async function bundle(directory: string): Promise<void> {
  const manifest = readFileSync(join(directory, "package.json"), "utf8");
  const input = scriptsOf(directory, manifest);
  // The cast: npm rejects a package without a version.
  const { version, devDependencies } = JSON.parse(manifest) as {
    version: string;
    devDependencies?: object;
  };
  // What a package only needs to be built becomes part of it, without what it does not use: its
  // users do not install it.
  const alias = {
    ...(devDependencies && { "@mediagen/sdk/kit": join(root, "packages/sdk/src/kit.ts") }),
  };
  // A command alone shares what it loads later, too.
  const tags: "$initial"[] = input.length > 1 ? ["$initial"] : [];
  const { output } = await build({
    cwd: directory,
    input,
    external: (id) => /^[^./\0](?!:)/.test(id) && !(id in alias),
    resolve: { alias },
    platform: "neutral",
    transform: { target: "es2022", define: { MEDIAGEN_VERSION: JSON.stringify(version) } },
    output: {
      dir: join(directory, "dist"),
      chunkFileNames: "[name].js",
      sourcemap: true,
      minifyInternalExports: false,
      // What needs Node is not shared, because the main entry point runs in browsers, too.
      codeSplitting: {
        groups: [{ name: "shared", tags, minShareCount: 2, test: /^(?!.*\/src\/node\b)/ }],
      },
    },
  });
  const scripts = output.map(({ fileName }) => `dist/${fileName}`);
  removeOrphans(directory, scripts);
}

/**
 * The sources of a package that are entry points: those that its package.json exports, and its
 * command.
 */
function scriptsOf(directory: string, manifest: string): string[] {
  const exported = [...manifest.matchAll(/"\.\/dist\/([\w-]+)\.js"/g)].map(
    ([, name]) => `src/${name}.ts`,
  );
  return [...new Set([...exported, "src/command.ts"])].filter((path) =>
    existsSync(join(directory, path)),
  );
}

/** Removes the output of deleted sources, which the package would contain. */
function removeOrphans(directory: string, scripts: readonly string[]): void {
  const made = new Set([...scripts, "dist/.tsbuildinfo"]);
  for (const entry of readdirSync(join(directory, "dist"), {
    recursive: true,
    withFileTypes: true,
  })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length + 1);
    const source = join(directory, name.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts"));
    if (entry.isFile() && !made.has(name) && !existsSync(source)) rmSync(path);
  }
}

if (import.meta.main) await buildPackages();
