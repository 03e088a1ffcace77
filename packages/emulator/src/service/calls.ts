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

/** A log of the latest calls, with counts of all calls. */
export interface Calls {
  open(at: number, request: EmulatorRequest, operation: string | undefined): OpenCall;
  /** Adds violations to a call. */
  blame(call: OpenCall, violations: readonly string[]): void;
  list(): readonly CallEntry[];
  /** Returns the latest calls with violations, which may no longer be among the latest calls. */
  blamed(): readonly CallEntry[];
  /** Returns the number of calls by operation, and of those with violations. */
  count(): { readonly calls: Readonly<Record<string, number>>; readonly blamed: number };
  clear(): void;
}

/** Creates an empty log that keeps the latest calls. */
export function createCalls(kept: number): Calls {
  const all = createLatest<OpenCall>(kept);
  const blamed = createLatest<OpenCall>(kept);
  let counts = new Map<string, number>();
  let blamedInAll = 0;
  return {
    open(at, { method, url }, operation) {
      const entry = {
        at,
        method,
        path: url.pathname,
        operation,
        violations: [],
        status: undefined,
        code: undefined,
        fault: undefined,
        created: undefined,
      };
      all.add(entry);
      const name = operation ?? "unknown path";
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return entry;
    },
    blame(call, violations) {
      if (violations.length === 0) return;
      if (call.violations.length === 0) {
        blamed.add(call);
        blamedInAll++;
      }
      call.violations = [...call.violations, ...violations];
    },
    list: all.list,
    blamed: blamed.list,
    count: () => ({ calls: Object.fromEntries(counts), blamed: blamedInAll }),
    clear() {
      all.clear();
      blamed.clear();
      counts = new Map();
      blamedInAll = 0;
    },
  };
}

/** Returns a list that keeps its latest entries. */
function createLatest<Entry>(kept: number) {
  let entries: Entry[] = [];
  return {
    add(entry: Entry) {
      entries.push(entry);
      // Trimmed rarely, so that the cost of a call is small.
      if (entries.length > 2 * kept + 100) entries = entries.slice(entries.length - kept);
    },
    list: () => entries.slice(Math.max(0, entries.length - kept)),
    clear: () => void (entries = []),
  };
}
