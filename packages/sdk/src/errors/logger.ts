import type { MediaGenEvent } from "./events.ts";

/** A destination of log lines: `console`, or the logger of your program. */
export interface Logger {
  /**
   * Receives problems that no call returns or throws, and problems that may cost money.
   *
   * @param line One line of text, without the API key and without a prompt.
   * @returns Anything; it is ignored.
   * @example
   * const media = createMediaGen({ logger: { ...console, error: (line) => process.stderr.write(`${line}\n`) } });
   */
  error(line: string): unknown;
  /**
   * Receives events that you may have to act on.
   *
   * @param line One line of text, without the API key and without a prompt.
   * @returns Anything; it is ignored.
   * @example
   * const media = createMediaGen({ logger: { ...console, warn: (line) => process.stderr.write(`${line}\n`) } });
   */
  warn(line: string): unknown;
  /**
   * Receives all other events except polls, such as a new task.
   *
   * @param line One line of text, without the API key and without a prompt.
   * @returns Anything; it is ignored.
   * @example
   * const media = createMediaGen({ logger: { ...console, info: () => undefined }, logLevel: "info" });
   */
  info(line: string): unknown;
  /**
   * Receives the polls of waits.
   *
   * @param line One line of text, without the API key and without a prompt.
   * @returns Anything; it is ignored.
   * @example
   * const media = createMediaGen({ logger: { ...console, debug: console.log }, logLevel: "debug" });
   */
  debug(line: string): unknown;
}

/** A level of the log. Each level contains those before it; `off` logs nothing. */
export type LogLevel = "off" | keyof Logger;

/** The levels, from the one that logs nothing to the one that logs every event. */
export const logLevels: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

/** A log entry: an event, or an error that the caller's listener threw. */
export type Entry =
  | { readonly event: MediaGenEvent }
  | { readonly event?: undefined; readonly listener: string; readonly error: unknown };
