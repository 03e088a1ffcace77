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

/** Starts the command for a host. */
async function startFor({ client }: ReturnType<typeof createHost>, ...options: readonly string[]) {
  const emulator = createEmulator({ clock: { speed: 50 } });
  const { baseUrl, close } = await listen(emulator);
  const output = await mkdtemp(join(tmpdir(), "mediagen-mcp-"));
  const args = [resolve("packages/mcp/bin.js"), "--output", output, "--store", join(output, "store"), ...options];
  const env = { MEDIAGEN_BASE_URL: baseUrl, MEDIAGEN_API_KEY: emulator.client.apiKey };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  const dispose = async () => {
    await client.close();
    await close();
    await rm(output, { recursive: true });
  };
  return { emulator, output, [Symbol.asyncDispose]: dispose };
}

test("the client before the present one generates, waits and is asked, over stdio", async () => {
  const host = createHost("accept");
  const { client, questions, call } = host;
  await using server = await startFor(host, "--max-results", "1");
  expect((await client.listTools()).tools).toHaveLength(6);
  const { structuredContent } = await call("generate_image", fox);
  const taskid = String(Object(structuredContent)["taskid"]);
  let reports = 0;
  expect(await call("wait_for_task", { taskid }, () => void reports++)).toMatchObject({
    structuredContent: { state: "succeeded", files: [{ path: join(server.output, `${taskid}-1.png`) }] },
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
  expect(await call("delete_tasks", { kind: "image", taskids: [taskid] })).not.toHaveProperty("isError");
  expect([questions.length, server.emulator.charges.length]).toEqual([2, 1]);
});

test("a user who declines pays nothing", async () => {
  const host = createHost("decline");
  await using server = await startFor(host);
  expect(await host.call("generate_image", fox)).toMatchObject({ isError: true });
  expect(server.emulator.calls).toEqual([]);
});

test("without being asked, it generates over HTTP with confirm: true", async () => {
  const emulator = createEmulator();
  const store = memoryStore();
  const factory = createMcpServerFactory({ ...emulator.client, store, output: "out/mcp", confirm: true });
  const handler = createHttpHandler(factory);
  const { client, call } = createHost("accept");
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(url).host);
    return handler(new Request(url, { ...init, headers }));
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost:3333/mcp"), { fetch }));
  expect((await client.listTools()).tools).toHaveLength(6);
  for (const _ of [1, 2]) expect(await call("generate_image", fox)).toMatchObject({ structuredContent: {} });
  expect(emulator.charges).toHaveLength(1);
  await client.close();
});
