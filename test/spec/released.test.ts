import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bumpFor, bumpOfChangesets, reaches, releasedFile, releasedVersion } from "../../scripts/diff.ts";
import { specFile } from "../../scripts/spec.ts";

const released = fileURLToPath(releasedFile);

test("what has changed in the spec since the last release has a changeset that steps far enough", async () => {
  const demanded = bumpFor(released, fileURLToPath(specFile), await releasedVersion());
  const given = await bumpOfChangesets();
  expect(
    reaches(given, demanded),
    `the spec asks for ${demanded}, the changesets step ${given}: npx changeset (npm run diff shows why)`,
  ).toBe(true);
});

test("a changeset that steps too little does not do", () => {
  expect([
    reaches("minor", "major"),
    reaches("none", "patch"),
    reaches("major", "minor"),
    reaches("none", "none"),
  ]).toEqual([false, false, true, true]);
});

describe("a change of the released spec asks for a step", () => {
  let folder = "";
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.for<[string, RegExp | string, string, string, string]>([
    ["no change", "", "", "1.2.0", "none"],
    ["a description in other words", /description: [A-Z].*/, "description: It says the same.", "1.2.0", "patch"],
    ["a narrowed bound", /maxLength: \d+/, "maxLength: 7", "1.2.0", "major"],
    ["a narrowed bound, before 1.0", /maxLength: \d+/, "maxLength: 7", "0.1.0", "minor"],
    [
      "a narrowed range of pixels",
      /x-total-pixels: { minimum: \d+/,
      "x-total-pixels: { minimum: 9999999",
      "1.2.0",
      "major",
    ],
    ["a widened range of pixels", /x-total-pixels: { minimum: \d+/, "x-total-pixels: { minimum: 1", "1.2.0", "patch"],
    ["another name of a field", /(Form:\n[^]*?properties:\n +)\w+:/, "$1renamed:", "1.2.0", "major"],
    ["a model more", /  (\/v1\/\w+\/\w+)(:\n(?:    .*\n|\n)+)/, "$&  $1er$2", "1.2.0", "minor"],
    ["a model less", /  \/v1\/\w+\/\w+:\n(?:    .*\n|\n)+/, "", "1.2.0", "major"],
  ])("%s", async ([name, from, to, version, bump]) => {
    const yaml = await readFile(released, "utf8");
    const changed = join(folder, `${name.replaceAll(/\W/g, "-")}.yaml`);
    await writeFile(changed, yaml.replace(from, to));
    expect(bumpFor(released, changed, version)).toBe(bump);
  });
});
