import { readdirSync, readFileSync } from "node:fs";
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
  "stop-rules.ts lock-file.ts contact-sheet.ts runner.ts run-batch.ts";

/** The files of the MCP server, each after those that it may import. */
const mcp =
  "options.ts host.ts confirmation.ts generate-schema.ts source-files.ts results.ts generate-tool.ts free-tools.ts server.ts " +
  "http-handler.ts";

/** The directories and files of the command, each after those that it may import. */
const cli = "terminal flags errors usage files client form tasks batch commands program.ts";

/** The packages: their places, each after those that it may import, their entry points, what is for Node, and what else they use. */
const packages = [
  {
    name: "sdk",
    places: directoriesUnder("The modules of the SDK"),
    entryPoints: "index.ts node.ts http.ts schema.ts kit.ts",
    forNode: "node node.ts",
    uses: "",
  },
  {
    name: "emulator",
    places: directoriesUnder("The modules of the emulator"),
    entryPoints: "index.ts node.ts command.ts vitest.ts node-test.ts",
    forNode: "node node.ts command.ts vitest.ts node-test.ts",
    uses: "",
  },
  {
    name: "ai-sdk-provider",
    places: "options.ts errors.ts files.ts form.ts tasks.ts image-model.ts video-model.ts provider.ts",
    entryPoints: "index.ts",
    forNode: "",
    uses: "@mediagen/sdk @mediagen/sdk/kit",
  },
  {
    name: "stores",
    places: "check-records.ts",
    entryPoints: "postgres.ts redis.ts sqlite.ts check.ts",
    forNode: "",
    uses: "@mediagen/sdk",
  },
  {
    name: "proxy",
    places: "options.ts rejection.ts request.ts seal.ts proxy.ts",
    entryPoints: "index.ts",
    forNode: "",
    uses: "@mediagen/sdk @mediagen/sdk/kit",
  },
  {
    name: "batch",
    places: batch,
    entryPoints: "index.ts",
    forNode: batch,
    uses: "@mediagen/sdk/node @mediagen/sdk/kit",
  },
  {
    name: "mcp",
    places: mcp,
    entryPoints: "index.ts command.ts",
    forNode: `${mcp} command.ts`,
    uses: "@mediagen/sdk/node @mediagen/sdk/kit @mediagen/sdk/schema",
  },
  {
    name: "cli",
    places: cli,
    entryPoints: "command.ts",
    forNode: `${cli} command.ts`,
    uses: "@mediagen/sdk @mediagen/sdk/node @mediagen/sdk/kit @mediagen/batch @mediagen/emulator @mediagen/emulator/command",
  },
].map(({ name, places, entryPoints, forNode, uses }) => ({
  name,
  places: places.split(" "),
  entryPoints: entryPoints.split(" "),
  forNode: forNode.split(" "),
  uses: uses.split(" "),
}));

/** Returns the directory of a file directly below src/, or the file itself. */
const placeOf = (file: string) => file.split("/")[0] ?? "";

describe.each(packages)("the sources of $name", ({ name, places, entryPoints, forNode, uses }) => {
  const root = `packages/${name}/src`;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  /** What each file imports, types and lazy imports included: a path from `root`, or the name of a module. */
  const imports = new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(`${root}/${file}`, "utf8"));
      const target = (name: string) => (name.startsWith(".") ? posix.join(posix.dirname(file), name) : name);
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
    const rank = (file: string) => (entryPoints.includes(file) ? Infinity : places.indexOf(placeOf(file)));
    expect(importsThat((file, target) => imports.has(target) && rank(target) > rank(file))).toEqual([]);
  });

  test("import no file outside, and no package of this repository but the listed ones", () => {
    const isOutside = (target: string) => target.startsWith("..") || target.startsWith("@mediagen/");
    expect(importsThat((_, target) => isOutside(target) && !uses.includes(target))).toEqual([]);
  });

  test("have no cycles", () => {
    const done = new Set<string>();
    const cycleFrom = (file: string, trail: readonly string[]): string | undefined => {
      if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file].join(" -> ");
      if (done.has(file)) return undefined;
      done.add(file);
      const targets = imports.get(file) ?? [];
      return targets.map((target) => cycleFrom(target, [...trail, file])).find((cycle) => cycle !== undefined);
    };
    expect(files.map((file) => cycleFrom(file, [])).filter((cycle) => cycle !== undefined)).toEqual([]);
  });

  test("import Node's modules only where the package is for Node", () => {
    expect(importsThat((file, target) => target.startsWith("node:") && !forNode.includes(placeOf(file)))).toEqual([]);
  });
});
