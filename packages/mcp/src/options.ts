import { type GenerationStore, InvalidRequestError, type Issue, type NodeMediaGenOptions } from "@mediagen/sdk/node";

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
   * Whether the user is asked before each generation that is billed, and before tasks are deleted. If the client cannot
   * ask (it has no elicitation), the server rejects the call with `"required"`, and continues without asking with `true`.
   * Over HTTP, clients older than protocol 2026-07-28 cannot ask. If you pass `true` for them, rely on the host's tool
   * approval, and set a `budget`.
   * @default `"required"` over HTTP, otherwise `true`
   */
  readonly confirm?: boolean | "required" | undefined;
  /**
   * The longest time that `wait_for_task` takes, in milliseconds. Many clients time out after a minute.
   * @default 45_000
   */
  readonly waitTimeoutMs?: number | undefined;
}

/** Rejects options that are not valid. The client rejects unknown ones, and those of its own. */
export function checkFactoryOptions(options: McpServerFactoryOptions): void {
  // The cast: a caller without types may pass nothing.
  const { store, output, allow, confirm, waitTimeoutMs } = (options ?? {}) as Partial<McpServerFactoryOptions>;
  const longest = 2 ** 31 - 1; // of a timer
  const isTimeout = typeof waitTimeoutMs === "number" && waitTimeoutMs >= 1 && waitTimeoutMs <= longest;
  rejectOptions("createMcpServerFactory", [
    ...issuesOf("store", store, store !== undefined, 'a store, such as fileStore("generations")'),
    ...issuesOf("output", output, typeof output === "string" && output !== "", "the path of a directory"),
    ...listIssues("allow", allow, "a list of paths"),
    ...issuesOf(
      "confirm",
      confirm,
      [undefined, true, false, "required"].includes(confirm),
      'true, false or "required"',
    ),
    ...issuesOf(
      "waitTimeoutMs",
      waitTimeoutMs,
      waitTimeoutMs === undefined || isTimeout,
      `milliseconds from 1 to ${longest}`,
    ),
  ]);
}

/** Rejects the options of a function, if there are issues. */
export function rejectOptions(subject: string, issues: readonly Issue[]): void {
  if (issues.length > 0) throw new InvalidRequestError(subject, issues);
}

/** Returns the issues of an optional list of strings. A string is not a list: its characters, such as "/", would be items. */
export function listIssues(field: string, value: unknown, expected: string): readonly Issue[] {
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "");
  return issuesOf(field, value, value === undefined || isList, expected);
}

function issuesOf(field: string, value: unknown, isValid: boolean, expected: string): readonly Issue[] {
  if (isValid) return [];
  const code = value === undefined ? "missing" : "wrongType";
  return [{ field, code, received: JSON.stringify(value) ?? "nothing", expected }];
}
