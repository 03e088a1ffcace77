import { randomBytes } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import { type BeforeGenerate, createMediaGen, type Download, type NodeMediaGen } from "@mediagen/sdk/node";
import { checkFactoryOptions, type McpServerFactoryOptions } from "./options.ts";

/** Dependencies that all tools of all connections share. */
export interface Host {
  readonly media: NodeMediaGen;
  readonly beforeGenerate: BeforeGenerate | undefined;
  readonly confirm: McpServerFactoryOptions["confirm"];
  /** The key that signs questions to the user. */
  readonly secret: Buffer;
  readonly waitTimeoutMs: number;
  /** The directories that source images may be in. Results are in the first one. */
  readonly directories: readonly [output: string, ...allow: string[]];
  /** Running downloads by task. If a call times out, the next one continues with its download. */
  readonly downloads: Map<string, Promise<readonly Download[]>>;
}

/** Adds a tool to a server. Its schemas are made once, because over HTTP each request has a server of its own. */
export type AddTool = (server: McpServer) => void;

/** Logs to stderr, because stdout is for the protocol. */
const log = (line: string) => console.error(line);
const logger = { error: log, warn: log, info: log, debug: log };

/** Creates the client and the other shared dependencies of the tools. */
export function createHost(options: McpServerFactoryOptions): Host {
  checkFactoryOptions(options);
  const { output, allow = [], confirm, waitTimeoutMs = 45_000, ...clientOptions } = options;
  return {
    media: createMediaGen({ logger, ...clientOptions }),
    beforeGenerate: options.beforeGenerate,
    directories: [output, ...allow],
    confirm,
    secret: randomBytes(32),
    waitTimeoutMs,
    downloads: new Map(),
  };
}
