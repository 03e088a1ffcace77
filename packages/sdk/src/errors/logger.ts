import type { MediaGenEvent } from "./events.ts";

/** Receives the lines of a log: `console`, or the logger of your program. */
export interface Logger {
  /** Receives what no call returns or throws, and what may cost money. */
  error(line: string): unknown;
  /** Receives what you may have to act on. */
  warn(line: string): unknown;
  /** Receives what has happened. */
  info(line: string): unknown;
  /** Receives the polls of waits too. */
  debug(line: string): unknown;
}

/** How much is logged. Each level contains those before it. */
export type LogLevel = "off" | keyof Logger;

/** The levels, from the one that logs nothing to the one that logs every event. */
export const logLevels: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

/** What is logged: an event, or what a listener of the caller's threw. */
export type Entry =
  | { readonly event: MediaGenEvent }
  | { readonly event?: undefined; readonly listener: string; readonly error: unknown };
