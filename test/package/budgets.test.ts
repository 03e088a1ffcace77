import { globSync, readdirSync, readFileSync } from "node:fs";
import * as sdk from "@mediagen/sdk/node";
import ts from "typescript";
import { expect, test } from "vitest";
import { bundle, consumerOf, weigh } from "../bench/consumers.ts";

/** Sizes by what is measured. The names say what each number counts. Files named *.gen.* do not count. */
type Sizes = Readonly<Record<string, readonly number[]>>;

/** The most of each size. */
const budgets: Sizes = {
  "packages/sdk: lines, code lines": [6_000, 4_300],
  "packages/stores: lines, code lines": [600, 450],
  "packages/proxy: lines, code lines": [440, 330],
  "packages/batch: lines, code lines": [1_550, 1_150],
  "packages/cli: lines, code lines": [3_000, 2_400],
  "packages/emulator: lines, code lines": [4_850, 3_550],
  "packages/ai-sdk-provider: lines, code lines": [640, 470],
  "packages/mcp: lines, code lines": [800, 620],
  "scripts: lines": [3_460],
  "test: lines of TypeScript, lines of the longest file": [23_950, 450],
  "docs/site: lines; with scripts/docs.ts and scripts/docs": [1_500, 3_200],
  "docs/guides: words": [30_000],
  "docs/examples/fleet: lines of programs": [700],
  "test/fleet: lines": [900],
  "docs/guides/{queues,fleet}.md: words": [3_500],
  "packages: lines of the longest file, files over 400 lines": [400, 0],
  "packages: lines of the longest function, functions over 60 lines": [60, 0],
  "@mediagen/sdk/node: options of createMediaGen": [20],
  "@mediagen/sdk/node: exported values": [30],
  // After gzip, without the models, of which there may be more, rounded to 100 bytes: compressors differ between machines.
  "test/bench/consumers/mediagen.ts: bytes that load first, bytes as a single file": [19_500, 21_600],
};

/** By how much each size is over its budget today. These numbers may only shrink; in the end there are none. */
const debts: Sizes = {};

const sizes: Sizes = {
  ...Object.fromEntries(readdirSync("packages").map((name) => [`packages/${name}: lines, code lines`, linesOf(name)])),
  "scripts: lines": [sum(read("scripts/**/*.{ts,js}").map(lines))],
  "test: lines of TypeScript, lines of the longest file": [
    sum(read("test/**/*.ts").map(lines)),
    Math.max(...read("test/**/*.ts").map(lines)),
  ],
  "docs/site: lines; with scripts/docs.ts and scripts/docs": [
    sum(read("docs/site/*.{ts,css,html}").map(lines)),
    sum(read("{docs/site/*.{ts,css,html},scripts/docs.ts,scripts/docs/**/*.ts}").map(lines)),
  ],
  "docs/guides: words": [sum(read("docs/guides/*.md").map(words))],
  "docs/examples/fleet: lines of programs": [sum(read("docs/examples/fleet/*.{ts,sql}").map(lines))],
  "test/fleet: lines": [sum(read("test/fleet/*.ts").map(lines))],
  "docs/guides/{queues,fleet}.md: words": [sum(read("docs/guides/{queues,fleet}.md").map(words))],
  "packages: lines of the longest file, files over 400 lines": over(400, sources("*").map(lines)),
  "packages: lines of the longest function, functions over 60 lines": over(60, sources("*").flatMap(functionsIn)),
  "@mediagen/sdk/node: options of createMediaGen": [await optionsOf(sdk.createMediaGen)],
  "@mediagen/sdk/node: exported values": [Object.keys(sdk).length],
  "test/bench/consumers/mediagen.ts: bytes that load first, bytes as a single file": [
    await bytesOf({ splitting: true }),
    await bytesOf({ splitting: false }),
  ],
};

test.each(Object.keys({ ...budgets, ...debts, ...sizes }))("%s", (name) => {
  // A package that does not exist yet has no size, and a package without a budget may have no code.
  const size = sizes[name] ?? [];
  const excess = size.map((one, index) => Math.max(0, one - (budgets[name]?.[index] ?? 0)));
  const debt = excess.some((one) => one > 0) ? excess : [];
  const row =
    debt.length > 0 ? `Its row in debts would be "${name}": [${debt.join(", ")}]` : "It needs no row in debts";
  const rule = "If it has grown, remove code, do not add to debts. If it has shrunk, write the smaller debt";
  expect(debts[name] ?? [], `${name}: ${size.join(", ")}. ${row}. ${rule}`).toEqual(debt);
});

function read(pattern: string): readonly string[] {
  const files = globSync(pattern, { exclude: (name) => /^(node_modules|dist|out)$|\.gen\./.test(name) });
  return files.map((file) => readFileSync(file, "utf8"));
}

function sources(name: string): readonly string[] {
  return read(`packages/${name}/src/**/*.ts`);
}

function linesOf(name: string): readonly number[] {
  return [sum(sources(name).map(lines)), sum(sources(name).map(codeLines))];
}

function lines(text: string): number {
  return text.split("\n").length - 1;
}

/** Counts words, without those of the list of models, of which there may be more. */
function words(text: string): number {
  return text.replace(/<!-- include: models -->[^]*?<!-- end -->/, "").match(/\S+/g)?.length ?? 0;
}

/** Counts the lines that are neither blank nor part of a comment only. */
function codeLines(text: string): number {
  const code = text.replace(/^\s*\/\*[^]*?\*\/.*$/gm, "").replace(/^\s*\/\/.*$/gm, "");
  return code.split("\n").filter((line) => line.trim() !== "").length;
}

function functionsIn(text: string): readonly number[] {
  const file = ts.createSourceFile("", text, ts.ScriptTarget.Latest);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) found.push(lines(node.getText(file)) + 1);
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

async function bytesOf(options: { readonly splitting: boolean }): Promise<number> {
  const models = await bundle("packages/sdk/src/spec/operations.gen.ts", options);
  return Math.round((weigh(await bundle(consumerOf("@mediagen/sdk"), options)) - weigh(models)) / 100) * 100;
}

function over(limit: number, all: readonly number[]): readonly number[] {
  return [Math.max(...all), all.filter((one) => one > limit).length];
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
