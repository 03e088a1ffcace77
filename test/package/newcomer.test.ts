import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { packages } from "../../scripts/build.ts";

const exec = promisify(execFile);

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;
}

test("npm ci on Node 20 warns of two packages at most that require a newer Node", async () => {
  await mkdir("out", { recursive: true });
  const directory = resolve(await mkdtemp("out/newcomer-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = [
    "package.json",
    "package-lock.json",
    ".npmrc",
    ...packages.map((path) => `${path}/package.json`),
  ];
  for (const file of files) await cp(file, join(directory, file));
  // npm compares with the version that its process says.
  const version = 'Object.defineProperty(process, "version", { value: "v20.19.0" })';
  const { stderr } = await exec("npm", ["ci", "--dry-run", "--offline"], {
    cwd: directory,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(version)}"`,
    },
    shell: process.platform === "win32",
  });
  const warned = [...stderr.matchAll(/EBADENGINE +package: '([^']+)'/g)].map(([, name]) => name);
  expect(warned.length, warned.join()).toBeLessThanOrEqual(2);
  expect(stderr, "npm has compared with Node 20").toContain("vitest@");
});

test("npm run setup without node_modules says to run npm ci first, and one without npm says so", async () => {
  const directory = resolve(await mkdtemp("out/setup-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const file of ["package.json", "package-lock.json", "scripts/run.js", "scripts/setup.ts"])
    await cp(file, join(directory, file));
  const setUp = () =>
    exec(process.execPath, ["scripts/run.js", "setup"], { cwd: directory, env: { PATH: "" } });
  const says = (stderr: unknown) => ({ code: 1, stderr });
  const ciFirst = "setup: node_modules is missing or incomplete. Run `npm ci` first.\n";
  await expect(setUp()).rejects.toMatchObject(says(ciFirst));
  await mkdir(join(directory, "node_modules"));
  await writeFile(join(directory, "node_modules/.package-lock.json"), '{"packages":{}}');
  await expect(setUp()).rejects.toMatchObject(
    says(expect.stringContaining("setup: npm could not be run (")),
  );
});

test("npm ci brings 300 MB at most: devDependencies come with npm run setup", async () => {
  expect(await readFile(".npmrc", "utf8")).toBe("omit=dev\n");
  // The cast: npm wrote it.
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as Lock;
  const paths = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link)
    .flatMap(([path]) => (existsSync(path) ? path : [])); // Others are for other machines.
  // What devDependencies have within the directory of another package is measured, too.
  const { stdout } = await exec("du", ["-sck", ...paths]);
  expect(Number(/(\d+)\s+total/.exec(stdout)?.[1]) / 1_024).toBeLessThan(300);
});
