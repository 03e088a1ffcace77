import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createTwoFilesPatch } from "diff";
import { parse } from "yaml";
import { descriptionsFile } from "./generate/descriptions.ts";
import { documentFile } from "./generate/document.ts";
import { operationsFile } from "./generate/operations.ts";
import { pathsFile } from "./generate/paths.ts";
import { publishedDocument } from "./generate/published.ts";
import { typesFile } from "./generate/types.ts";
import { pageFile } from "./generate/page.ts";
import { readSpec, specFile } from "./spec.ts";

const header = "// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.\n\n";
const pageHeader = header.replace("openapi/openapi.yaml", "packages/emulator/src/page/page.html");
const packages = new URL("../packages/", import.meta.url);

const pageSource = new URL("emulator/src/page/page.html", packages);

/** What is made from the spec, and from the emulator's page: paths below packages/ and the text there. */
export async function generate(yaml: string): Promise<Readonly<Record<string, string>>> {
  const spec = readSpec(yaml);
  return {
    "sdk/openapi.gen.json": `${JSON.stringify(publishedDocument(parse(yaml)), undefined, 1)}\n`,
    "sdk/src/spec/operations.gen.ts": header + operationsFile(spec),
    "sdk/src/spec/paths.gen.ts": header + (await pathsFile(yaml)),
    "sdk/src/spec/types.gen.ts": header + typesFile(spec),
    "cli/src/descriptions.gen.ts": header + descriptionsFile(spec),
    "emulator/src/service/openapi.gen.ts": header + documentFile(spec),
    "emulator/src/page/page.gen.ts": pageHeader + pageFile(await readFile(pageSource, "utf8")),
  };
}

/** Writes the generated files; with `--check` shows what is stale in the committed ones, and fails. */
export default async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { check: { type: "boolean" } } });
  // Without "--" npm keeps the flag for itself, and says so in the environment only.
  const check = values.check ?? process.env["npm_config_check"] === "true";
  for (const [name, text] of Object.entries(await generate(await readFile(specFile, "utf8")))) {
    const file = new URL(name, packages);
    const committed = await readFile(file, "utf8").catch(() => "");
    if (committed === text) continue;
    if (check) {
      process.exitCode = 1;
      console.error(createTwoFilesPatch(`${name} (committed)`, `${name} (from the spec)`, committed, text));
    } else {
      await writeFile(file, text);
      console.log(`wrote packages/${name}`);
    }
  }
  if (!process.exitCode) console.log("The generated files are those of the spec.");
  else console.error("Generated files are stale. Run `npm run generate` and commit what it writes.");
}
