import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../temporary-directory.ts";

const fox = { model: "imgmodelz", prompt: "A fox", idempotencyKey: "fox-1" };

test("the client before the present one generates, waits and is asked, over stdio", async () => {
  const client = new Client(
    { name: "a-host", version: "1.0.0" },
    { capabilities: { elicitation: {} } },
  );
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
    questions.push(message);
    return { action: "accept", content: {} };
  });
  const call = (name: string, args: object, onprogress?: () => void) =>
    client.callTool(
      { name, arguments: { ...args } },
      CallToolResultSchema,
      onprogress ? { onprogress } : {},
    );
  const emulator = createEmulator({ clock: { speed: 50 } });
  const { baseUrl, close } = await listen(emulator);
  onTestFinished(close);
  const output = await temporaryDirectory();
  const paths = ["--output", output, "--store", join(output, "store")];
  const args = [resolve("packages/mcp/bin.js"), ...paths, "--max-results", "1"];
  const env = { MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(6);
  const { structuredContent } = await call("generate_image", fox);
  const taskid = String(Object(structuredContent)["taskid"]);
  let reports = 0;
  expect(await call("wait_for_task", { taskid }, () => void reports++)).toMatchObject({
    structuredContent: { state: "succeeded", files: [{ path: join(output, `${taskid}-1.png`) }] },
    content: [{ type: "text" }, { type: "resource_link" }, { type: "image" }],
  });
  expect(reports).toBeGreaterThan(0);
  expect(await call("generate_image", fox)).toMatchObject({ structuredContent: { taskid } });
  for (const [wrong, says] of [
    [{ ...fox, idempotencyKey: "fox-2" }, /left: 0/],
    [{ ...fox, idempotencyKey: "fox-3", promt: "A fox" }, /Did you mean prompt/],
  ] as const) {
    const content = [{ text: expect.stringMatching(says) }];
    expect(await call("generate_image", wrong)).toMatchObject({ isError: true, content });
  }
  expect(await call("delete_tasks", { kind: "image", taskids: [taskid] })).not.toHaveProperty(
    "isError",
  );
  expect([questions.length, emulator.charges.length]).toEqual([2, 1]);
});
