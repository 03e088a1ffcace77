// Imports no installed package, because the job with the permission to publish must only run this file.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The output directory of `npm run release -- --pack`. */
export const packedDirectory: string = fileURLToPath(new URL("../out/release", import.meta.url));

/** The list of the packages there, dependencies first. */
export const packedList: string = join(packedDirectory, "packages.json");

/** A package as it is published. */
export interface Packed {
  /** Its name and version, as npm writes them. */
  readonly id: string;
  /** The name of its file. */
  readonly tarball: string;
}

/** Runs npm, shows what it prints, and returns that too. */
export type Npm = (...args: readonly string[]) => { readonly status: number | null; readonly stdout: string };

/** Publishes the packed packages. With `--dry-run`, runs every step except the upload. */
export default function run(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], options: { "dry-run": { type: "boolean", default: false } } });
  // The cast: the release has written it.
  const packages = JSON.parse(readFileSync(packedList, "utf8")) as readonly Packed[];
  publish(packages, values["dry-run"], runNpm);
}

/** Publishes packages in their order. Skips those that an earlier, failed run has published. */
export function publish(packages: readonly Packed[], dry: boolean, npm: Npm): void {
  for (const { id, tarball } of packages) {
    if (!dry && npm("view", id, "version").stdout.trim() !== "") {
      console.log(`${id} is published already.`);
      continue;
    }
    // npm creates a provenance statement, which only works in a workflow.
    const how = dry ? "--dry-run" : "--provenance";
    const { status } = npm("publish", join(packedDirectory, tarball), "--access", "public", how);
    if (status !== 0)
      throw new Error(`publish: npm has not published ${id}. Run it again: it continues with this package.`);
  }
}

const runNpm: Npm = (...args) =>
  // On Windows, npm is a shell script.
  spawnSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
