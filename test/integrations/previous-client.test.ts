import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { memoryStore } from "@mediagen/sdk";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";

const fox = { model: "imgmodelz", prompt: "A fox", idempotencyKey: "fox-1" };

/** A host of before 2026-07-28, whose user answers each question alike. */
function createHost(action: "accept" | "decline") {
  const client = new Client({ name: "a-host", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
    questions.push(message);
    return { action, content: {} };
  });
  const call = (name: string, args: object, onprogress?: () => void) =>
    client.callTool({ name, arguments: { ...args } }, CallToolResultSchema, onprogress ? { onprogress } : {});
  return { client, questions, call };
}

test("the client before the present one generates, waits and is asked, over stdio", async () => {
  const emulator = createEmulator({ clock: { speed: 50 } });
  const service = await listen(emulator);
  const directory = await mkdtemp(join(tmpdir(), "mediagen-mcp-"));
  const { client, questions, call } = createHost("accept");
  try {
    const args = [
      resolve("packages/mcp/bin.js"),
      "--output",
      directory,
      "--store",
      join(directory, "store"),
      "--max-results",
      "1",
    ];
    const env = { MEDIAGEN_BASE_URL: service.baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    expect((await client.listTools()).tools).toHaveLength(6);
    const { structuredContent } = await call("generate_image", fox);
    const taskid = String(Object(structuredContent)["taskid"]);
    let reports = 0;
    expect(await call("wait_for_task", { taskid }, () => void reports++)).toMatchObject({
      structuredContent: { state: "succeeded", files: [{ path: join(directory, `${taskid}-1.png`) }] },
      content: [{ type: "text" }, { type: "resource_link" }, { type: "image" }],
    });
    expect(reports).toBeGreaterThan(0);
    expect(await call("generate_image", fox)).toMatchObject({ structuredContent: { taskid } });
    for (const [wrong, message] of [
      [{ ...fox, idempotencyKey: "fox-2" }, /left: 0/],
      [{ ...fox, idempotencyKey: "fox-3", promt: "A fox" }, /Did you mean prompt/],
    ] as const) {
      const result = await call("generate_image", wrong);
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(message) }] });
    }
    expect(await call("delete_tasks", { kind: "image", taskids: [taskid] })).not.toHaveProperty("isError");
    expect([questions.length, emulator.charges.length]).toEqual([2, 1]);
  } finally {
    await client.close();
    await service.close();
    await rm(directory, { recursive: true });
  }
});

test("and without being asked, over HTTP with confirm: true", async () => {
  const emulator = createEmulator();
  const handler = createHttpHandler(
    createMcpServerFactory({ ...emulator.client, store: memoryStore(), output: "out/mcp", confirm: true }),
  );
  const { client, call } = createHost("accept");
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(url).host);
    return handler(new Request(url, { ...init, headers }));
  };
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost:3333/mcp"), { fetch });
  await client.connect(transport);
  expect((await client.listTools()).tools).toHaveLength(6);
  for (const _ of [1, 2])
    expect(await call("generate_image", fox)).toHaveProperty("structuredContent.state", "pending");
  expect(emulator.charges).toHaveLength(1);
  await client.close();
});

test("a user who declines pays nothing", async () => {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { client, call } = createHost("decline");
  try {
    const args = [resolve("packages/mcp/bin.js"), "--output", "out/mcp", "--store", "out/mcp/store"];
    const env = { MEDIAGEN_BASE_URL: service.baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    expect(await call("generate_image", { ...fox, idempotencyKey: `fox-${Date.now()}` })).toMatchObject({
      isError: true,
    });
    expect(emulator.calls).toEqual([]);
  } finally {
    await client.close();
    await service.close();
  }
});
