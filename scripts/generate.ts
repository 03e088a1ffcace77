import { readFile, writeFile } from "node:fs/promises";
import { createTwoFilesPatch } from "diff";
import { operationsFile } from "./generate/operations.ts";
import { pathsFile } from "./generate/paths.ts";
import { typesFile } from "./generate/types.ts";
import { readSpec, specFile } from "./read-spec.ts";

const header = "// Made from openapi/openapi.yaml by `npm run generate`. Edits are lost.\n\n";
const room = new URL("../packages/sdk/src/", import.meta.url);

/** What is made from the spec: file names and their text. */
export async function generate(yaml: string): Promise<Readonly<Record<string, string>>> {
  const spec = readSpec(yaml);
  return {
    "operations.gen.ts": header + operationsFile(spec),
    "paths.gen.ts": header + (await pathsFile(yaml)),
    "types.gen.ts": header + typesFile(spec),
  };
}

/** Writes the generated files; with `--check` shows what is stale in the committed ones, and fails. */
export default async function run(args: readonly string[]): Promise<void> {
  const check = args.includes("--check");
  for (const [name, text] of Object.entries(await generate(await readFile(specFile, "utf8")))) {
    const file = new URL(name, room);
    const committed = await readFile(file, "utf8").catch(() => "");
    if (committed === text) continue;
    if (check) {
      process.exitCode = 1;
      console.error(createTwoFilesPatch(`${name} (committed)`, `${name} (from the spec)`, committed, text));
    } else {
      await writeFile(file, text);
      console.log(`wrote packages/sdk/src/${name}`);
    }
  }
  if (process.exitCode) console.error("Generated files are stale. Run `npm run generate` and commit what it writes.");
}
