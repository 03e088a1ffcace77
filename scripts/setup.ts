import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [lock, done] = [join(root, "package-lock.json"), join(root, "node_modules/.setup")];

/**
 * Installs the devDependencies, which `npm ci` leaves out, unless those of this lockfile are
 * installed. Nothing else in this project installs them.
 */
export default function setUp(): void {
  if (existsSync(done) && readFileSync(done, "utf8") === readFileSync(lock, "utf8")) return;
  if (!existsSync(join(root, "node_modules/.package-lock.json")))
    throw new TypeError("setup: node_modules is missing or incomplete. Run `npm ci` first.");
  console.error(
    "Installing the devDependencies: browser, linters, docs and queues (430 MB, once).",
  );
  const { status, error } = spawnSync(
    "npm",
    ["install", "--include=dev", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" },
  );
  if (error)
    throw new TypeError(
      `setup: npm could not be run (${error.message}). Install it, or put it into PATH.`,
    );
  if (status !== 0)
    throw new TypeError(
      "setup: npm could not install the devDependencies. If the machine cannot reach a registry, first run `npm ci --include=dev`.",
    );
  copyFileSync(lock, done);
}
