import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";

/** A program of some thirty lines for each client, which generates and waits, as its README does it. */
export const consumers: Readonly<Record<string, string>> = {
  "@mediagen/sdk": "mediagen.ts",
  "@mediagen/sdk/node": "mediagen-node.ts",
  "openapi-fetch": "openapi-fetch.ts",
  replicate: "replicate.ts",
  "@fal-ai/client": "fal.ts",
  "@runwayml/sdk": "runway.ts",
  lumaai: "luma.ts",
  openai: "openai.ts",
};

/** The path of a client's program. */
export function consumerOf(client: string): string {
  return fileURLToPath(new URL(`consumers/${consumers[client]}`, import.meta.url));
}

/** A script that esbuild made. */
export interface Script {
  readonly name: string;
  readonly contents: Uint8Array;
}

/** A program as scripts: those that a browser loads before it begins, and those that it may load later. */
export interface Bundle {
  readonly entry: string;
  readonly initial: readonly Script[];
  readonly later: readonly Script[];
}

/** Bundles a program and all that it imports for browsers, minified. */
export async function bundle(
  entry: string,
  { plugins = [], splitting = true }: { readonly plugins?: Plugin[]; readonly splitting?: boolean } = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    platform: "browser",
    target: "es2022",
    entryPoints: [entry],
    outdir: "out",
    write: false,
    metafile: true,
    plugins,
  });
  const { outputs } = metafile;
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(basename(entry))) ?? "";
  const initial = new Set([first]);
  // It grows while it is read.
  for (const path of initial)
    for (const { kind, path: imported } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") initial.add(imported);
  const scripts = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  const names = [...initial].map((path) => basename(path));
  return {
    entry: basename(first),
    initial: scripts.filter(({ name }) => names.includes(name)),
    later: scripts.filter(({ name }) => !names.includes(name)),
  };
}

/** The bytes of scripts, each compressed by itself, as a browser gets them. */
export function weigh(scripts: readonly Script[]): { readonly minified: number; readonly gzip: number } {
  return {
    minified: scripts.reduce((sum, { contents }) => sum + contents.length, 0),
    gzip: scripts.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
  };
}

/** The packages that npm installs for one, itself included, by the lockfile of where it is installed. */
export function packagesOf(name: string, lockfile: URL): readonly string[] {
  // The cast: what npm writes.
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as {
    readonly packages: Readonly<
      Record<string, { readonly link?: boolean; readonly resolved?: string; readonly dependencies?: object }>
    >;
  };
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const { link, resolved, dependencies = {} } = packages[path] ?? {};
    const from = link && resolved ? resolved : path;
    for (const dependency of Object.keys(packages[from]?.dependencies ?? dependencies))
      visit(nearest(packages, path, dependency));
  };
  visit(`node_modules/${name}`);
  return [...found];
}

/** Where a package that another one needs is installed: in its own directory, or in one above. */
function nearest(packages: object, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder}${folder ? "/" : ""}node_modules/${name}`;
    if (path in packages || folder === "") return path;
    if (!folder.includes("/node_modules/")) folder = "";
    if (folder === "") return `node_modules/${name}`;
  }
}
