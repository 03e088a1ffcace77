import { execFile, execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import build from "./build.ts";
import { releasedFile } from "./diff.ts";
import runPublish, { packedDirectory, packedList, type Packed } from "./publish.ts";
import { specFile } from "./spec.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The placeholder in the repository's URL, until the URL is known. */
const placeholder = "github.com/OWNER/";

/**
 * Prepares a release: tests, writes versions and changelogs from the changesets, copies the spec as the released one, packs and
 * checks the packages, commits and tags. With `--pack`, it only packs and checks the committed packages for `scripts/publish.ts`,
 * as the release workflow does at a tag. With `--dry-run`, it runs every step except publishing, and undoes it. With `--no-test`,
 * it skips the tests.
 */
export default async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean", default: false },
      pack: { type: "boolean", default: false },
      test: { type: "boolean", default: true },
    },
    allowNegative: true,
  });
  if (process.env["npm_config_dry_run"] && !values["dry-run"]) {
    throw new TypeError('npm keeps flags for itself unless "--" stands before them: npm run release -- --dry-run');
  }
  const { "dry-run": dry, pack: packsOnly, test: tests } = values;
  const fault = addressFault(
    inOrder().map((path) => ({ ...manifestOf(path), readme: readFileSync(join(path, "README.md"), "utf8") })),
  );
  if (fault && !dry) throw new TypeError(fault);
  if (git("status", "--porcelain") !== "")
    throw new TypeError("release: the working tree has changes. Commit them first");
  let kept = packsOnly;
  try {
    if (!packsOnly && tests) step("Test", () => npm(root, "test"));
    if (!packsOnly) step("Make versions and changelogs", makeVersions);
    await step("Pack and check", packAll);
    if (dry) step("Publish (dry run)", () => runPublish(["--dry-run"]));
    if (fault) console.error(`\nA release that is not a dry run stops here: ${fault}`);
    if (!dry && !packsOnly) {
      step("Commit and tag", commit);
      kept = true;
    }
  } finally {
    if (!kept) undo();
  }
}

/**
 * Returns an error message if packages do not name their repository. npm would reject their provenance, and the URLs of a
 * published version cannot be changed.
 */
export function addressFault(manifests: readonly Manifest[]): string | undefined {
  const bad = manifests.find(({ repository, homepage, bugs, author, readme = "" }) =>
    [repository?.url, homepage, bugs?.url, author].some((url) => !url || /\bOWNER\b/.test(url + readme)),
  );
  if (!bad) return undefined;
  return (
    `release: ${bad.name} has no URL, or the placeholder ${placeholder}, as its repository, homepage, bugs or author, or in its README. ` +
    "Nothing was published. Write the repository's URL into every packages/*/package.json and packages/*/README.md, and into docs/pack.md."
  );
}

function makeVersions(): void {
  // The command fails without changesets. Then the current versions are released, as in the first release.
  if (readdirSync(join(root, ".changeset")).some((name) => name.endsWith(".md")))
    node("@changesets/cli/bin.js", "version");
  npm(root, "install", "--package-lock-only", "--offline", "--no-audit", "--no-fund");
  copyFileSync(specFile, releasedFile);
  console.log(git("status", "--short") || "There are no changesets: the versions stay.");
}

async function packAll(): Promise<void> {
  await build();
  rmSync(packedDirectory, { recursive: true, force: true });
  mkdirSync(packedDirectory, { recursive: true });
  const directories = inOrder();
  const tarballs = await pack(directories, packedDirectory);
  const packages = directories.map((directory, index): Packed => {
    const tarball = tarballs[index] ?? "";
    check(tarball);
    const { name, version } = manifestOf(directory);
    return { id: `${name}@${version}`, tarball: basename(tarball) };
  });
  writeFileSync(packedList, JSON.stringify(packages));
}

/** Returns the directories of the packages, dependencies first. */
function inOrder(): readonly string[] {
  const directories = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));
  const needs = (directory: string) =>
    Object.keys(manifestOf(directory).dependencies ?? {}).filter((name) => name.startsWith("@mediagen/")).length;
  return directories.toSorted((one, other) => needs(one) - needs(other));
}

/** Packs packages into a directory as they would be published. Returns the paths of the tarballs in the same order. */
export async function pack(directories: readonly string[], target: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", ...directories.map((directory) => resolve(directory)), "--json", "--silent", "--ignore-scripts"],
    { cwd: target, shell },
  );
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(target, filename));
}

/** Checks a tarball with publint and attw. Fails with their findings. */
export function check(tarball: string): void {
  for (const [tool, ...args] of [
    ["publint/src/cli.js", "--strict"],
    ["@arethetypeswrong/cli/dist/index.js", "--profile", "esm-only"],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "node_modules", tool), tarball, ...args],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`${tool} says of ${tarball}:\n${stdout}${stderr}`);
    console.log(`${tool} finds nothing in ${tarball}.`);
  }
}

function commit(): void {
  const tag = `v${manifestOf(join(root, "packages/sdk")).version}`;
  git("add", "--all");
  if (git("status", "--porcelain") !== "") git("commit", "--message", `Release ${tag}`);
  git("tag", tag);
  console.log(`Push it with its tag, and the release workflow publishes: git push origin main ${tag}`);
}

/** Reverts the changes of `makeVersions` in the clean working tree. */
function undo(): void {
  const written = [
    ".changeset",
    "package-lock.json",
    "openapi/released.yaml",
    ":(glob)packages/*/package.json",
    ":(glob)packages/*/CHANGELOG.md",
  ];
  git("restore", "--", ...written);
  git("clean", "--force", "--quiet", "--", ...written);
}

/** The fields of a package.json that a release reads. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly dependencies?: object;
  readonly repository?: { readonly url: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly author?: string;
  /** The text of the package's README. */
  readonly readme?: string;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
}

function step<T>(name: string, run: () => T): T {
  console.log(`\n== ${name}`);
  return run();
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

function node(tool: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, "node_modules", tool), ...args], { cwd: root, stdio: "inherit" });
}

/** On Windows, npm is a shell script. */
const shell = process.platform === "win32";

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync("npm", args, { cwd, stdio: "inherit", shell });
}
