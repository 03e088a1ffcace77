import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);

/** Installs the devDependencies, which `npm ci` leaves out, unless they are installed. Nothing else in this project installs them. */
export default async function setUp(): Promise<void> {
  if ((await missing()).length === 0) return;
  console.error("Installing the devDependencies: browser, linters, docs and queues (350 MB, once).");
  const args = ["install", "--include=dev", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, error } = spawnSync("npm", args, {
    cwd: fileURLToPath(root),
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (error) throw new TypeError(`setup: npm could not be run (${error.message}). Install it, or put it into PATH.`);
  const left = await missing();
  if (status === 0 && left.length === 0) return;
  throw new TypeError(
    `setup: npm could not install ${left.slice(0, 3).join(", ")}. If the machine cannot reach a registry, first run \`npm ci --include=dev\`.`,
  );
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** Returns the packages of the lockfile that are not installed in its version. Ignores optional ones, which may be for other machines. */
async function missing(): Promise<readonly string[]> {
  const locked = await readLock("package-lock.json");
  const installed = await readLock("node_modules/.package-lock.json").catch((error: unknown) => {
    throw new TypeError("setup: node_modules is missing or incomplete. Run `npm ci` first.", { cause: error });
  });
  return Object.entries(locked.packages).flatMap(([path, { version, link, optional, devOptional }]) => {
    const isNeeded = path.includes("node_modules/") && !link && !optional && !devOptional;
    return isNeeded && installed.packages[path]?.version !== version ? path : [];
  });
}

async function readLock(path: string): Promise<Lock> {
  // The cast: npm wrote it.
  return JSON.parse(await readFile(new URL(path, root), "utf8")) as Lock;
}
