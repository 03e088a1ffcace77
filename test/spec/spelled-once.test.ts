import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { validate } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { exampleOf } from "../../scripts/spec.ts";
import { models, operations } from "../contract/cases.ts";

test("no hand-written source spells a model, a path or an operation of the service", async () => {
  const files = execFileSync(
    "git",
    ["ls-files", "-co", "--exclude-standard", "packages/*/src/*", "scripts"],
    {
      encoding: "utf8",
    },
  );
  const words = [
    ...models.map(({ model }) => model),
    ...operations.flatMap(({ path, operationId }) => [path, operationId]),
  ];
  const spelled: string[] = [];
  for (const file of files
    .trim()
    .split("\n")
    .filter((name) => !name.includes(".gen."))) {
    // What a docstring or message names as an example is not a fact that the code relies on.
    const code = (await readFile(file, "utf8")).replace(/\/\*\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
    spelled.push(
      ...words
        .filter((word) => new RegExp(`["'\`/]${word}["'\`/]`).test(code))
        .map((word) => `${file}: ${word}`),
    );
  }
  expect(spelled).toEqual([]);
});

describe("the spec's own examples and defaults pass the SDK's checks", () => {
  const issuesOf = (model: string, form: object) => validate(model, { ...form });

  test.for(models)("$model", ({ model, operation, form, example }) => {
    expect(issuesOf(model, exampleOf(operation))).toEqual([]);
    for (const [field, { default: fallback }] of Object.entries(form.properties ?? {})) {
      if (fallback !== undefined)
        expect(issuesOf(model, { ...example, [field]: fallback }), field).toEqual([]);
    }
  });
});
