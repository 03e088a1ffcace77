import { messageOf } from "./errors.ts";
import type { MediaGenEvent, OnEvent } from "./events.ts";
import { adviceOn } from "./last-record.ts";
import { type Entry, type Logger, type LogLevel, logLevels } from "./logger.ts";

/** The events that are not logged as `info`, each with its level's index. */
const levels: Partial<Record<MediaGenEvent["type"], number>> = {
  storeFailed: 1,
  lateTask: 1,
  taskMayHaveFailed: 2,
  queried: 4,
};

/** Returns the index of the level that an entry is logged at. */
const levelOf = (type: MediaGenEvent["type"] | undefined) => (type ? (levels[type] ?? 3) : 1);

/** A function that writes an entry to the log, up to a level. */
export type Log = ((entry: Entry) => void) & { readonly most: number };

/** A function that emits an event. Its fields are created only if somebody receives it. It never throws. */
export type Emit = <T extends MediaGenEvent["type"]>(type: T, fields: () => FieldsOf<T>) => void;

/** The log entry of an error that the caller's listener threw. */
type Failed = Extract<Entry, { readonly listener: string }>;

type FieldsOf<T> = Omit<Extract<MediaGenEvent, { readonly type: T }>, "type">;

/** Creates the function that writes a log up to a level. The code that formats lines is loaded at the first one. It never throws. */
export function createLog(logger: Logger | undefined, logLevel: LogLevel): Log {
  const most = logLevels.indexOf(logLevel);
  let last: Promise<unknown> = Promise.resolve();
  const write = (entry: Entry) => {
    const level = levelOf(entry.event?.type);
    if (level > most) return;
    // One after the other, also while the first one is loading. The cast: every level but "off", which logs nothing, is a method.
    const name = logLevels[level] as keyof Logger;
    last = last
      .then(() => import("./log-line.ts"))
      .then(({ writeLine }) => writeLine(logger ?? console, name, entry, { messageOf, adviceOn }))
      // A logger's mistake must not cost the task that the call is about to return.
      .catch(() => undefined);
  };
  return Object.assign(write, { most });
}

/** Calls the caller's listener. Never throws: its mistake must not cost the task that the call is about to return. */
export function callListener(listener: string, call: () => unknown, log: (entry: Failed) => void): void {
  const failed = (error: unknown) => log({ listener, error });
  try {
    // It may be async all the same, and a rejection that nobody handles ends the process.
    const result = call();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Creates the function that emits events to the log and to the caller's listener. */
export function createEmit(onEvent: OnEvent | undefined, log: Log): Emit {
  return (type, fields) => {
    if (!onEvent && levelOf(type) > log.most) return;
    // The cast: the fields are those of the type.
    const event = { type, ...fields() } as object as MediaGenEvent;
    log({ event });
    callListener(`onEvent at ${type}`, () => onEvent?.(event), log);
  };
}
