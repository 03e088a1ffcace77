import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** The name of the question in requests and responses. */
const name = "confirm";

/** Returns the question or the error that a call must return instead of its result. Undefined if it is confirmed. */
export function unlessConfirmed(
  question: string,
  server: McpServer,
  context: ServerContext,
  confirm: boolean | "required",
): CallToolResult | InputRequiredResult | undefined {
  const answer = inputResponse(context.mcpReq.inputResponses, name);
  if (answer.kind === "elicit" && answer.action !== "accept") {
    return failure("The user declined. Nothing was sent or billed.");
  }
  if (answer.kind === "elicit" || confirm === false) return undefined;
  if (canAsk(server, context)) return ask(question);
  if (confirm !== "required") return undefined;
  return failure("The user must confirm this, and this client cannot ask. Nothing was sent or billed. Tell the user.");
}

/** Whether the client shows forms to its user. An empty capability means that it does. */
function canAsk({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  // Since protocol 2026-07-28, each request has the capabilities; before, only the handshake. The cast: the types lack the key.
  const envelope = mcpReq.envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && ("form" in elicitation || !("url" in elicitation));
}

function ask(message: string): InputRequiredResult {
  // Without fields: accepting the form confirms the call.
  const requestedSchema = { type: "object" as const, properties: {} };
  return inputRequired({ inputRequests: { [name]: inputRequired.elicit({ message, requestedSchema }) } });
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
