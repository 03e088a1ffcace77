export { createHttpHandler, type HttpHandlerOptions } from "./http-handler.ts";
export type { McpServerFactoryOptions } from "./options.ts";
export { createMcpServerFactory } from "./server.ts";
