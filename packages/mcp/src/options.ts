import type { GenerationStore, NodeMediaGenOptions } from "@mediagen/sdk/node";

/** Options of `createMcpServerFactory`: those of `createMediaGen`, and what the tools may read and write. */
export interface McpServerFactoryOptions extends NodeMediaGenOptions {
  /** The store that records generations. With the store of other programs, a key stands for the same task there. */
  readonly store: GenerationStore;
  /** The directory that results are saved in. It is created if needed. */
  readonly output: string;
  /**
   * Directories that source images may be read from, besides `output`. A model chooses the paths, so allow nothing that
   * it must not see.
   * @default []
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * Whether the user is asked before each generation that is billed. A client without elicitation cannot ask.
   * @default true
   */
  readonly confirm?: boolean | undefined;
  /**
   * The longest time that `wait_for_task` takes, in milliseconds. Many clients give up after a minute.
   * @default 45_000
   */
  readonly waitTimeoutMs?: number | undefined;
}
