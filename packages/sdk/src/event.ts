import type { JournalEntry } from "./journal.ts";

/** What a client tells beside its answers, by `type`. More types may come: leave alone what you do not know. */
export type MediaGenEvent = JournalFailed;

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

/** Tells of a failure, on the console where nobody listens: it is not passed over. It never throws. */
export function report(event: MediaGenEvent, onEvent: OnEvent | undefined): void {
  try {
    if (onEvent) return onEvent(event);
    console.error(`mediagen: ${event.type}`, event);
  } catch (error) {
    // A listener's mistake must not cost the task that the call is about to answer.
    console.error(`mediagen: onEvent threw at ${event.type}`, error);
  }
}
