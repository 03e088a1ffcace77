import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { pack } from "../../scripts/release.ts";

const exec = promisify(execFile);

/** Makes the folder a project with these tarballs in it. What they depend on comes packed too, so that nothing is asked of a registry. */
export async function install(
  folder: string,
  tarballs: readonly string[],
  dependencies: readonly (readonly [name: string, of: string])[],
): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packed = await pack(
    dependencies.map(([name, of]) => directoryOf(name, of)),
    folder,
  );
  await exec("npm", ["install", "--offline", "--no-audit", "--no-fund", ...tarballs, ...packed], {
    cwd: folder,
    shell: process.platform === "win32",
  });
}

/** Where a dependency of one of our packages stands. */
function directoryOf(name: string, of: string): string {
  let directory = dirname(createRequire(resolve("packages", of, "package.json")).resolve(name));
  while (!existsSync(join(directory, "package.json")) || !directory.endsWith(join("node_modules", name)))
    directory = dirname(directory);
  return directory;
}
