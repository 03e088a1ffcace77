import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorServer,
  type ResultSource,
} from "@mediagen/emulator/node";
import { createMediaGen } from "@mediagen/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import {
  curlSample,
  sampleCalls,
  typescriptSample,
  type SampleCall,
} from "../../scripts/docs/samples.ts";
import { exampleOf, readSpec } from "../../scripts/spec.ts";
import { generate, models, yaml } from "../contract/cases.ts";
import { directoryForAll } from "../temporary-directory.ts";

const exec = promisify(execFile);
const calls = sampleCalls(readSpec(yaml)).map((call) => ({ id: call.operation.operationId, call }));

/** Results of one byte: drawing pictures of 4K would take longer than the rest of the tests. */
const results: ResultSource = ({ kind }) => {
  const [extension, type] = kind === "video" ? ["mp4", "video/mp4"] : ["png", "image/png"];
  return { extension, type, bytes: async () => new Uint8Array([0]) };
};

const directory = directoryForAll("out");
beforeAll(async () => {
  for (const { id, call } of calls)
    await writeFile(resolve(directory, `${id}.ts`), typescriptSample(call));
  await writeFile(
    resolve(directory, "fox 'n\" snow.png"),
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  );
});

describe.concurrent("each sample does at the emulator what its operation says", () => {
  test.for(calls)("$id", async ({ id, call }, { expect: expectHere }) => {
    for (const [command, ...args] of [
      [process.execPath, `${id}.ts`],
      ["sh", "-c", curlSample(call)],
    ] as const) {
      const { emulator, server } = await emulatorWith(call);
      try {
        const { stdout, stderr } = await exec(command, args, {
          cwd: directory,
          env: environmentOf(emulator, server),
        });
        const isProgram = command === process.execPath;
        if (isProgram) expectHere(stderr).toBe("");
        else expectHere(JSON.parse(stdout)).toMatchObject({ code: 1000 });
        if (isProgram)
          expectHere(stdout).toMatch(
            call.verb === "delete" ? /^Success\n$/ : /http:\S+\.(mp4|png)/,
          );
        const seen = emulator.calls.find(({ operation }) => operation === id);
        expectHere(seen).toMatchObject({ code: 1000, violations: [] });
        if (call.verb === "generate")
          expectHere(emulator.tasks.at(-1)?.fields).toMatchObject(wireOf(call));
      } finally {
        await server.close();
      }
    }
  });
});

test("values that a shell or TypeScript would take for more than text arrive as they are, files under their part's name", async () => {
  const first = calls.find(
    ({ call }) =>
      `${Object.keys(call.body.properties ?? {}).find((name) => name.endsWith(".items"))}`.length >
      9,
  );
  const prompt = `It's "a" \\ $HOME \`fox\` @file <b> ; 雪 \${x}`;
  const call: SampleCall = {
    ...(first?.call ?? never()),
    fields: { prompt, sourceImage: { file: "fox 'n\" snow.png" } },
  };
  const { emulator, server } = await emulatorWith(call);
  try {
    await writeFile(resolve(directory, "hard.mts"), typescriptSample(call));
    const env = environmentOf(emulator, server);
    await exec(process.execPath, ["hard.mts"], { cwd: directory, env });
    await exec("sh", ["-c", curlSample(call)], { cwd: directory, env });
    expect(
      emulator.tasks.map(({ fields, files }) => [fields["prompt"], files.map(({ part }) => part)]),
    ).toEqual([1, 2].map(() => [prompt, ["sourceImage.items"]]));
  } finally {
    await server.close();
  }
});

/** An emulator that has the tasks which the sample names. */
async function emulatorWith({
  kind,
  fields,
}: SampleCall): Promise<{ readonly emulator: Emulator; readonly server: EmulatorServer }> {
  const emulator = createEmulator({ clock: { speed: 1_000 }, results });
  const media = createMediaGen(emulator.client);
  const named = Object.entries(fields).flatMap(([name, value]) =>
    name.startsWith("taskid") ? [value].flat() : [],
  );
  const { model, operation } = models.find((one) => one.kind === kind) ?? never();
  for (const _ of named) await (await generate(media, model, exampleOf(operation))).wait();
  const snapshot = emulator.snapshot();
  emulator.restore({
    ...snapshot,
    tasks: snapshot.tasks.map((task, index) => ({
      ...task,
      taskid: String(named[index] ?? task.taskid),
    })),
  });
  return { emulator, server: await listen(emulator) };
}

function environmentOf({ client }: Emulator, { baseUrl }: EmulatorServer): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MEDIAGEN_BASE_URL: baseUrl,
    MEDIAGEN_API_KEY: client.apiKey,
  };
}

/** The fields as the emulator keeps them: flags as text. */
function wireOf({ fields }: SampleCall): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "boolean" ? String(Number(value)) : value,
    ]),
  );
}

function never(): never {
  throw new Error("the spec has no such operation");
}
