import { expect, test, vi } from "vitest";

test("the MCP server of the guide serves the host names that it lists, and no others", async () => {
  vi.stubEnv("MEDIAGEN_BASE_URL", "http://emulator.localhost");
  const { default: server } = await import("../../docs/examples/mcp-server.ts");
  const statusFor = async (host: string) => {
    const headers = {
      host,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    return (await server.fetch(new Request(`https://${host}/`, { method: "POST", headers, body })))
      .status;
  };
  expect(await statusFor("media.example.com")).toBe(200);
  expect(await statusFor("attacker.example")).toBe(403);
});
