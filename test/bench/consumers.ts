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

/** The bytes of a program and all that it imports, as a browser loads them before it begins; what it may load later is not in them. */
export async function bundle(
  entry: string,
  plugins: Plugin[] = [],
): Promise<{ readonly minified: number; readonly gzip: number; readonly brotli: number }> {
  const options = {
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
  } as const;
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [entry],
    outdir: "out",
    write: false,
    metafile: true,
    plugins,
  });
  const bytes = { minified: 0, gzip: 0, brotli: 0 };
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const contents = outputFiles.find((file) => file.path.endsWith(path))?.contents ?? new Uint8Array();
    bytes.minified += contents.length;
    bytes.gzip += gzipSync(contents, { level: 9 }).length;
    bytes.brotli += brotliCompressSync(contents).length;
    for (const { kind, path: imported } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement") load(imported);
  };
  load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint) ?? "");
  return bytes;
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

/** Where a package that another asks for stands: in its own folder, or in one above. */
function nearest(packages: object, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder}${folder ? "/" : ""}node_modules/${name}`;
    if (path in packages || folder === "") return path;
    if (!folder.includes("/node_modules/")) folder = "";
    if (folder === "") return `node_modules/${name}`;
  }
}
