import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
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

/** The bytes of a program and all that it imports, as a browser loads them. */
export async function bundle(entry: string, plugins: Plugin[] = []): Promise<{ readonly minified: number; readonly gzip: number; readonly brotli: number }> {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, minify: true, format: "esm", platform: "browser", target: "es2022", write: false, plugins });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
}

/** The packages that npm installs for one, itself included, by the lockfile of where it is installed. */
export function packagesOf(name: string, lockfile: URL): readonly string[] {
  // The cast: what npm writes.
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as { readonly packages: Readonly<Record<string, { readonly link?: boolean; readonly resolved?: string; readonly dependencies?: object }>> };
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const { link, resolved, dependencies = {} } = packages[path] ?? {};
    const from = link && resolved ? resolved : path;
    for (const dependency of Object.keys(packages[from]?.dependencies ?? dependencies)) visit(nearest(packages, path, dependency));
  };
  visit(`node_modules/${name}`);
  return [...found];
}

/** Where a package that another asks for stands: in its own folder, or in one above. */
function nearest(packages: object, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder}${folder ? "/" : ""}node_modules/${name}`;
    if (path in packages || folder === "") return path;
    if (!folder.includes("/node_modules/")) folder = "";
    if (folder === "") return `node_modules/${name}`;
  }
}
