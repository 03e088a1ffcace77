import { execFileSync, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { problemsIn } from "../../scripts/lint.ts";
import { specFile } from "../../scripts/spec.ts";
import { directoryForAll } from "../temporary-directory.ts";

const yaml = await readFile(specFile, "utf8");

test("the spec, the sources and the workflows pass `npm run lint`", () => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "lint"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  expect(status, stdout + stderr).toBe(0);
});

describe("the lint of sources rejects", () => {
  const several = ["assign each value in a line of its own"];
  const wide = (width: number) => [`the comment is wider than ${width} characters`];
  const words = (length: number) => "word ".repeat(length / 5).trim();

  test.for<[string, string, readonly string[]]>([
    ["test/a.ts", "const [a, b] = [1, 2];", several],
    ["test/a.ts", "let [a, b] = [1, 2] as const;", several],
    ["test/a.ts", "[a, b] = [b, a];", several],
    ["test/a.ts", "const [a, b] = [...list];", []],
    ["test/a.ts", "const [a, b] = pair;", []],
    ["test/a.ts", `// ${words(105)}`, wide(100)],
    ["test/a.ts", `/** ${words(105)} */`, wide(100)],
    ["test/a.ts", `// ${words(90)}`, []],
    ["docs/examples/a.ts", `// ${words(90)}`, wide(84)],
    ["test/a.ts", `// ${words(90)} https://example.com/page`, []],
  ])("in %s: %s", ([path, text, problems]) => {
    expect(problemsIn(path, text).map(({ problem }) => problem)).toEqual(problems);
  });
});

describe("the lint of the spec rejects", () => {
  const post = "/v1/video/vidmodelv15pro:\n    ";
  const tags = (of: string) => `tags: [${of}]\n      operationId: queryVideoTask`;
  const described = /      description: \|\n        Creates one image task from a prompt alone.*\n/;
  const example = /            examples:\n              task:\n.*\n.*\n.*\n/;
  const noCredits = /                insufficientCredits:\n.*\n/;
  const rules: [string, RegExp | string, string, string][] = [
    ["an operation that is no POST", `${post}post:`, `${post}put:`, "operations-are-post"],
    [
      "an operationId that is no verb and noun",
      "queryImageTask",
      "ImageTaskInfo",
      "operation-id-is-verb-and-noun",
    ],
    ["an operation without a description", described, "", "operations-are-documented"],
    ["an operation without a tag", tags("Video"), tags(""), "operations-have-a-tag"],
    ["a response without its three examples", noCredits, "", "outcomes-have-examples"],
    ["a body without an example", example, "", "bodies-have-examples"],
    [
      "an example at odds with its schema",
      "task_status: 2",
      "task_status: done",
      "no-invalid-media-type-examples",
    ],
    ["a reference to nothing", 'schemas/Seed"', 'schemas/Soil"', "no-unresolved-refs"],
  ];
  const directory = directoryForAll();
  let lines: readonly string[];
  let passes = true;

  // One run for all: the spec is broken in each of these ways at once.
  beforeAll(async () => {
    let broken = yaml;
    for (const [what, from, to] of rules) {
      expect(typeof from === "string" ? broken.includes(from) : from.test(broken), what).toBe(true);
      broken = broken.replace(from, to);
    }
    const file = join(directory, "openapi.yaml");
    await writeFile(file, broken);
    const args = [
      resolve("node_modules/@redocly/cli/bin/cli.js"),
      "lint",
      file,
      "--config",
      "openapi/redocly.yaml",
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    passes = status === 0;
    lines = (stdout + stderr).split("\n");
  });

  test.for(rules)("%s", ([, , , rule]) => {
    expect(passes).toBe(false);
    expect(lines.filter((line) => line.includes(rule))).not.toEqual([]);
  });
});

test("Dependabot knows of every lockfile, and of the workflows", async () => {
  const { updates } = parse(await readFile(".github/dependabot.yml", "utf8")) as {
    readonly updates: readonly {
      readonly "package-ecosystem": string;
      readonly directories?: readonly string[];
    }[];
  };
  const lockfiles = execFileSync("git", ["ls-files", "package-lock.json", "*/package-lock.json"], {
    encoding: "utf8",
  });
  expect(updates.map((one) => one["package-ecosystem"])).toEqual(["github-actions", "npm"]);
  expect(
    updates[1]?.directories?.map((path) => join(path, "package-lock.json").slice(1)).sort(),
  ).toEqual(lockfiles.trim().split("\n").sort());
});
