import { createHmac, timingSafeEqual } from "node:crypto";
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
import type { Host } from "./host.ts";

/** The name of the question in requests and responses. */
const name = "confirm";

/** Maximum number of characters of a value in a question. */
const mostCharacters = 200;

/** A call of a tool, with its arguments. */
export interface Call {
  readonly tool: string;
  readonly given: object;
  readonly server: McpServer;
  readonly context: ServerContext;
}

/**
 * Returns what a call must return instead of its result: a question to the user, or an error.
 * Undefined if it is confirmed.
 */
export function unlessConfirmed(
  question: string,
  { tool, given, server, context }: Call,
  { confirm = context.http ? "required" : true, secret }: Host,
): CallToolResult | InputRequiredResult | undefined {
  if (confirm === false) return undefined;
  const hash = (text: string) => createHmac("sha256", secret).update(text).digest();
  // The client returns it with the answer. An answer without it is forged, or was given to another
  // question.
  const state = hash(JSON.stringify([tool, Object.entries(given).sort()])).toString("base64url");
  const answer = inputResponse(context.mcpReq.inputResponses, name);
  // timingSafeEqual needs equal lengths, which hashes have.
  if (
    answer.kind === "elicit" &&
    timingSafeEqual(hash(state), hash(String(context.mcpReq.requestState())))
  ) {
    return answer.action === "accept"
      ? undefined
      : failure("The user declined. Nothing was sent or billed.");
  }
  if (canAsk(server, context)) return ask(question, state);
  if (confirm !== "required") return undefined;
  return failure(
    "The user must confirm this, and this client cannot ask. Nothing was sent or billed. Tell the user.",
  );
}

/**
 * Shortens a text for a question. Escapes characters that hide or reorder others, and line breaks.
 */
export function shown(text: string): string {
  const escape = (one: string) => `\\u{${one.codePointAt(0)?.toString(16)}}`;
  const start = text.slice(0, mostCharacters).replace(/[\p{C}\p{DI}\p{Zl}\p{Zp}]/gu, escape);
  return (
    start +
    (text.length > mostCharacters ? `... (${text.length - mostCharacters} more characters)` : "")
  );
}

/** Whether the client shows forms to its user. An empty capability means that it does. */
function canAsk({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  // Since protocol 2026-07-28, each request has the capabilities; before, only the handshake. The
  // cast: the types lack the key.
  const envelope = mcpReq.envelope as
    | { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
    | undefined;
  const { elicitation } =
    envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && ("form" in elicitation || !("url" in elicitation));
}

function ask(message: string, requestState: string): InputRequiredResult {
  // Without fields: accepting the form confirms the call.
  const requestedSchema = { type: "object" as const, properties: {} };
  return inputRequired({
    inputRequests: { [name]: inputRequired.elicit({ message, requestedSchema }) },
    requestState,
  });
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
