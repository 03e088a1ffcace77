import { createEmulator } from "@mediagen/emulator";
import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { memoryStore } from "@mediagen/sdk";
import { expect, test } from "vitest";
import { send } from "./connect.ts";

/** A server on the emulator, as any HTTP server would call it. */
function createServer(hosts?: readonly string[]) {
  const emulator = createEmulator();
  const factory = createMcpServerFactory({
    ...emulator.client,
    store: memoryStore(),
    output: "out/mcp",
  });
  return { emulator, handler: createHttpHandler(factory, { hosts }) };
}

test.for<[number, string, Readonly<Record<string, string>>, (readonly string[])?]>([
  [200, "http://localhost:3333/mcp", {}],
  [200, "http://127.0.0.1:3333/mcp", { origin: "http://localhost:8080" }],
  [403, "http://attacker.example:3333/mcp", {}],
  [403, "http://localhost:3333/mcp", { origin: "https://attacker.example" }],
  [200, "https://media.example/mcp", {}, ["media.example"]],
  [403, "http://localhost:3333/mcp", {}, ["media.example"]],
])("HTTP %i for %s with %j", async ([status, url, headers, hosts]) => {
  const { handler, emulator } = createServer(hosts);
  const params = { name: "list_models", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const json = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const response = await send(handler, url, {
    method: "POST",
    headers: { ...json, ...headers },
    body,
  });
  expect(response.status).toBe(status);
  expect((await response.text()).includes("vidmodelv2")).toBe(status === 200);
  expect(emulator.calls).toEqual([]);
});
