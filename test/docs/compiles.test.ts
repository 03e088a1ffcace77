import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as sdk from "@mediagen/sdk/node";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleCalls } from "../../scripts/docs/operations.ts";
import { aiSdkSample, handlers, typescriptSample, type CaughtError } from "../../scripts/docs/samples.ts";
import { readSpecPages } from "../../scripts/docs/tables.ts";
import { yaml } from "../contract/cases.ts";
import { readAll } from "./read-all.ts";

/** What an example of a docstring may use besides the packages' own functions. */
const prelude = `
import { ${Object.keys(sdk).join(", ")} } from "@mediagen/sdk/node";
import type { AnyTask, FetchResponse, Form, GenerationRecord, GenerationStore, Issue, MediaGen, TaskJSON } from "@mediagen/sdk/node";
import { planBatch, runBatch } from "@mediagen/batch";
import type { Emulator, EmulatorRequest } from "@mediagen/emulator";
import { createEmulator, createStateFile, listen, resultsFrom, type OwnResult, type StateFile } from "@mediagen/emulator/node";
import { useEmulator } from "@mediagen/emulator/vitest";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGenProvider, mediagen } from "@mediagen/ai-sdk-provider";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { formSchema } from "@mediagen/sdk/schema";
import { createMediaProxy } from "@mediagen/sdk/proxy";
import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Pool } from "pg";
import { expect, test } from "vitest";
import { postgresStore } from "../../docs/examples/stores/postgres-store.ts";

declare const media: MediaGen;
declare const text: string;
declare const prompt: string;
declare const store: GenerationStore;
declare const record: GenerationRecord;
declare const response: FetchResponse;
declare const emulator: Emulator;
declare const request: EmulatorRequest;
declare const file: StateFile;
declare const result: OwnResult;
declare const pool: Pool;
declare function signedInUser(request: Request): Promise<string | undefined>;
declare const task: AnyTask;
declare const tasks: readonly AnyTask[];
declare const issue: Issue;
declare const form: Form<"vidmodelv2">;
declare const order: { readonly id: string; readonly model: string; readonly form: Record<string, unknown> };
declare const job: { readonly id: string; readonly model: string; readonly form: Record<string, unknown>; readonly data: TaskJSON };
declare const queue: { add(name: string, data: TaskJSON, options: { readonly delay: number }): Promise<void> };
`;

/** The programs by the names of their files. They compile together, because the declarations that they share take longest. */
const programs = new Map<string, string>();
let folder = "";
let program: ts.Program;

beforeAll(async () => {
  const examples = (await readAll("packages/*/src/**/*.ts")).flatMap(({ text }) => examplesIn(text));
  expect(examples.length).toBeGreaterThan(60);
  programs.set("docstrings.ts", [prelude, ...examples.map((code) => `void (async () => {\n${code}\n});`)].join("\n"));
  for (const { operation, call } of sampleCalls(readSpecPages(yaml))) {
    programs.set(`sample-${operation.operationId}.ts`, typescriptSample(call));
    for (const caught of [undefined, ...(Object.keys(handlers) as CaughtError[])])
      programs.set(`sample-${operation.operationId}-ai-sdk-${caught}.ts`, aiSdkSample({ ...call, caught }));
  }
  for (const { file, text } of await readAll("packages/*/README.md")) {
    const [, code] = /```ts\n([^]*?)```/.exec(text) ?? [];
    if (code !== undefined) programs.set(`readme-${file.replaceAll(/\W/g, "-")}.ts`, code);
  }

  await mkdir("out", { recursive: true });
  folder = resolve(await mkdtemp("out/compiles-"));
  for (const [name, text] of programs) await writeFile(join(folder, name), text);
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile.bind(ts.sys));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  // A few lines that show what a call returns need not use it.
  program = ts.createProgram(
    [...programs.keys()].map((name) => join(folder, name)),
    { ...options, noUnusedLocals: false },
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every example of a docstring compiles", () => expect(problemsOf("docstrings")).toEqual([]));

test("the TypeScript samples of the API reference and the playground compile", () =>
  expect(problemsOf("sample-")).toEqual([]));

test("the programs of the packages' READMEs compile", () => expect(problemsOf("readme-")).toEqual([]));

function problemsOf(prefix: string): readonly string[] {
  const names = [...programs.keys()].filter((name) => name.startsWith(prefix));
  expect(names).not.toEqual([]);
  return names
    .flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(join(folder, name))))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

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
