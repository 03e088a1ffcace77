import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pack } from "./release.ts";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const target = fileURLToPath(new URL("../out/packages", import.meta.url));

/** Packs the packages as they would be published, and prints the command that installs them in a project. */
export default async function run(): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await pack(
    (await readdir(packages)).sort().map((name) => join(packages, name)),
    target,
  );
  console.log(`Packed. In your project, run:\n\n  npm install ${join(target, "*.tgz")}\n`);
}
