import { randomBytes } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/server";
import {
  type BeforeGenerate,
  createMediaGen,
  type Download,
  type MediaGen,
} from "@mediagen/sdk/node";
import { type McpServerFactoryOptions, splitOptions } from "./options.ts";

/** Dependencies that all tools of all connections share. */
export interface Host {
  readonly media: MediaGen;
  readonly beforeGenerate: BeforeGenerate | undefined;
  /** What a call does before its form is sent, by the form. */
  readonly beforeSending: WeakMap<object, BeforeGenerate>;
  /** The number of results that are left of `maxResults`. */
  readonly results: { left: number };
  readonly confirm: McpServerFactoryOptions["confirm"];
  /** The key that signs questions to the user. */
  readonly secret: Buffer;
  readonly waitTimeoutMs: number;
  /** The directories that source images may be in. Results are in the first one. */
  readonly directories: readonly [output: string, ...allow: string[]];
  /** Running downloads by task. If a call times out, the next one continues with its download. */
  readonly downloads: Map<string, Promise<readonly Download[]>>;
}

/**
 * Adds a tool to a server. Its schemas are made once, because over HTTP each request has a server
 * of its own.
 */
export type AddTool = (server: McpServer) => void;

/** Creates the client and the other shared dependencies of the tools. */
export function createHost(options: McpServerFactoryOptions): Host {
  const [own, { beforeGenerate, ...clientOptions }] = splitOptions(options);
  const { output, allow = [], confirm, waitTimeoutMs = 45_000, maxResults = Infinity } = own;
  const beforeSending = new WeakMap<object, BeforeGenerate>();
  return {
    media: createMediaGen({
      ...clientOptions,
      beforeGenerate: (form, about) => beforeSending.get(form)?.(form, about),
    }),
    beforeGenerate,
    beforeSending,
    results: { left: maxResults },
    directories: [output, ...allow],
    confirm,
    secret: randomBytes(32),
    // The longest delay of a timer.
    waitTimeoutMs: Math.min(waitTimeoutMs, 2 ** 31 - 1),
    downloads: new Map(),
  };
}
