import type { Incoming } from "./exchange.ts";

/** What the emulator saw of one call. */
export interface CallEntry {
  /** When, in milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the address. */
  readonly path: string;
  /** The operation's id, or `download`; undefined where the path is none. */
  readonly operation: string | undefined;
  /** What was wrong with the request; each names the field and the bound. */
  readonly violations: readonly string[];
  /** The HTTP status; undefined where no answer was sent. */
  readonly status: number | undefined;
  /** The envelope's code. */
  readonly code: number | undefined;
  /** The fault that hit it. */
  readonly fault: string | undefined;
  /** The task that it created. */
  readonly created: string | undefined;
}

/** A call while it is served. */
export type OpenCall = { -readonly [Key in keyof CallEntry]: CallEntry[Key] };

/** The latest calls. */
export interface Calls {
  open(at: number, incoming: Incoming): OpenCall;
  list(): readonly CallEntry[];
  clear(): void;
}

/** Creates an empty log that keeps so many calls. */
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
      // Cut rarely, so that a call costs the same whatever is kept.
      if (entries.length > 2 * kept + 100) entries = entries.slice(entries.length - kept);
      return entry;
    },
    list: () => entries.slice(Math.max(0, entries.length - kept)),
    clear: () => void (entries = []),
  };
}
