import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * A program of some twenty lines for each client, which generates and waits, as its README does it.
 */
export const consumers: Readonly<Record<string, string>> = {
  "@mediagen/sdk": "mediagen.ts",
  "openapi-fetch": "openapi-fetch.ts",
  replicate: "replicate.ts",
};

/** The path of a client's program. */
export function consumerOf(client: string): string {
  return fileURLToPath(new URL(`consumers/${consumers[client]}`, import.meta.url));
}

/**
 * Bundles a program and all that it imports for browsers, minified: the scripts that a browser
 * loads before it begins.
 */
export async function bundle(
  entry: string,
  { splitting = true } = {},
): Promise<readonly Uint8Array[]> {
  const { outputFiles, metafile } = await build({
    ...{
      bundle: true,
      minify: true,
      splitting,
      format: "esm",
      platform: "browser",
      target: "es2022",
    },
    ...{ entryPoints: [entry], outdir: "out", write: false, metafile: true },
  });
  const { outputs } = metafile;
  const first =
    Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(basename(entry))) ?? "";
  const initial = new Set([first]);
  // It grows while it is read.
  for (const path of initial)
    for (const { kind, path: imported } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") initial.add(imported);
  const names = [...initial].map((path) => basename(path));
  return outputFiles.flatMap(({ path, contents }) =>
    names.includes(basename(path)) ? [contents] : [],
  );
}

/** The bytes of scripts, each compressed by itself, as a browser gets them. */
export function weigh(scripts: readonly Uint8Array[]): number {
  return scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
}
