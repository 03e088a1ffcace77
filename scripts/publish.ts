// Imports nothing that has to be installed: the job that publishes holds the right to do so, and runs no code but this.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Where `npm run release -- --pack` leaves the packages. */
export const packedDirectory: string = fileURLToPath(new URL("../out/release", import.meta.url));

/** The list of the packages there, those that others need first. */
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

/** Publishes the packages that are packed; with `--dry-run` all but that. */
export default function run(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], options: { "dry-run": { type: "boolean", default: false } } });
  // The cast: the release has written it.
  const packages = JSON.parse(readFileSync(packedList, "utf8")) as readonly Packed[];
  publish(packages, values["dry-run"], runNpm);
}

/** Publishes packages in their order, except for those that are published already, because an earlier run failed halfway. */
export function publish(packages: readonly Packed[], dry: boolean, npm: Npm): void {
  for (const { id, tarball } of packages) {
    if (!dry && npm("view", id, "version").stdout.trim() !== "") {
      console.log(`${id} is published already.`);
      continue;
    }
    // In a workflow, npm proves where a package comes from; on your own machine it cannot.
    const how = dry ? "--dry-run" : "--provenance";
    const { status } = npm("publish", join(packedDirectory, tarball), "--access", "public", how);
    if (status !== 0)
      throw new Error(`publish: npm has not published ${id}. Run it again: it goes on with this package.`);
  }
}

const runNpm: Npm = (...args) =>
  // On Windows npm is a script of the shell.
  spawnSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
