import { messageOf } from "./errors.ts";
import type { MediaGenEvent, OnEvent } from "./events.ts";
import { describeRecord } from "./last-record.ts";
import { type Entry, type Logger, type LogLevel, logLevels } from "./logger.ts";

/** The events that are not logged as `info`, each with its level's index. */
const levelOf: Partial<Record<MediaGenEvent["type"], number>> = {
  storeFailed: 1,
  lateTask: 1,
  taskMayHaveFailed: 2,
  queried: 4,
};

/** Writes an entry to the log. */
export type Log = (entry: Entry) => void;

/** Creates what writes a log up to a level. What makes lines is loaded at the first one. It never throws. */
export function createLog(logger: Logger | undefined, most: LogLevel): Log {
  let last: Promise<unknown> = Promise.resolve();
  return (entry) => {
    const level = entry.event ? (levelOf[entry.event.type] ?? 3) : 1;
    if (level > logLevels.indexOf(most)) return;
    // One after the other, also while the first one is loading. The cast: only "off" is no method, and nothing is logged at it.
    const name = logLevels[level] as keyof Logger;
    last = last
      .then(() => import("./log.ts"))
      .then(({ writeLine }) => writeLine(logger ?? console, name, entry, { messageOf, describeRecord }))
      // A logger's mistake must not cost the task that the call is about to return.
      .catch(() => undefined);
  };
}

/** Calls a listener of the caller's, whose mistake must not cost the task that the call is about to return. It never throws. */
export function callListener(listener: string, call: () => unknown, log: Log): void {
  const failed = (error: unknown) => log({ listener, error });
  try {
    // It may be async all the same, and a rejection that nobody handles ends the process.
    const result = call();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Creates what emits events to the log and to the caller's listener. It never throws. */
export function createEmit(onEvent: OnEvent | undefined, log: Log): OnEvent {
  return (event) => {
    log({ event });
    callListener(`onEvent at ${event.type}`, () => onEvent?.(event), log);
  };
}
