import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as sdk from "@mediagen/sdk/node";
import ts from "typescript";
import { expect, test } from "vitest";
import { readAll } from "./read-all.ts";

/** What an example may use besides the packages' own functions. */
const prelude = `
import { ${Object.keys(sdk).join(", ")} } from "@mediagen/sdk/node";
import type { AnyTask, Form, GenerationStore, Issue, MediaGen, TaskJSON } from "@mediagen/sdk/node";
import { planBatch, runBatch } from "@mediagen/batch";
import { createEmulator } from "@mediagen/emulator";
import { createHttpClient } from "@mediagen/sdk/http";
import { Pool } from "pg";
import { expect } from "vitest";
import { postgresStore } from "../../docs/examples/stores/postgres-store.ts";

declare const media: MediaGen;
declare const text: string;
declare const prompt: string;
declare const store: GenerationStore;
declare const pool: Pool;
declare const task: AnyTask;
declare const tasks: readonly AnyTask[];
declare const issue: Issue;
declare const form: Form<"vidmodelv2">;
declare const order: { readonly id: string; readonly model: string; readonly form: Record<string, unknown> };
declare const job: { readonly id: string; readonly model: string; readonly form: Record<string, unknown>; readonly data: TaskJSON };
declare const queue: { add(name: string, data: TaskJSON, options: { readonly delay: number }): Promise<void> };
`;

test("every example of a docstring compiles", async () => {
  const sources = await readAll("packages/*/src/**/*.ts");
  const examples = sources.flatMap(({ text }) => examplesIn(text));
  expect(examples.length).toBeGreaterThan(10);

  await mkdir("out", { recursive: true });
  const folder = resolve(await mkdtemp("out/docstrings-"));
  try {
    const file = join(folder, "examples.ts");
    const functions = examples.map((code) => `void (async () => {\n${code}\n});`);
    await writeFile(file, [prelude, ...functions].join("\n"));
    expect(problemsOf(file)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Returns the code of each `@example`, without the stars and without fences. */
function examplesIn(source: string): readonly string[] {
  const blocks = [...source.matchAll(/^( *)\* @example\n((?:\1\* ?(?!@|\/).*\n)+)/gm)];
  return blocks.map(([, , block = ""]) =>
    block
      .split("\n")
      .map((line) => line.replace(/^ *\* ?/, ""))
      .filter((line) => !line.startsWith("```"))
      .join("\n"),
  );
}

function problemsOf(file: string): readonly string[] {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile.bind(ts.sys));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  // An example shows what a call returns; it need not use it.
  const program = ts.createProgram([file], { ...options, noEmit: true, noUnusedLocals: false });
  return ts
    .getPreEmitDiagnostics(program)
    .filter((problem) => problem.file?.fileName === file)
    .map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
}
