import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pack } from "./release.ts";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const target = fileURLToPath(new URL("../out/packages", import.meta.url));

// Packs the packages as they would be published, and prints how to install them in a project.
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const directories = (await readdir(packages)).sort().map((name) => join(packages, name));
const tarballs = await pack(directories, target);
const manifests = await Promise.all(
  directories.map((directory) => readFile(join(directory, "package.json"), "utf8")),
);
// The cast: npm rejects a manifest without a name.
const names = manifests.map((text) => (JSON.parse(text) as { readonly name: string }).name);
const files = Object.fromEntries(names.map((name, index) => [name, `file:${tarballs[index]}`]));
const rows = Object.entries(files).map(
  ([name, file]) => `  ${JSON.stringify(name)}: ${JSON.stringify(file)}`,
);
console.log(`Packed. In your project, run:

  npm install ${join(target, "*.tgz")}

Other package managers ask npm for what these packages depend on, unless package.json says where it is. For Yarn and Bun, add this
to package.json, without the packages that you do not need in "dependencies". Then run "yarn install" or "bun install":

${JSON.stringify({ dependencies: files, resolutions: files }, undefined, 2)}

For pnpm, add the "dependencies" to package.json and this to pnpm-workspace.yaml. Then run "pnpm install":

overrides:
${rows.join("\n")}
`);
