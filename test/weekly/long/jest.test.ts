import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { useProject } from "../../package/project.ts";

const exec = promisify(execFile);
// Jest is installed by setup.ts.
const { resolve: find } = createRequire(resolve("test/weekly/long/package.json"));

const generates = `
import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen, InsufficientCreditsError } from "@mediagen/sdk";
import { fileStore } from "@mediagen/sdk/node";

test("a fox becomes a picture", async () => {
  const media = createMediaGen(createEmulator().client);
  const task = await media.image.generate("imgmodelv4", { prompt: "A fox" });
  await task.wait();
  const [picture] = await blobs(task);
  expect(picture.type).toBe("image/png");
  expect(typeof fileStore).toBe("function");
  await expect(media.image.generate("imgmodelv4", { prompt: "#credits" })).rejects.toThrow(InsufficientCreditsError);
});`;

const project = useProject(["sdk", "emulator"]);
const at = (name: string) => join(project.directory, name);

/** Runs Jest in the project, with a type and a configuration, and returns what it reports. */
async function runJest(type: "module" | "commonjs", config: object, options = ""): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(at("package.json"), "utf8")) as {
    dependencies: object;
  };
  await writeFile(at("package.json"), JSON.stringify({ private: true, type, dependencies }));
  await writeFile(at("jest.config.json"), JSON.stringify(config));
  await writeFile(at("fox.test.js"), generates);
  const args = [find("jest/bin/jest"), "--no-cache", "--config", "jest.config.json"];
  const env = { ...process.env, NODE_OPTIONS: options };
  const run = exec(process.execPath, args, { cwd: project.directory, env });
  return (await run.catch((error: { stderr: string }) => error)).stderr;
}

describe("the configurations of Jest in the guide to testing", () => {
  test("ES modules of Node", async () => {
    const guide = await readFile("docs/guides/testing.md", "utf8");
    const options = /^NODE_OPTIONS=(\S+) npx jest$/m.exec(guide)?.[1];
    expect(await runJest("module", {}, options)).toContain("Tests:       1 passed, 1 total");
  });

  test("compiled by Babel to CommonJS, with the packages", async () => {
    const guide = await readFile("docs/guides/testing.md", "utf8");
    const line = /^"transformIgnorePatterns": .*$/m.exec(guide)?.[0];
    // The cast: the guide has JSON there.
    const config = JSON.parse(`{${line}}`) as object;
    const babel = { presets: [[find("@babel/preset-env"), { targets: { node: "current" } }]] };
    await writeFile(at("babel.config.json"), JSON.stringify(babel));
    const transform = { "\\.js$": find("babel-jest") };
    expect(await runJest("commonjs", { ...config, transform })).toContain(
      "Tests:       1 passed, 1 total",
    );
    await rm(at("babel.config.json"));
  });
});
