import { issueOf, type OptionTypes, readOptions } from "@mediagen/sdk/kit";
import {
  type GenerationStore,
  InvalidRequestError,
  type NodeMediaGenOptions,
} from "@mediagen/sdk/node";

/**
 * Options of `createMcpServerFactory`: those of `createMediaGen`, and what the tools may read and
 * write.
 */
export interface McpServerFactoryOptions extends NodeMediaGenOptions {
  /**
   * The store that records generations. With the store of other programs, a key stands for the same
   * task there.
   */
  readonly store: GenerationStore;
  /** The directory that results are saved in. It is created if needed. */
  readonly output: string;
  /**
   * Directories that source images may be read from, besides `output`. A model chooses the paths.
   * @default []
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * Whether the user is asked before each generation that is billed, and before tasks are deleted.
   * If the client cannot ask (it has no elicitation), the server rejects a deletion, and a
   * generation with `"required"`; with `true` it generates. Over HTTP, clients older than protocol
   * 2026-07-28 cannot ask. If you pass `true` for them, rely on the host's tool approval, and set
   * `maxResults`.
   * @default `"required"` over HTTP, otherwise `true`
   */
  readonly confirm?: boolean | "required" | undefined;
  /**
   * The maximum number of results that all connections request. Generations that are rejected or
   * never sent do not count.
   * @default Infinity
   */
  readonly maxResults?: number | undefined;
  /**
   * The longest time that `wait_for_task` takes, in milliseconds. Many clients time out after a
   * minute.
   * @default 45_000
   */
  readonly waitTimeoutMs?: number | undefined;
}

/** The options that are not the client's own. */
type OwnOptions = Omit<McpServerFactoryOptions, Exclude<keyof NodeMediaGenOptions, "store">>;

const ownOptions: OptionTypes<OwnOptions> = {
  store: "store",
  output: "text",
  allow: "texts",
  confirm: "any",
  maxResults: "number",
  waitTimeoutMs: "limit",
};

/** Returns the options of a factory apart from those of its client, which the client checks. */
export function splitOptions(
  options: McpServerFactoryOptions,
): readonly [OwnOptions, NodeMediaGenOptions] {
  const subject = "createMcpServerFactory";
  const { output, allow = [], confirm, maxResults, waitTimeoutMs, ...client } = options;
  const own = { store: client.store, output, allow, confirm, maxResults, waitTimeoutMs };
  readOptions<OwnOptions>(subject, own, ownOptions);
  const reject = (field: string, expected: string) =>
    new InvalidRequestError(subject, [issueOf(field, "invalid", `must be ${expected}`)]);
  if (own.store === undefined) throw reject("store", 'a store, such as fileStore("generations")');
  // An empty path would be the current directory.
  if (!output || allow.includes(""))
    throw reject(output ? "allow" : "output", "the path of a directory");
  if (![undefined, true, false, "required"].includes(confirm))
    throw reject("confirm", 'true, false or "required"');
  return [own, client];
}
