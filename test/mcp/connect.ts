import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createEmulator, type EmulatorOptions } from "@mediagen/emulator";
import {
  createHttpHandler,
  createMcpServerFactory,
  type McpServerFactoryOptions,
} from "@mediagen/mcp";
import { fileStore } from "@mediagen/sdk/node";
import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { temporaryDirectory } from "../temporary-directory.ts";

/** The versions of the protocol: the present one, and those before it. */
export const eras = ["auto", "legacy"] as const;

/** A client in a host. */
export interface HostOptions {
  /** The versions of the protocol that it speaks. */
  readonly era?: (typeof eras)[number];
  /** What its user does when a server asks. Without it, the client cannot ask. */
  readonly answer?: "accept" | "decline" | "cancel";
  /** How it reaches the server: as a host that has started it, or over HTTP. */
  readonly over?: "stdio" | "http";
}

export type Connected = Awaited<ReturnType<typeof connect>>;

/**
 * Connects a host to a server of its own, on an emulator. Its store is in `generations`, its
 * results in `media.v1`: with a dot.
 */
export async function connect(
  options: Partial<McpServerFactoryOptions> = {},
  { era = "auto", answer, over = "stdio" }: HostOptions = {},
  emulatorOptions: EmulatorOptions = {},
) {
  // A directory whose name has no links, as the server resolves them.
  const directory = await realpath(await temporaryDirectory());
  const emulator = createEmulator(emulatorOptions);
  const store = fileStore(join(directory, "generations"));
  const output = join(directory, "media.v1");
  const factory = createMcpServerFactory({ ...emulator.client, store, output, ...options });
  const questions: string[] = [];
  const client = createClient(era, answer, questions);
  const close = await connectTo(client, factory, over);
  return {
    emulator,
    client,
    store,
    directory,
    /** What the user was asked. */
    questions,
    call: (name: string, args: object = {}) => client.callTool({ name, arguments: { ...args } }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await close();
    },
  };
}

/** Connects a client to a factory. Returns what closes the server. */
async function connectTo(
  client: Client,
  factory: () => McpServer,
  over: string,
): Promise<() => Promise<void>> {
  if (over === "http") {
    const handler = createHttpHandler(factory);
    const fetch = async (url: string | URL, init: RequestInit = {}) => send(handler, url, init);
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://localhost:3333/mcp"), { fetch }),
    );
    return async () => undefined;
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveStdio(factory, { transport: far });
  await client.connect(near);
  return () => server.close();
}

/** Sends a request as the server of a host receives it. */
export function send(
  handler: (request: Request) => Promise<Response>,
  url: string | URL,
  init: RequestInit = {},
) {
  const headers = new Headers(init.headers);
  headers.set("host", new URL(url).host);
  return handler(new Request(url, { ...init, headers }));
}

/** Creates the client of a host, whose user answers questions, if there is one. */
export function createClient(
  era: "auto" | "legacy",
  answer: HostOptions["answer"],
  questions: string[],
): Client {
  const capabilities: ClientCapabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "a-host", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: era } },
  );
  if (answer) {
    client.setRequestHandler("elicitation/create", ({ params: { message } }) => {
      questions.push(message);
      return { action: answer, ...(answer === "accept" ? { content: {} } : {}) };
    });
  }
  return client;
}

/** Returns the text of a tool's result. */
export function textOf({ content }: CallToolResult): string {
  return content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");
}
