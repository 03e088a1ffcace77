import { readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Builds scripts and styles: minifies those of the site, bundles the SDK and the emulator into the
 * playground, copies Redoc.
 */
export async function buildAssets(directory: string): Promise<void> {
  const bundle = (names: string, format: "esm" | "iife") =>
    build({
      entryPoints: names.split(" ").map((name) => join(root, "docs/site", name)),
      outdir: directory,
      bundle: true,
      format,
      // Keeps the lazy imports of the SDK and the emulator lazy, such as the table that
      // transliterates prompts.
      splitting: format === "esm",
      chunkNames: "part-[hash]",
      loader: { ".svg": "copy" },
      external: ["./redoc.js"],
      // From their sources, so that the emulator's copy of the spec is bundled once.
      alias: {
        "@mediagen/sdk": join(root, "packages/sdk/src"),
        "@mediagen/emulator": join(root, "packages/emulator/src/index.ts"),
      },
      minify: true,
      legalComments: "none",
      target: "es2022",
      logLevel: "warning",
      absWorkingDir: root,
    });
  // The package exports nothing but its package.json.
  const redocly = dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json"));
  const redoc = quietRedoc(readFileSync(join(redocly, "lib/chunks/redoc.standalone.js"), "utf8"));
  await Promise.all([
    bundle("site.ts style.css api.css playground.css icon.svg", "iife"),
    bundle("api.ts search.ts playground.ts", "esm"),
    writeFile(join(directory, "redoc.js"), redoc),
    copyFile(join(redocly, "LICENSE"), join(directory, "redoc.LICENSE.txt")),
  ]);
}

/**
 * Removes from Redoc external requests, console output and style attributes, which a strict policy
 * forbids.
 */
function quietRedoc(script: string): string {
  const changes: readonly (readonly [string, string])[] = [
    ["https://cdn.redoc.ly/redoc/logo-mini-full.svg", emptyImage],
    ["https://cdn.redoc.ly/redoc/logo-mini.svg", emptyImage],
    ["https://otel.cloud.redocly.com/v1/traces", ""],
    // Its classes say the same, and api.css colours them.
    ['a=i?` style="color: var(${i})"`:``', "a=``"],
    ["typeof document<`u`&&console.info(", "0&&("],
    // Its search, which the site's own replaces, would evaluate text for a worker.
    ["return e._factory??=Function(XDe),!0", "return!1"],
    ['"aria-label":`Example`,', ""], // It hid from screen readers which example is chosen.
    // A landmark.
    ["(Rke,{className:e,", '(Rke,{className:e,role:`navigation`,"aria-label":`Operations`,'],
  ];
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2)
      throw new Error(
        `Redoc no longer has ${JSON.stringify(from)} exactly once. Adapt this replacement`,
      );
    return text.replace(from, () => to);
  }, script);
}

const emptyImage = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
