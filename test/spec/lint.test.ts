import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { specFile } from "../../scripts/read-spec.ts";

/** What the lint says of a spec: nothing but praise where it passes. */
async function lint(yaml?: string): Promise<{ readonly passes: boolean; readonly output: string }> {
  const file = yaml === undefined ? [] : [join(await mkdtemp(join(tmpdir(), "mediagen-lint-")), "openapi.yaml")];
  for (const path of file) await writeFile(path, yaml ?? "");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/run.js", "lint", ...file], { encoding: "utf8" });
  return { passes: status === 0, output: stdout + stderr };
}

const yaml = await readFile(specFile, "utf8");

test("the spec passes without an error or a warning", async () => {
  const { passes, output } = await lint();
  expect(output).not.toMatch(/warning|error/i);
  expect(passes).toBe(true);
});

describe.concurrent("the lint refuses", () => {
  test.for<[string, RegExp | string, string, string]>([
    ["an operation that is no POST", "  /v1/video/vidmodelv15pro:\n    post:", "  /v1/video/vidmodelv15pro:\n    put:", "operations-are-post"],
    ["an operationId that is no verb and noun", "operationId: queryVideoTask", "operationId: VideoTaskInfo", "operation-id-is-verb-and-noun"],
    ["an operation without a description", /      description: \|\n        Creates one image task from a prompt alone.*\n/, "", "operations-are-documented"],
    ["an operation without a tag", "tags: [Video]\n      operationId: queryVideoTask", "tags: []\n      operationId: queryVideoTask", "operations-have-a-tag"],
    ["an answer without its three examples", /                insufficientCredits:\n.*\n/, "", "outcomes-have-examples"],
    ["a body without an example", /            examples:\n              task:\n.*\n.*\n.*\n/, "", "answers-have-examples"],
    ["an example at odds with its schema", "task_status: 2", "task_status: done", "no-invalid-media-type-examples"],
    ["a reference to nothing", "schemas/Seed\"", "schemas/Soil\"", "no-unresolved-refs"],
  ])("%s", async ([, from, to, rule], { expect: check }) => {
    const broken = yaml.replace(from, to);
    check(broken).not.toBe(yaml);
    const { passes, output } = await lint(broken);
    check(output).toContain(rule);
    check(passes).toBe(false);
  });
});
