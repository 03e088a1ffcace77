import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ended, followChild, ownEnvironment } from "../child.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { createClient, textOf } from "./connect.ts";

const server = resolve("packages/mcp/bin.js");
const mediagen = resolve("packages/cli/bin.js");

/** Runs a program to its end. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    env: { ...ownEnvironment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return followChild(child).ended;
}

describe("mediagen-mcp", () => {
  const env = { MEDIAGEN_BASE_URL: "http://localhost", MEDIAGEN_API_KEY: "k" };
  test.for<[string[], Readonly<Record<string, string>>, RegExp]>([
    [[], env, /^mediagen-mcp: --output is missing\. Pass the directory/],
    [
      ["--output", "out", "--max-results", "many"],
      env,
      /^mediagen-mcp: .*maxResults must be a number/,
    ],
    [["--output", "out"], {}, /^mediagen-mcp: MEDIAGEN_BASE_URL is missing.*host's configuration/],
  ])("%j ends with a message on stderr", async ([args, env, message]) => {
    expect(await run([server, ...args], env)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("has the options that registries read in server.json", async () => {
    const help = await run([server, "--help"]);
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("--output DIR"),
      stderr: "",
    });
    const read = (name: string) => readFile(`packages/mcp/${name}`, "utf8");
    const manifest = await read("package.json");
    const text = await read("server.json");
    const {
      name: identifier,
      version,
      mcpName: name,
    } = JSON.parse(manifest) as Readonly<Record<string, string>>;
    expect(JSON.parse(text)).toMatchObject({ name, version, packages: [{ identifier, version }] });
    for (const [, option = ""] of text.matchAll(/"name": "(--.+|MEDIAGEN.+)"/g))
      expect(help.stdout).toContain(option);
  });
});

test("with one store, one key is billed once by an MCP server, the command, the AI SDK and a program at once", async () => {
  const emulator = createEmulator({ clock: { speed: 50 } });
  const service = await listen(emulator);
  onTestFinished(() => service.close());
  const directory = await temporaryDirectory();
  const store = join(directory, "store");
  const output = join(directory, "media");
  const env = {
    ...ownEnvironment,
    MEDIAGEN_BASE_URL: service.baseUrl,
    MEDIAGEN_API_KEY: emulator.client.apiKey,
  };
  const start = `
    import { createMediaGenProvider } from "@mediagen/ai-sdk-provider";
    import { createMediaGen, fileStore } from "@mediagen/sdk/node";
    import { generateImage } from "ai";
    const media = createMediaGen({ store: fileStore(${JSON.stringify(store)}) });`;
  const program = `${start}
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "fox-1" });
    console.log(task.taskid);`;
  const aiSdkProgram = `${start}
    const call = { model: createMediaGenProvider({ media }).image("imgmodelz"), prompt: "A fox" };
    const { providerMetadata } = await generateImage({ ...call, headers: { "Idempotency-Key": "fox-1" } });
    console.log(providerMetadata.mediagen.images[0].taskid);`;
  const line = `-m imgmodelz --idempotency-key fox-1 -o ${output} --json -q --store ${store}`.split(
    " ",
  );
  const client = createClient("auto", undefined, []);
  const args = [server, "--output", output, "--store", store];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" }),
  );
  onTestFinished(() => client.close());
  const fox = { model: "imgmodelz", prompt: "A fox", idempotencyKey: "fox-1" };
  const [ofTool, ofCommand, ...ofPrograms] = await Promise.all([
    client.callTool({ name: "generate_image", arguments: fox }),
    run([mediagen, "image", "A fox", ...line], env),
    run(["--input-type=module", "-e", program], env),
    run(["--input-type=module", "-e", aiSdkProgram], env),
  ]);
  const { taskid } = emulator.tasks[0] ?? {};
  const ended = { code: 0, stdout: `${taskid}\n`, stderr: "" };
  const command = { code: 0, stdout: expect.stringContaining(`"${taskid}"`), stderr: "" };
  const tool = JSON.stringify({ taskid, model: "imgmodelz", state: "pending" });
  expect([textOf(ofTool), ofCommand, ...ofPrograms]).toEqual([tool, command, ended, ended]);
  expect(emulator.charges).toHaveLength(1);
  await client.callTool({ name: "wait_for_task", arguments: { taskid } });
  expect(await readdir(output)).toEqual([`${taskid}-1.png`]);
});
