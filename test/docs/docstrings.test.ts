import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { docstringFaults } from "./docstring-faults.ts";
import { readAll } from "./read-all.ts";

/** The sources of the packages, and a file of faults: one program, because reading the declarations takes longest. */
let files: readonly string[];
let faulty: string;
let program: ts.Program;

beforeAll(async () => {
  files = await entryPoints();
  await mkdir("out", { recursive: true });
  faulty = join(resolve(await mkdtemp("out/docstrings-")), "examples.ts");
  await writeFile(faulty, Object.values(faults()).join("\n"));
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile.bind(ts.sys));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  program = ts.createProgram([...files, faulty], options);
});
afterAll(() => rm(join(faulty, ".."), { recursive: true }));

test("every exported function and method says what it does and returns, and has one example", () => {
  expect(files.length).toBeGreaterThan(6);
  expect(docstringFaults(program, files)).toEqual([]);
});

test("a docstring that says too little, or too much at once, is found", () => {
  const found = docstringFaults(program, [faulty]).map((fault) => fault.replace(/^\S+ /, ""));
  expect(found.map((fault) => fault.replace(/: word .*/, "")).sort()).toEqual([
    "Clause is described by a clause, not by a noun: What is long.",
    "Long has a sentence of 26 words",
    "apart shows the parts of a parameter in its hover: take it apart inside",
    "bare has 0 @example",
    "doubled has 2 @example",
    "inherited has 0 @example",
    "linked has a {@link} right after a tag: write a word before it",
    "noun does not begin with a verb such as Returns",
    "renamed has a @param old, which is not a parameter",
    "silent has no @returns",
    "undescribed has no docstring",
  ]);
});

/** Exports by what is wrong with their docstrings. */
function faults(): Readonly<Record<string, string>> {
  const example = "@example\n * f();\n";
  return {
    undescribed: "export declare function undescribed(): void;",
    noun: `/**\n * The end.\n * ${example} */\nexport function noun() {}`,
    bare: "/** Ends. */\nexport function bare() {}",
    doubled: `/**\n * Ends.\n * ${example} * ${example} */\nexport function doubled() {}`,
    silent: `/**\n * Counts.\n * ${example} */\nexport const silent = async () => 1;`,
    renamed: `/**\n * Ends.\n * @param old A text.\n * ${example} */\nexport function renamed(given: string) {}`,
    apart: `/**\n * Ends.\n * ${example} */\nexport function apart({ part }: { part: 1 }) {}`,
    linked: `/**\n * Ends.\n * @throws {@link Error} if not\n * ${example} */\nexport function linked() {}`,
    inherited: "interface Base {\n  /** Ends. */\n  inherited(): void;\n}\nexport interface Own extends Base {}",
    Long: `/** ${"word ".repeat(26)}*/\nexport interface Long {}`,
    Clause: "/** What is long. */\nexport interface Clause {}",
    fine: `/**\n * Counts.\n * @returns The number.\n * ${example} */\nexport function fine() {\n  return 1;\n}`,
  };
}

/** Returns the sources of all entry points of the packages, those of each condition. */
async function entryPoints(): Promise<readonly string[]> {
  const manifests = await readAll("packages/*/package.json");
  return manifests.flatMap(({ file, text }) => {
    const { exports } = JSON.parse(text) as { readonly exports: Readonly<Record<string, unknown>> };
    const targets = Object.values(exports).flatMap((target) =>
      typeof target === "string" ? target : Object.values(Object(target)),
    );
    const built = targets.map((target) => /^\.\/dist\/(.*)\.js$/.exec(String(target))?.[1]);
    return built.filter((name) => name !== undefined).map((name) => resolve(file, `../src/${name}.ts`));
  });
}
