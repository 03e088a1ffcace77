import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Task } from "@mediagen/sdk";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { complete } from "../../packages/cli/src/commands/complete.ts";
import { createCommands } from "../../packages/cli/src/program.ts";
import { helpOf } from "../../packages/cli/src/usage/help.ts";
import { generateSchema } from "../../packages/mcp/src/generate-schema.ts";
import { generate } from "../../scripts/generate.ts";
import { specFile } from "../../scripts/spec.ts";

const yaml = await readFile(specFile, "utf8");
/**
 * The model of images that CONTRIBUTING shows, by another name: whoever tries it there has it in
 * the spec.
 */
const shownModel = (
  /```yaml\n([^]*?)```/.exec(await readFile("CONTRIBUTING.md", "utf8"))?.[1] ?? ""
).replaceAll("modelnine", "modelshown");

test("the committed files are what the spec gives", async () => {
  for (const [name, text] of Object.entries(await generate(yaml)))
    expect(await readFile(name, "utf8"), `${name} is stale: npm run generate`).toBe(text);
});

test("a guide's table of models has every field, also one that only takes files", async () => {
  const { "docs/guides/first-video.md": guide } = await generate(withFurtherModels());
  expect(guide).toMatch(/imgmodelshown`.* \| image \| `prompt`, `count`, `sourceImage` \|/);
});

describe("what the SDK would not check stops the generation, and says where it is", () => {
  test.for<[string, string]>([
    [
      "prompt: { type: string, multipleOf: 2 }",
      'generateVidmodelnine.prompt: the SDK does not check "multipleOf"',
    ],
    [
      "prompt: { type: [string, 'null'] }",
      "generateVidmodelnine.prompt: the SDK does not check several types",
    ],
    [
      "prompt: { type: string, format: uri }",
      'generateVidmodelnine.prompt: the SDK does not check the format "uri"',
    ],
    ["prompt: { type: object, properties: { x: { type: string } } }", "objects inside of fields"],
    ["prompt: { anyOf: [{ type: array, items: { type: string } }] }", "lists inside of anyOf"],
    [
      "prompt: { type: string, x-total-pixels: { minimum: 1, maximum: 2 } }",
      "x-total-pixels without the pattern",
    ],
    [
      "prompt: { type: string, x-result-count: true }",
      "generateVidmodelnine.prompt: a result count is an integer",
    ],
    [
      "prompt: { type: integer, x-result-count: true }",
      'generateVidmodelv2.duration: does it say how many results are requested? Write "x-result-count: true" or "x-result-count: false"',
    ],
  ])("%s", async ([field, message]) => {
    const changed = withFurtherModels("prompt: { type: string, maxLength: 5 }", field);
    await expect(generate(changed)).rejects.toThrow(message);
  });

  test.for<[string, string, string]>([
    ["generateVidmodelnine", "createVidmodelnine", "starts with none of generate, query, delete"],
    ["/v1/video/vidmodelnine", "/v2/video/vidmodelv2", "are the same model, vidmodelv2"],
    [
      "tags: [Video]\n      operationId: generateVidmodelnine",
      "tags: [Sound]\n      operationId: generateVidmodelnine",
      'tag "sound" is neither Video nor Image',
    ],
    [
      "required: [prompt]",
      "anyOf: [{ required: [promt] }]",
      "generateVidmodelnine: the SDK does not check anyOf of a form",
    ],
    [
      "required: [prompt]",
      "minProperties: 1",
      'generateVidmodelnine: the SDK does not check "minProperties"',
    ],
  ])("%s as %s", async ([from, to, message]) => {
    await expect(generate(withFurtherModels(from, to))).rejects.toThrow(message);
  });
});

test("a list of enum values is typed as one", async () => {
  const one = "type: string, enum: [calm, stormy]";
  const list = "type: array, items: { type: string, enum: [calm, stormy] }";
  const changed = withFurtherModels(one, list);
  expect((await generate(changed))["packages/sdk/src/spec/types.gen.ts"]).toContain(
    'readonly moodofnine?: ("calm" | "stormy")[] | undefined;',
  );
});

describe("in a copy of the project whose spec has further models", () => {
  // Inside the project, so that the copy finds the packages that it imports.
  let copy = "";
  beforeAll(async () => {
    await mkdir("out", { recursive: true });
    copy = await mkdtemp("out/copy-");
    const own =
      "package.json README.md tsconfig.json openapi scripts packages/sdk/tsconfig.json packages/sdk/package.json docs/guides docs/examples docs/home.md test/runtimes/engines/package.json";
    const packages = "sdk proxy batch emulator cli mcp ai-sdk-provider"
      .split(" ")
      .map((name) => `packages/${name}/src`);
    for (const path of [...own.split(" "), ...packages])
      await cp(path, join(copy, path), { recursive: true });
    await change(withFurtherModels());
    for (const [name, text] of Object.entries(await generate(withFurtherModels())))
      if (name.includes(".gen.")) await writeFile(join(copy, name), text);
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  /** Imports a module of the copy. The casts: it has the types of what it is a copy of. */
  const load = async <T>(path: string) => (await import(pathToFileURL(join(copy, path)).href)) as T;
  const change = (to: string) => writeFile(join(copy, "openapi/openapi.yaml"), to);

  test("a model added to the spec is there in the SDK, typed and checked, and in the emulator, without another line", async () => {
    await writeFile(
      join(copy, "packages/sdk/src/use.ts"),
      `import { createMediaGen, listModels, validate } from "./index.ts";
       export { createMediaGen, listModels };
       export const media = createMediaGen({ baseUrl: "http://localhost", fetch: async (url, init) => Response.json({
         code: 1000, msg: "", data: { taskid: new URL(url).pathname + ":" + (await new Request(url, init).formData()).get("moodofnine") } }) });
       export const task = await media.video.generate("vidmodelnine", { prompt: "A fox", moodofnine: "calm", frames: [new Blob(["x"])] });
       // @ts-expect-error -- the added model's own bound
       export const issues = validate("vidmodelnine", { prompt: "A fox, at length", moodofnine: "wild" });`,
    );
    const compiler = [
      "node_modules/typescript-7/bin/tsc",
      "--noEmit",
      "--isolatedDeclarations",
      "false",
      "-p",
    ];
    const project = join(copy, "packages/sdk");
    expect(spawnSync(process.execPath, [...compiler, project], { encoding: "utf8" }).stdout).toBe(
      "",
    );
    const { task, issues, listModels, createMediaGen } = await load<
      typeof import("@mediagen/sdk") & { readonly task: Task; readonly issues: unknown }
    >("packages/sdk/src/use.ts");
    expect(task).toMatchObject({ taskid: "/v1/video/vidmodelnine:calm", resultCount: 1 });
    const tooLong = 'prompt must be text of at most 5 characters, not "A fox, at length".';
    expect(issues).toEqual([
      { field: "prompt", code: "invalid", message: tooLong },
      {
        field: "moodofnine",
        code: "invalid",
        message: 'moodofnine must be "calm" or "stormy", not "wild".',
      },
    ]);
    expect(listModels().map(({ model }) => model)).toContain("vidmodelnine");

    const { createEmulator } = await load<typeof import("@mediagen/emulator")>(
      "packages/emulator/src/index.ts",
    );
    const { image } = createMediaGen(createEmulator().client);
    for (const [fields, results] of [
      [{ count: 3 }, 3],
      [{}, 2],
    ] as const) {
      // The cast: the compiler does not know the model here.
      const task = await image.generate("imgmodelshown" as "imgmodelz", {
        prompt: "A fox",
        ...fields,
      });
      expect(task.resultCount).toBe(results);
      expect((await task.wait()).url).toHaveLength(results);
    }
  });

  test("and in the command line: its help, its flags, its values", async () => {
    const { listModels } = await load<typeof import("@mediagen/sdk")>("packages/sdk/src/index.ts");
    const { service } = await load<typeof import("@mediagen/sdk/kit")>("packages/sdk/src/kit.ts");
    const program = createCommands(listModels(), service.schemas);
    const help = program.map(helpOf).join("").replace(/\s+/g, " ");
    expect(help).toContain(
      '--moodofnine <text> What is felt ("calm" or "stormy"; only vidmodelnine)',
    );
    expect(help).toContain(
      "--frames <file|url> Pictures in order (at most 4 files; only vidmodelnine)",
    );
    expect(await complete(program, ["video", "-m", "vidmodeln"])).toEqual(["vidmodelnine"]);
    expect(await complete(program, ["video", "-m", "vidmodelnine", "--moodofnine", ""])).toEqual([
      "calm",
      "stormy",
    ]);
    expect(await complete(program, ["models", "vidmodeln"])).toEqual(["vidmodelnine"]);
  });

  test("and in the tools of the MCP server", async () => {
    const { listModels } = await load<typeof import("@mediagen/sdk")>("packages/sdk/src/index.ts");
    const { service } = await load<typeof import("@mediagen/sdk/kit")>("packages/sdk/src/kit.ts");
    const videos = listModels().filter(({ kind }) => kind === "video");
    const schema = generateSchema(videos, service.schemas);
    expect(schema["properties"]).toMatchObject({
      model: { enum: expect.arrayContaining(["vidmodelnine"]) },
      moodofnine: {
        enum: ["calm", "stormy"],
        description: "What is felt. More of it. (only vidmodelnine)",
      },
      frames: { type: "array", description: "Pictures in order. (only vidmodelnine)" },
      prompt: {
        description: expect.stringContaining("vidmodelnine: text of at most 5 characters"),
      },
    });
  });

  test("and in the AI SDK, with the number of its results", async () => {
    // The provider imports the SDK by its name, which would be that of the project.
    const sdk = join(copy, "packages/ai-sdk-provider/node_modules/@mediagen/sdk");
    await mkdir(sdk, { recursive: true });
    const manifest = '{ "type": "module", "exports": { ".": "./index.js", "./kit": "./kit.js" } }';
    await writeFile(join(sdk, "package.json"), manifest);
    for (const name of ["index", "kit"])
      await writeFile(join(sdk, `${name}.js`), `export * from "../../../../sdk/src/${name}.ts";`);
    const { createMediaGen } = await load<typeof import("@mediagen/sdk")>(
      "packages/ai-sdk-provider/node_modules/@mediagen/sdk/index.js",
    );
    const { createEmulator } = await load<typeof import("@mediagen/emulator")>(
      "packages/emulator/src/index.ts",
    );
    const { createMediaGenProvider } = await load<typeof import("@mediagen/ai-sdk-provider")>(
      "packages/ai-sdk-provider/src/index.ts",
    );
    const emulator = createEmulator();
    const mediagen = createMediaGenProvider({ media: createMediaGen(emulator.client) });
    const { images } = await generateImage({
      model: mediagen.imageModel("imgmodelshown"),
      prompt: "A fox",
      n: 3,
    });
    expect([images.length, emulator.charges.length]).toEqual([3, 1]);
    const providerOptions = { mediagen: { moodofnine: "wild" } };
    const call = { model: mediagen.videoModel("vidmodelnine"), prompt: "A fox", providerOptions };
    await expect(generateVideo(call)).rejects.toThrow(
      'moodofnine must be "calm" or "stormy", not "wild"',
    );
  });

  test("--check shows what is stale as a diff and fails, until generate has run", async () => {
    await change(withFurtherModels("maxLength: 5", "maxLength: 6"));
    const { writeGenerated } =
      await load<typeof import("../../scripts/generate.ts")>("scripts/generate.ts");
    const printed = [
      vi.spyOn(console, "log").mockReturnValue(),
      vi.spyOn(console, "error").mockReturnValue(),
    ];
    const ran = async (...args: string[]) => {
      await writeGenerated(args);
      const { exitCode } = process;
      process.exitCode = undefined;
      return [exitCode, ...printed.map(({ mock }) => mock.calls.splice(0).join("\n"))];
    };
    const stale = /^-.* max: 5\b.*\n\+.* max: 6\b[^]*npm run generate/m;
    expect(await ran("--check")).toEqual([1, "", expect.stringMatching(stale)]);
    expect(await ran()).toEqual([
      undefined,
      expect.stringContaining("wrote packages/sdk/src/"),
      "",
    ]);
    expect(await ran("--check")).toEqual([undefined, "The generated files are up to date.", ""]);
  });
});

/** The spec with a further model of each kind, as the one who adds them would write them. */
function withFurtherModels(from = "", to = ""): string {
  const operation = `
  /v1/video/vidmodelnine:
    post:
      tags: [Video]
      operationId: generateVidmodelnine
      summary: Generate a video with vidmodelnine
      description: A model that is added.
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [prompt]
              properties:
                prompt: { type: string, maxLength: 5 }
                moodofnine: { type: string, enum: [calm, stormy], description: What is felt. More of it. }
                frames.items: { description: Pictures in order., type: array, maxItems: 4, items: { type: string, format: binary } }
            examples:
              calm: { value: { prompt: A fox, moodofnine: calm } }
      responses:
        "200":
          $ref: "#/components/responses/VideoTaskCreated"
`;
  return yaml
    .replace("\n  /v1/video/infobytaskid:", `${operation.replace(from, to)}$&`)
    .replace(
      "\n  /v1/images/infobytaskid:",
      `\n${shownModel.replace("maximum: 4,", "maximum: 4, default: 2,")}$&`,
    );
}
