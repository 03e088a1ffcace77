import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator, type EmulatorOptions } from "@mediagen/emulator";
import { createMcpServerFactory, type McpServerFactoryOptions } from "@mediagen/mcp";
import { fileStore } from "@mediagen/sdk/node";
import { type CallToolResult, Client, type ClientCapabilities, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** The versions of the protocol: the present one, and those before it. */
export const eras = ["auto", "legacy"] as const;

/** A client in a host. */
export interface HostOptions {
  /** The versions of the protocol that it speaks. */
  readonly era?: (typeof eras)[number];
  /** What its user does when a server asks. Without it, the client cannot ask. */
  readonly answer?: "accept" | "decline" | "cancel";
}

/** A host that is connected to a server, on the emulator. */
export interface Connected extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly client: Client;
  /** The directory of the server. Its store is in `generations`, and its results are in `media`. */
  readonly directory: string;
  /** What the user was asked. */
  readonly questions: readonly string[];
  /** Calls a tool. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
}

/** Connects a host to a server of its own. */
export async function connect(
  options: Partial<McpServerFactoryOptions> = {},
  { era = "auto", answer }: HostOptions = {},
  emulatorOptions: EmulatorOptions = {},
): Promise<Connected> {
  // A directory whose name has no links, as the server resolves them.
  const directory = await realpath(await mkdtemp(join(tmpdir(), "mediagen-mcp-")));
  const emulator = createEmulator(emulatorOptions);
  const factory = createMcpServerFactory({
    ...emulator.client,
    store: fileStore(join(directory, "generations")),
    output: join(directory, "media"),
    ...options,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveStdio(factory, { transport: far });
  const questions: string[] = [];
  const client = createClient(era, answer, questions);
  await client.connect(near);
  return {
    emulator,
    client,
    directory,
    questions,
    call: (name, args = {}) => client.callTool({ name, arguments: { ...args } }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates the client of a host, whose user answers questions, if there is one. */
export function createClient(era: "auto" | "legacy", answer: HostOptions["answer"], questions: string[]): Client {
  const capabilities: ClientCapabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "a-host", version: "1.0.0" }, { capabilities, versionNegotiation: { mode: era } });
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
