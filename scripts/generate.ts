import { glob, readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createTwoFilesPatch } from "diff";
import { parse } from "yaml";
import { glyphsFile } from "./generate/font.ts";
import { operationsFile } from "./generate/operations.ts";
import { pathsFile } from "./generate/paths.ts";
import { publishedDocument } from "./generate/published.ts";
import { operationsTableFile, validatorsFile } from "./generate/service.ts";
import { schemasFile } from "./generate/schemas.ts";
import { typesFile } from "./generate/types.ts";
import { pageFile } from "./generate/page.ts";
import { fillPage, tablesOf } from "./generate/markdown.ts";
import { resolveSpec, specFile } from "./spec.ts";

const header = "// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.\n\n";
const pageHeader = header.replace("openapi/openapi.yaml", "packages/emulator/src/page/page.html");
const fontHeader = header.replace("openapi/openapi.yaml", "the package dejavu-fonts-ttf");
const root = new URL("../", import.meta.url);
const pageSource = new URL("packages/emulator/src/page/page.html", root);
/** The pages with programs and included tables. */
const written = ["README.md", "docs/home.md", "docs/guides/*.md", "packages/*/README.md"];

/**
 * Returns the texts of all generated files by path: those from the spec, from the emulator's page
 * and from programs.
 */
export async function generate(yaml: string): Promise<Readonly<Record<string, string>>> {
  const document: object = parse(yaml);
  const spec = resolveSpec(document);
  const files: Record<string, string> = {
    "packages/sdk/openapi.gen.json": `${JSON.stringify(publishedDocument(document), undefined, 1)}\n`,
    "packages/sdk/src/spec/operations.gen.ts": header + operationsFile(spec),
    "packages/sdk/src/spec/schemas.gen.ts": header + schemasFile(spec),
    "packages/sdk/src/spec/paths.gen.ts": header + (await pathsFile(document)),
    "packages/sdk/src/spec/types.gen.ts": header + typesFile(spec),
    "packages/emulator/src/service/operations.gen.ts": header + operationsTableFile(spec),
    "packages/emulator/src/service/validators.gen.ts": header + validatorsFile(spec),
    "packages/emulator/src/page/page.gen.ts":
      pageHeader + pageFile(await readFile(pageSource, "utf8")),
    "packages/emulator/src/media/glyphs.gen.ts": fontHeader + glyphsFile(),
  };
  const tables = tablesOf(document);
  for await (const path of glob(written, { cwd: root }))
    files[path] = fillPage(await readFile(new URL(path, root), "utf8"), path, tables);
  return files;
}

/**
 * Writes the generated files. With `--check`, shows the differences from the committed ones, and
 * fails if there are any.
 */
export async function writeGenerated(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { check: { type: "boolean" } } });
  // Without "--", npm does not pass the flag on, but sets this variable.
  const check = values.check ?? process.env["npm_config_check"] === "true";
  for (const [name, text] of Object.entries(await generate(await readFile(specFile, "utf8")))) {
    const file = new URL(name, root);
    const committed = await readFile(file, "utf8").catch(() => "");
    if (committed === text) continue;
    if (check) {
      process.exitCode = 1;
      console.error(
        createTwoFilesPatch(`${name} (committed)`, `${name} (from the spec)`, committed, text),
      );
    } else {
      await writeFile(file, text);
      console.log(`wrote ${name}`);
    }
  }
  if (!process.exitCode) console.log("The generated files are up to date.");
  else
    console.error("Generated files are stale. Run `npm run generate` and commit what it writes.");
}

if (import.meta.main) await writeGenerated(process.argv.slice(2));
