import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { pack } from "../../scripts/release.ts";

const exec = promisify(execFile);

/**
 * Packs our packages with what they depend on, so that nothing is requested from a registry, and
 * installs them in an empty directory.
 */
export function useProject(packages: readonly string[]) {
  const project = { directory: "" };
  beforeAll(async () => {
    await mkdir("out", { recursive: true });
    project.directory = resolve(await mkdtemp("out/project-"));
    const own = packages.map((name) => resolve("packages", name));
    const packed = await pack([...own, ...dependenciesOf(own)], project.directory);
    await writeFile(
      join(project.directory, "package.json"),
      JSON.stringify({ private: true, type: "module" }),
    );
    await exec("npm", ["install", "--offline", "--no-audit", "--no-fund", ...packed], {
      cwd: project.directory,
      shell: process.platform === "win32",
    });
  });
  afterAll(() => rm(project.directory, { recursive: true, force: true }));
  return project;
}

/** Returns the directories of what packages depend on, without our own. */
function dependenciesOf(directories: readonly string[]): ReadonlySet<string> {
  const found = new Set(directories);
  // A set goes on to what is added in the meantime.
  for (const directory of found) {
    // The cast: npm rejects anything else.
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      dependencies?: object;
    };
    for (const name of Object.keys(manifest.dependencies ?? {}).filter(
      (one) => !one.startsWith("@mediagen/"),
    ))
      found.add(directoryOf(name, directory));
  }
  for (const directory of directories) found.delete(directory);
  return found;
}

/** Returns where a dependency is installed: in the nearest node_modules. */
function directoryOf(name: string, from: string): string {
  const path = join(from, "node_modules", name);
  return existsSync(path) ? path : directoryOf(name, dirname(from));
}
