import { OutcomeUnknownError } from "./errors/errors.ts";
import type { Kind } from "./spec/operation.ts";
import type { JournalEntry } from "./task/generation.ts";

/**
 * What a client tells beside its answers, by `type`: for logs, measures and traces. No event holds the key or an uploaded
 * byte. More types may come: leave alone what you do not know.
 */
export type MediaGenEvent = Generated | OutcomeUnknown | Queried | Retried | TaskSettled | Downloaded | JournalFailed;

/** What the events of calls and downloads tell. */
export interface CallEvent {
  /** The operation's id in the service's description, or `download`. */
  readonly operation: string;
  /** What the call was about. */
  readonly kind: Kind;
  /** The model, where it is known. */
  readonly model: string | undefined;
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** How long the call had taken by then, with its retries, in milliseconds. */
  readonly durationMs: number;
  /** Which attempt of the call it was, from 1. */
  readonly attempt: number;
}

/** A generation was answered with a new task: it is paid. */
export interface Generated extends CallEvent {
  /** Which event this is. */
  readonly type: "generated";
  /** The new task. */
  readonly taskid: string;
}

/** A generation's outcome is not known: a task may exist and may have been paid. */
export interface OutcomeUnknown extends CallEvent {
  /** Which event this is. */
  readonly type: "outcomeUnknown";
  /** What the call throws. */
  readonly error: OutcomeUnknownError;
}

/** A query was answered, or failed for good; those of a wait too. */
export interface Queried extends CallEvent {
  /** Which event this is. */
  readonly type: "queried";
  /** The task that was asked for. */
  readonly taskid: string;
  /** The raw status of the record; undefined where there is none. */
  readonly status: number | undefined;
  /** What the query throws; undefined where it was answered. */
  readonly error: unknown;
}

/** An attempt failed and the request is sent again. */
export interface Retried extends CallEvent {
  /** Which event this is. */
  readonly type: "retried";
  /** The task that is asked for, where it is one. */
  readonly taskid: string | undefined;
  /** How long it pauses before the next attempt, in milliseconds. */
  readonly delayMs: number;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** Why there was no answer, where there was none. */
  readonly error: unknown;
}

/** A check showed for the first time that a task has come to its end; told once for each handle. */
export interface TaskSettled {
  /** Which event this is. */
  readonly type: "settled";
  /** What the task makes. */
  readonly kind: Kind;
  /** Its model, where it is known. */
  readonly model: string | undefined;
  /** The task that has ended. */
  readonly taskid: string;
  /** How it has ended. */
  readonly state: "succeeded" | "failed";
  /** The raw status of the record. */
  readonly status: number | undefined;
  /** When it was seen, in milliseconds since 1970. */
  readonly at: number;
  /** How long after its generation, in milliseconds; undefined where that is not known. */
  readonly durationMs: number | undefined;
}

/** One result of a task has arrived whole. */
export interface Downloaded extends CallEvent {
  /** Which event this is. */
  readonly type: "downloaded";
  /** The task whose result it is. */
  readonly taskid: string;
  /** Which result, from 0. */
  readonly index: number;
  /** How many results there are. */
  readonly count: number;
  /** Its size. */
  readonly bytes: number;
}

/** An entry could not be appended to the journal when its call could no longer fail: the entry tells what is missing there. */
export interface JournalFailed {
  /** Which event this is. */
  readonly type: "journalFailed";
  /** The entry that the journal lacks. */
  readonly entry: JournalEntry;
  /** What the journal rejected with. */
  readonly error: unknown;
}

/** Is told of events. */
export type OnEvent = (event: MediaGenEvent) => void;

/** Tells the caller's listener, and never throws. A failure that nobody listens for is not passed over: the console has it. */
export function createTell(onEvent: OnEvent | undefined): OnEvent {
  return (event) => {
    // A listener's mistake must not cost the task that the call is about to answer.
    const failed = (error: unknown) => console.error(`mediagen: onEvent threw at ${event.type}`, error);
    try {
      // It may be async all the same, and a rejection that nobody handles ends the process.
      const told: unknown = onEvent?.(event);
      if (told instanceof Promise) told.catch(failed);
      if (!onEvent && event.type === "journalFailed") console.error(`mediagen: ${event.type}`, event);
    } catch (error) {
      failed(error);
    }
  };
}
