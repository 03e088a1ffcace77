import { globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const contributing = readFileSync("CONTRIBUTING.md", "utf8");

/** Returns the directories that a table of CONTRIBUTING lists, in its order. */
function directoriesUnder(heading: string) {
  const section = contributing.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, directory]) => directory).join(" ");
}

/** The files of the batch, each after those that it may import. */
const batch =
  "options.ts issues.ts files.ts amounts.ts csv.ts rows.ts ids.ts known-lines.ts line-reader.ts results-file.ts plan.ts progress.ts " +
  "stop-rules.ts contact-sheet.ts runner.ts run-batch.ts";

/** The files of the MCP server, each after those that it may import. */
const mcp =
  "options.ts host.ts confirmation.ts generate-schema.ts source-files.ts results.ts generate-tool.ts free-tools.ts server.ts " +
  "http-handler.ts";

/** The directories and files of the command, each after those that it may import. */
const cli = "terminal flags errors usage files client form tasks batch commands program.ts";

/** The packages: their places, each after those that it may import, and what is for Node. */
const packages = [
  { name: "sdk", places: directoriesUnder("The modules of the SDK"), forNode: "node node.ts" },
  {
    name: "emulator",
    places: directoriesUnder("The modules of the emulator"),
    forNode: "node node.ts command.ts vitest.ts node-test.ts",
  },
  {
    name: "ai-sdk-provider",
    places:
      "options.ts errors.ts files.ts form.ts tasks.ts image-model.ts video-model.ts provider.ts",
    forNode: "",
  },
  { name: "stores", places: "check-entries.ts", forNode: "" },
  { name: "proxy", places: "options.ts rejection.ts request.ts seal.ts proxy.ts", forNode: "" },
  { name: "batch", places: batch, forNode: batch },
  { name: "mcp", places: mcp, forNode: `${mcp} command.ts` },
  { name: "cli", places: cli, forNode: `${cli} command.ts` },
].map(({ name, places, forNode }) => ({
  name,
  places: places.split(" "),
  forNode: forNode.split(" "),
}));

/** Returns the directory of a file directly below src/, or the file itself. */
const placeOf = (file: string) => file.split("/")[0] ?? "";

describe.each(packages)("the sources of $name", ({ name, places, forNode }) => {
  const manifest = readFileSync(`packages/${name}/package.json`, "utf8");
  const scripts = [...manifest.matchAll(/"\.\/dist\/([\w-]+)\.js"/g)].map(
    ([, script]) => `${script}.ts`,
  );
  const command = manifest.includes('"bin":') ? ["command.ts"] : [];
  const entryPoints = [...new Set([...scripts, ...command])];
  // The cast: npm rejects anything else.
  const { dependencies = {}, devDependencies } = JSON.parse(manifest) as Readonly<
    Record<string, object | undefined>
  >;
  const uses = Object.keys({ ...dependencies, ...devDependencies });
  const root = `packages/${name}/src`;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  /**
   * What each file imports, types and lazy imports included: a path from `root`, or the name of a
   * module.
   */
  const imports = new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(`${root}/${file}`, "utf8"));
      const target = (name: string) =>
        name.startsWith(".") ? posix.join(posix.dirname(file), name) : name;
      return [file, importedFiles.map(({ fileName }) => target(fileName))] as const;
    }),
  );
  const importsThat = (isWrong: (file: string, target: string) => boolean) =>
    [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => isWrong(file, target)).map((target) => `${file} -> ${target}`),
    );

  test("are in the listed places", () => {
    expect([...new Set(files.map(placeOf))].sort()).toEqual([...places, ...entryPoints].sort());
  });

  test("import from their own place and from those before it", () => {
    const rank = (file: string) =>
      entryPoints.includes(file) ? Infinity : places.indexOf(placeOf(file));
    expect(importsThat((file, target) => imports.has(target) && rank(target) > rank(file))).toEqual(
      [],
    );
  });

  test("import no file outside, and no package of this repository but dependencies", () => {
    const isOutside = (target: string) =>
      target.startsWith("..") || target.startsWith("@mediagen/");
    expect(
      importsThat(
        (_, target) =>
          isOutside(target) && !uses.some((used) => `${target}/`.startsWith(`${used}/`)),
      ),
    ).toEqual([]);
  });

  test("are built without imports of what users do not install", () => {
    const built = globSync(`packages/${name}/dist/**/*.{js,d.ts}`).map((file) =>
      readFileSync(file, "utf8"),
    );
    const targets = built.flatMap((text) =>
      ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName),
    );
    const others = targets.flatMap((target) => /^@mediagen\/[\w-]+/.exec(target) ?? []);
    expect(
      others.filter((other) => !(other in dependencies) && other !== `@mediagen/${name}`),
    ).toEqual([]);
    expect(built.length).toBeGreaterThan(1);
  });

  test("import Node's modules only where the package is for Node", () => {
    expect(
      importsThat((file, target) => target.startsWith("node:") && !forNode.includes(placeOf(file))),
    ).toEqual([]);
  });
});
