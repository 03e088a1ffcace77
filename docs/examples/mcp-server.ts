import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { fileStore } from "@mediagen/sdk/node";

const factory = createMcpServerFactory({
  store: fileStore("generations"),
  output: "media",
  budget: { results: 100 }, // all users together, until the program ends
});
const handler = createHttpHandler(factory, { hosts: ["localhost", "media.example.com"] });

// Deno and Bun serve this. On Node, pass `handler` to @hono/node-server: serve({ fetch: handler, hostname: "127.0.0.1" }).
export default { fetch: handler };
