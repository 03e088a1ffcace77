import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import * as sdk from "@mediagen/sdk/node";
import { beforeAll, expect, test } from "vitest";
import {
  handlers,
  sampleCalls,
  typescriptSample,
  type CaughtError,
} from "../../scripts/docs/samples.ts";
import { readSpec } from "../../scripts/spec.ts";
import { yaml } from "../contract/cases.ts";
import { directoryForAll } from "../temporary-directory.ts";
import { readAll } from "./read-all.ts";

/** What an example of a docstring may use besides the packages' own functions. */
const prelude = `
import { ${Object.keys(sdk).join(", ")} } from "@mediagen/sdk/node";
import type { AnyTask, FetchResponse, Form, GenerationEntry, GenerationStore, Issue, MediaGen, TaskJSON } from "@mediagen/sdk/node";
import { planBatch, runBatch } from "@mediagen/batch";
import type { Emulator, EmulatorRequest } from "@mediagen/emulator";
import { createEmulator, createStateFile, listen, resultsFrom, type OwnResult, type StateFile } from "@mediagen/emulator/node";
import { emulatorFixture, useEmulator } from "@mediagen/emulator/vitest";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGenProvider, mediagen } from "@mediagen/ai-sdk-provider";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { formSchema } from "@mediagen/sdk/schema";
import { createMediaProxy } from "@mediagen/proxy";
import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Redis } from "ioredis";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import { expect, test } from "vitest";
import { test as base } from "vitest";
import { checkStore } from "@mediagen/stores/check";
import { postgresStore, postgresTable } from "@mediagen/stores/postgres";
import { redisStore } from "@mediagen/stores/redis";
import { sqliteStore } from "@mediagen/stores/sqlite";

declare const media: MediaGen;
declare const text: string;
declare const prompt: string;
declare const store: GenerationStore;
declare const entry: GenerationEntry;
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

/**
 * The programs by the names of their files. They compile together, because the declarations that
 * they share take longest.
 */
const programs = new Map<string, string>();
const directory = directoryForAll("out");
/** What the compiler says, a line for each error. */
let problems: readonly string[] = [];

beforeAll(async () => {
  const examples = (await readAll("packages/*/src/**/!(*.gen).ts")).flatMap(({ text }) =>
    examplesIn(text),
  );
  expect(examples.length).toBeGreaterThan(60);
  programs.set(
    "docstrings.ts",
    [prelude, ...examples.map((code) => `void (async () => {\n${code}\n});`)].join("\n"),
  );
  for (const call of sampleCalls(readSpec(yaml))) {
    for (const caught of [undefined, ...(Object.keys(handlers) as CaughtError[])])
      programs.set(
        `sample-${call.operation.operationId}-${caught}.ts`,
        typescriptSample({ ...call, caught }),
      );
  }
  for (const { file, text } of await readAll("packages/*/README.md")) {
    const [, code] = /```ts\n([^]*?)```/.exec(text) ?? [];
    if (code !== undefined) programs.set(`readme-${file.replaceAll(/\W/g, "-")}.ts`, code);
  }

  for (const [name, text] of programs) await writeFile(join(directory, name), text);
  problems = await compile([...programs.keys()]);
});

test("every example of a docstring compiles", () => expect(problemsOf("docstrings")).toEqual([]));

test("the TypeScript samples of the API reference and the playground compile", () =>
  expect(problemsOf("sample-")).toEqual([]));

test("the programs of the packages' READMEs compile", () =>
  expect(problemsOf("readme-")).toEqual([]));

function problemsOf(prefix: string): readonly string[] {
  expect([...programs.keys()].filter((name) => name.startsWith(prefix))).not.toEqual([]);
  // What is wrong elsewhere is in no program, and says nothing of those that are.
  expect(problems.filter((line) => !programs.has(/^(.+?)\(/.exec(line)?.[1] ?? ""))).toEqual([]);
  return problems.filter((line) => line.startsWith(prefix));
}

async function compile(files: readonly string[]): Promise<readonly string[]> {
  // A few lines that show what a call returns need not use it.
  const compilerOptions = { noEmit: true, noUnusedLocals: false };
  const config = {
    extends: relative(directory, "tsconfig.json"),
    compilerOptions,
    include: [],
    files,
  };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(config));
  const compiler = resolve("node_modules/typescript-7/bin/tsc");
  const run = promisify(execFile)(process.execPath, [compiler, "-p", ".", "--pretty", "false"], {
    cwd: directory,
  });
  // A compiler that ends without a word has compiled nothing.
  const { stdout } = await run.catch((error: { readonly stdout: string }) =>
    error.stdout ? error : expect.fail(`${error}`),
  );
  return stdout.split("\n").filter((line) => /\berror TS/.test(line));
}

/** Returns the code of each `@example`, without the stars and without fences. */
function examplesIn(source: string): readonly string[] {
  const blocks = [...source.matchAll(/^( *)\* @example((?: .+\n)|\n(?:\1\* ?(?!@|\/).*\n)+)/gm)];
  return blocks.map(([, , block = ""]) =>
    block
      .trim()
      .split("\n")
      .map((line) => line.replace(/^ *\* ?/, ""))
      .filter((line) => !line.startsWith("```"))
      .join("\n"),
  );
}
