import { globSync, readFileSync } from "node:fs";
import * as sdk from "@mediagen/sdk/node";
import ts from "typescript";
import { expect, test } from "vitest";
import { bundle, consumerOf, weigh } from "../bench/consumers.ts";

/** How large the public surface, the longest file and function, and a page's program may become. */
const limits = {
  exportedValues: 30,
  optionsOfAClient: 20,
  linesOfAFile: 400,
  linesOfATestFile: 450,
  linesOfAFunction: 60,
  // Of a page's program after gzip, without the models, of which there may be more. Some 5 % over
  // the sizes of November 2026.
  bytesThatLoadFirst: 20_500,
  bytesAsASingleFile: 23_000,
} as const;

const sources = read("packages/*/src/**/*.ts");

test("@mediagen/sdk/node has few exported values, and a client few options", async () => {
  expect(Object.keys(sdk).length).toBeLessThanOrEqual(limits.exportedValues);
  expect(await optionsOf(sdk.createMediaGen)).toBeLessThanOrEqual(limits.optionsOfAClient);
});

test("no file is too long to be read at once, and no function to be seen at once", () => {
  expect(tooLong(sources, limits.linesOfAFile)).toEqual([]);
  expect(tooLong(read("test/**/*.ts"), limits.linesOfATestFile)).toEqual([]);
  expect(
    sources.flatMap(functionsIn).filter(({ lines }) => lines > limits.linesOfAFunction),
  ).toEqual([]);
});

test.each([
  { splitting: true, limit: limits.bytesThatLoadFirst },
  { splitting: false, limit: limits.bytesAsASingleFile },
])("the program of a page is small, with splitting: $splitting", async ({ splitting, limit }) => {
  const models = await bundle("packages/sdk/src/spec/operations.gen.ts", { splitting });
  const program = await bundle(consumerOf("@mediagen/sdk"), { splitting });
  expect(weigh(program) - weigh(models)).toBeLessThanOrEqual(limit);
});

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function read(pattern: string): readonly SourceFile[] {
  const paths = globSync(pattern, {
    exclude: (name) => /^(node_modules|dist|out)$|\.gen\./.test(name),
  });
  return paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

function tooLong(files: readonly SourceFile[], limit: number): readonly string[] {
  return files
    .filter(({ text }) => linesOf(text) > limit)
    .map(({ path, text }) => `${path}: ${linesOf(text)} lines, of at most ${limit}`);
}

function functionsIn({
  path,
  text,
}: SourceFile): readonly { readonly place: string; readonly lines: number }[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: { place: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push({ place: `${path}:${line + 1}`, lines: linesOf(node.getText(file)) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Counts the options that the message about an unknown one names. */
async function optionsOf(create: (options: object) => unknown): Promise<number> {
  const message = await Promise.resolve({ nothing: 1 }).then(create).catch(String);
  return / one of (.*)\./.exec(`${message}`)?.[1]?.split(", ").length ?? Infinity;
}
