import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServer,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { readOptions } from "@mediagen/sdk/kit";

/** Options of `createHttpHandler`. */
export interface HttpHandlerOptions {
  /**
   * The host names that requests may have in their headers Host and Origin. Any other one may be a
   * page that reaches this server by a name of its own (DNS rebinding).
   * @default ["localhost", "127.0.0.1", "[::1]"]
   */
  readonly hosts?: readonly string[] | undefined;
}

/**
 * Creates a handler of Streamable HTTP, for any server with web requests. It authenticates nobody:
 * check the user before you call it, unless only this machine can connect.
 *
 * @param factory What `createMcpServerFactory` returned.
 * @returns The handler. It rejects other hosts than `hosts` with HTTP 403.
 * @throws An `InvalidRequestError` if an option is not valid
 * @example
 * const factory = createMcpServerFactory({ store: fileStore("generations"), output: "media" });
 * const handler = createHttpHandler(factory, { hosts: ["media.example"] });
 * const response = await handler(new Request("https://media.example/mcp"));
 */
export function createHttpHandler(
  factory: () => McpServer,
  options: HttpHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const given = readOptions<HttpHandlerOptions>("createHttpHandler", options, { hosts: "texts" });
  const hosts = [...(given.hosts ?? localhostAllowedHostnames())];
  const { fetch } = createMcpHandler(factory);
  return async (request) =>
    hostHeaderValidationResponse(request, hosts) ??
    originValidationResponse(request, hosts) ??
    fetch(request);
}
