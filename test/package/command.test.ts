import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pack } from "../../scripts/release.ts";
import { install } from "./install.ts";

const exec = promisify(execFile);

let folder = "";
beforeAll(async () => {
  await mkdir("out", { recursive: true });
  folder = resolve(await mkdtemp("out/command-"));
  const tarballs = await Promise.all(
    ["sdk", "emulator", "batch", "cli"].map((name) => pack(`packages/${name}`, folder)),
  );
  await install(folder, tarballs, [
    ["openapi-fetch", "sdk"],
    ["openapi-typescript-helpers", "sdk"],
    ["@cfworker/json-schema", "emulator"],
    ["fflate", "emulator"],
    ["csv-parse", "batch"],
    ["commander", "cli"],
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("mediagen, installed in an empty project, makes pictures on the emulator that comes with it", async () => {
  // As a script of the project would call it.
  const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}${delimiter}${process.env["PATH"]}` };
  const args = [
    "emulator",
    "--port",
    "0",
    "--speed",
    "50",
    "exec",
    "--",
    "mediagen",
    "image",
    "A red bicycle",
    "-m",
    "imgmodelv4",
    "--batchsize",
    "2",
    "-o",
    "pictures/",
    "-q",
  ];
  const { stdout, stderr } = await exec("mediagen", args, { cwd: folder, env });
  const names = await readdir(join(folder, "pictures"));
  expect([names.length, stdout, stderr]).toEqual([2, names.map((name) => `pictures/${name}\n`).join(""), ""]);
});

test("mediagen brings four packages and what those depend on, and no more", async () => {
  const installed = (await readdir(join(folder, "node_modules"))).filter((name) => !name.startsWith("."));
  expect(installed).toEqual([
    "@cfworker",
    "@mediagen",
    "commander",
    "csv-parse",
    "fflate",
    "openapi-fetch",
    "openapi-typescript-helpers",
  ]);
});
