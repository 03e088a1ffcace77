import type { Entry, Logger } from "./logger.ts";
import type { Issue } from "./issue.ts";

/** Functions that format lines. They are passed in, because bundlers would make a separate file of imports shared with other code. */
interface Words {
  readonly messageOf: (error: unknown) => string;
  readonly adviceOn: (status: number) => string;
}

/** Fields that errors of some classes have. */
interface Detailed extends Error {
  readonly status?: unknown;
  readonly code?: unknown;
  readonly issues?: readonly Issue[];
}

/** Writes the line of an entry. */
export function writeLine(logger: Logger, level: keyof Logger, entry: Entry, words: Words): void {
  const result: unknown = logger[level](textOf(entry, words));
  // It may be async all the same, and a rejection that nobody handles ends the process.
  if (result instanceof Promise) result.catch(() => undefined);
}

/** Returns the line of an entry: the event's type, then its fields. None of them has a prompt. */
function textOf(entry: Entry, { messageOf, adviceOn }: Words): string {
  if (!entry.event) {
    // The listener's event, and so its error, may contain anything.
    const error = entry.error instanceof Error ? entry.error.name : typeof entry.error;
    return `mediagen: ${entry.listener} threw${fieldsOf({ error })}`;
  }
  const { event } = entry;
  if (event.type === "taskMayHaveFailed") {
    const { taskid, status } = event;
    const otherwise = "If it means that the task is still running, add it to statuses.pending.";
    // Without the record's message, which may repeat the prompt.
    return `mediagen: ${event.type}: The record of task ${taskid} has status ${status}. ${adviceOn(status)} ${otherwise}`;
  }
  const { type, ...fields } = event;
  const error = "error" in event ? factsOf(event.error, type !== "failed", messageOf) : undefined;
  // Loggers know the time themselves.
  return `mediagen: ${type}${fieldsOf({ ...fields, at: undefined, ...error })}`;
}

function fieldsOf(fields: object): string {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return known.map(([name, value]) => ` ${name}=${valueOf(value)}`).join("");
}

/** Returns a value on one line, in quotes if it would not be read as one. */
function valueOf(value: unknown): string {
  return typeof value === "string" && /^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value);
}

/**
 * Returns the facts of an error that are logged. Its text is one of them only for errors of the network or a store: others may
 * contain a prompt, and are thrown to the caller.
 */
function factsOf(error: unknown, isInner: boolean, messageOf: Words["messageOf"]): object {
  if (!(error instanceof Error)) return { error: error === undefined ? undefined : typeof error };
  // The cast: each class has only some of these fields.
  const { name, status, code, issues } = error as Detailed;
  const isShown = isInner || name === "ConnectionError" || name === "StoreError";
  const why = isShown ? messageOf(error) : undefined;
  const invalid = issues?.map(({ field, code: fault }) => `${field} ${fault}`).join(", ");
  return { error: name, ...(isInner ? {} : { status, code }), invalid, why };
}
