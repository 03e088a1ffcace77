import { McpServer } from "@modelcontextprotocol/server";
import { generateTool } from "./generate-tool.ts";
import { createHost } from "./host.ts";
import type { McpServerFactoryOptions } from "./options.ts";
import { deleteTool, listTool, modelTool, waitTool } from "./free-tools.ts";

declare const MEDIAGEN_VERSION: string | undefined;

const instructions =
  "Generating costs credits and cannot be undone. Generate, then call wait_for_task until its state is succeeded. " +
  "If the outcome of a generation is unknown, tell the user and do not generate it again.";

/**
 * Creates a factory of MCP servers, for `serveStdio` and `createMcpHandler` of
 * `@modelcontextprotocol/server`. All servers of a factory share one client, so its limits apply to
 * all connections. They share its store and output directory too, so one factory is one trust
 * domain: use one factory, store and output directory per user.
 *
 * @returns The factory. Each call creates the server of one connection or request.
 * @throws An `InvalidRequestError` if an option is not valid
 * @example
 * const store = fileStore("generations");
 * serveStdio(createMcpServerFactory({ store, output: "media", maxResults: 20 }));
 */
export function createMcpServerFactory(options: McpServerFactoryOptions): () => McpServer {
  const host = createHost(options);
  const version = typeof MEDIAGEN_VERSION === "undefined" ? "0.0.0" : MEDIAGEN_VERSION;
  const tools = [
    generateTool("video", host),
    generateTool("image", host),
    waitTool(host),
    listTool(host),
    deleteTool(host),
    modelTool(),
  ];
  return () => {
    const server = new McpServer({ name: "mediagen", version }, { instructions });
    for (const add of tools) add(server);
    return server;
  };
}
