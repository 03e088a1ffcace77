import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

/** The sources that may import Node's modules, by package. All others run everywhere. */
const forNode: Readonly<Record<string, RegExp>> = {
  sdk: /^node(\/|\.ts$)/,
  emulator: /^(node|node-test|vitest|command)(\/|\.ts$)/,
  batch: /./,
  mcp: /./,
  cli: /./,
};

/** Returns the files and directories that the README of a directory lists, in its order. */
function namesInReadme(directory: string): readonly string[] {
  const path = `${directory}/README.md`;
  const readme = existsSync(path) ? readFileSync(path, "utf8") : "";
  return [...readme.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);
}

/** Returns the files and directories in a directory, spelled as its README lists them. */
function namesOnDisk(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .filter((name) => name !== "README.md");
}

describe.each(readdirSync("packages"))("the sources of %s", (name) => {
  // The cast: npm rejects anything else.
  const { dependencies = {}, devDependencies } = JSON.parse(
    readFileSync(`packages/${name}/package.json`, "utf8"),
  ) as Readonly<Record<string, object | undefined>>;
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

  test("are listed in the README of their directory, in one row each", () => {
    const directories = [...new Set(files.map((file) => posix.join(root, file, "..")))];
    const pathsOf = (namesIn: typeof namesOnDisk) =>
      directories
        .flatMap((directory) => namesIn(directory).map((one) => `${directory}/${one}`))
        .sort();
    expect(pathsOf(namesInReadme)).toEqual(pathsOf(namesOnDisk));
  });

  test("import from their own directory and from those above it in the README of src", () => {
    const places = namesInReadme(root);
    const rank = (file: string) => places.indexOf(file.replace(/\/.*/, "/"));
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
      importsThat((file, target) => target.startsWith("node:") && !forNode[name]?.test(file)),
    ).toEqual([]);
  });
});
