import { createHttpHandler, createMcpServerFactory } from "@mediagen/mcp";
import { fileStore } from "@mediagen/sdk/node";

const factory = createMcpServerFactory({
  store: fileStore("generations"),
  output: "media",
  maxResults: 100, // of all connections together, until the program ends
});
const handler = createHttpHandler(factory, {
  hosts: ["localhost", "127.0.0.1", "media.example.com"],
});

// Only this machine can connect.
export default { hostname: "127.0.0.1", fetch: handler };
