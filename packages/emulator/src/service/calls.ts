import type { EmulatorRequest } from "./exchange.ts";

/** One call that the emulator received. */
export interface CallEntry {
  /** The time on the emulator's clock, in milliseconds since 1970. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the URL. */
  readonly path: string;
  /** The operation's id, or `download`; undefined if the path is unknown. */
  readonly operation: string | undefined;
  /** The mistakes in the request; each entry names the field and the bound. */
  readonly violations: readonly string[];
  /** The HTTP status; undefined if no response was sent. */
  readonly status: number | undefined;
  /** The envelope's code. */
  readonly code: number | undefined;
  /** The fault that the call met. */
  readonly fault: string | undefined;
  /** The id of the task that the call created. */
  readonly created: string | undefined;
}

/** A call that is being served. */
export type OpenCall = { -readonly [Key in keyof CallEntry]: CallEntry[Key] };

/** The latest calls. */
export interface Calls {
  open(at: number, request: EmulatorRequest): OpenCall;
  list(): readonly CallEntry[];
  clear(): void;
}

/** Creates an empty log that keeps the latest calls, as many as `kept`. */
export function createCalls(kept: number): Calls {
  let entries: CallEntry[] = [];
  return {
    open(at, { method, url }) {
      const entry = {
        at,
        method,
        path: url.pathname,
        operation: undefined,
        violations: [],
        status: undefined,
        code: undefined,
        fault: undefined,
        created: undefined,
      };
      entries.push(entry);
      // Trimmed rarely, so that the cost of a call does not depend on how many are kept.
      if (entries.length > 2 * kept + 100) entries = entries.slice(entries.length - kept);
      return entry;
    },
    list: () => entries.slice(Math.max(0, entries.length - kept)),
    clear: () => void (entries = []),
  };
}
