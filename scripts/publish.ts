// Imports no installed package, because the job with the permission to publish must only run this
// file.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The output directory of `npm run release -- --pack`. */
export const packedDirectory: string = fileURLToPath(new URL("../out/release", import.meta.url));

/** The list of the packages there, dependencies first. */
export const packedList: string = join(packedDirectory, "packages.json");

/** A packed package: its name with its version, and the name of its file. */
export interface Packed {
  readonly id: string;
  readonly tarball: string;
}

/** Runs npm. Returns its exit code. */
export type Npm = (...args: readonly string[]) => number | null;

// On Windows, npm is a shell script.
const runNpm: Npm = (...args) =>
  spawnSync("npm", args, { stdio: "inherit", shell: process.platform === "win32" }).status;

/**
 * Publishes the packed packages with a provenance statement. Skips those that an earlier, failed
 * run has published.
 */
export function publish(npm: Npm = runNpm, list: string = readFileSync(packedList, "utf8")): void {
  // The cast: the release has written it.
  for (const { id, tarball } of JSON.parse(list) as readonly Packed[]) {
    if (npm("view", id, "version") === 0) continue;
    if (npm("publish", join(packedDirectory, tarball), "--access", "public", "--provenance") !== 0)
      throw new Error(
        `publish: npm has not published ${id}. Run it again: it continues with this package.`,
      );
  }
}

if (import.meta.main) publish();
