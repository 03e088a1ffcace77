import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { buildPackages, packages } from "./build.ts";
import { type Packed, packedDirectory, packedList } from "./publish.ts";
import { specFile } from "./spec.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The placeholder in the repository's URL, until the URL is known. */
const placeholder = "github.com/OWNER/";
/** On Windows, npm is a shell script. */
const shell = process.platform === "win32";

/**
 * Makes a release: tests, writes versions and changelogs from the changesets, copies the spec as
 * the released one, packs and checks the packages, commits and tags. With `--pack`, it only packs
 * and checks the committed packages for `scripts/publish.ts`, as the release workflow does at a
 * tag.
 */
async function release(): Promise<void> {
  const { values } = parseArgs({ options: { pack: { type: "boolean" } } });
  // npm would reject the provenance of such packages, and the URLs of a published version cannot be
  // changed.
  const unnamed = packages.find((path) =>
    /\bOWNER\b/.test(read(path, "package.json") + read(path, "README.md")),
  );
  if (unnamed)
    stop(
      `${unnamed} has the placeholder ${placeholder} in its package.json or README.md. Nothing was published. ` +
        "Write the repository's URL into every packages/*/package.json and packages/*/README.md, and into docs/pack.md.",
    );
  if (git("status", "--porcelain") !== "") stop("the working tree has changes. Commit them first.");
  if (!values.pack) {
    npm("test");
    makeVersions();
  }
  await packAll();
  if (!values.pack) commit();
}

function stop(reason: string): never {
  console.error(`release: ${reason}`);
  process.exit(1);
}

function makeVersions(): void {
  // The command fails without changesets. Then the current versions are released, as in the first
  // release.
  if (readdirSync(join(root, ".changeset")).some((name) => name.endsWith(".md")))
    npm("run", "changeset", "version");
  npm("install", "--package-lock-only", "--offline", "--no-audit", "--no-fund");
  // The registry of MCP servers reads the version from there.
  const version = `"version": "${idOf("packages/mcp").replace(/.*@/, "")}"`;
  const server = join(root, "packages/mcp/server.json");
  writeFileSync(server, readFileSync(server, "utf8").replaceAll(/"version": "[^"]*"/g, version));
  copyFileSync(specFile, new URL("../openapi/released.yaml", import.meta.url));
}

async function packAll(): Promise<void> {
  await buildPackages();
  rmSync(packedDirectory, { recursive: true, force: true });
  mkdirSync(packedDirectory, { recursive: true });
  const directories = packages.map((path) => join(root, path));
  const tarballs = await pack(directories, packedDirectory);
  for (const tarball of tarballs) await check(tarball);
  const list = tarballs.map((path, index): Packed => ({
    id: idOf(packages[index] ?? ""),
    tarball: basename(path),
  }));
  writeFileSync(packedList, JSON.stringify(list));
}

/**
 * Packs packages into a directory as they would be published. Returns the paths of the tarballs in
 * the same order.
 */
export async function pack(
  directories: readonly string[],
  target: string,
): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(
    "npm",
    [
      "pack",
      ...directories.map((directory) => resolve(directory)),
      "--json",
      "--silent",
      "--ignore-scripts",
    ],
    { cwd: target, shell },
  );
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) =>
    join(target, filename),
  );
}

/** Checks a tarball with publint and attw. Fails with their findings. */
export async function check(tarball: string): Promise<void> {
  // What the commands publint and attw are made of: starting those for each package would load a
  // compiler each time.
  const { publint } = await import("publint");
  const attw = await import("@arethetypeswrong/core");
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages } = await publint({
    pack: { tarball: bytes.buffer },
    level: "warning",
    strict: true,
  });
  if (messages.length > 0)
    throw new Error(`publint says of ${tarball}:\n${JSON.stringify(messages, undefined, 2)}`);
  const result = await attw.checkPackage(attw.createPackageFromTarballData(bytes));
  if (!result.types) throw new Error(`attw finds no types in ${tarball}`);
  // Its profile esm-only ignores these.
  const isOther = (kind: string) => kind === "node10" || kind === "node16-cjs";
  const found = result.problems.filter(
    (one) => !("resolutionKind" in one && isOther(one.resolutionKind)),
  );
  if (found.length > 0)
    throw new Error(`attw says of ${tarball}:\n${JSON.stringify(found, undefined, 2)}`);
}

function commit(): void {
  const tag = idOf("packages/sdk").replace(/.*@/, "v");
  git("add", "--all");
  if (git("status", "--porcelain") !== "") git("commit", "--message", `Release ${tag}`);
  git("tag", tag);
  console.log(
    `Push it with its tag, and the release workflow publishes: git push origin main ${tag}`,
  );
}

function idOf(path: string): string {
  // The cast: npm rejects a package without them.
  const { name, version } = JSON.parse(read(path, "package.json")) as {
    name: string;
    version: string;
  };
  return `${name}@${version}`;
}

function read(...path: readonly string[]): string {
  return readFileSync(join(root, ...path), "utf8");
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function npm(...args: readonly string[]): void {
  execFileSync("npm", args, { cwd: root, stdio: "inherit", shell });
}

if (import.meta.main) await release();
