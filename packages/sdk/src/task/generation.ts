import type { TaskJSON } from "./task.ts";

/**
 * The state of a generation. It is `claimed` while nothing was sent, and `sending` from immediately
 * before its first byte is sent. It becomes `created`, `notCreated`, or `unknown` if the response
 * was lost. It is `ended` once its task has succeeded, failed or been deleted.
 */
export type GenerationState =
  | "claimed"
  | "sending"
  | "created"
  | "unknown"
  | "notCreated"
  | "ended";

/** The facts of a generation that are known before it is sent. */
export interface GenerationFacts extends Pick<TaskJSON, "kind" | "origin" | "resultCount"> {
  readonly model: string;
  /** The SHA-256 of the form, its files included; the form itself is not stored. */
  readonly digest?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** One generation in a store: plain JSON, without the API key and without the form. */
export interface GenerationEntry extends GenerationFacts {
  /** The version of this format. */
  readonly version: 1;
  /** The entry's id: the SHA-256 of origin and idempotency key, or a random one without a key. */
  readonly id: string;
  /** The number of times that the entry has been written: 1, 2, ... */
  readonly revision: number;
  /** The random id of the attempt that the entry is about. */
  readonly attempt: string;
  /**
   * The `attempt` of the revision before this one; undefined in revision 1. After an entry was
   * forgotten, its revisions begin at 1 again: a paused process must not overwrite another
   * attempt's entry whose revision has the same number.
   */
  readonly follows?: string | undefined;
  readonly state: GenerationState;
  /** The time when the attempt began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The time when the entry was written, in milliseconds since 1970. */
  readonly updatedAt: number;
  /**
   * The process that sends it, if the runtime has processes. `bootId` is an id of its host's last
   * start.
   */
  readonly sender?:
    | { readonly host: string; readonly bootId?: string | undefined; readonly pid: number }
    | undefined;
  /** The task, once it is `created`. */
  readonly task?: TaskJSON | undefined;
  /** The id of a task that the response named, if the generation is `unknown`. */
  readonly taskid?: string | undefined;
  /** The end of the task, once the generation is `ended`. */
  readonly outcome?: "succeeded" | "failed" | "deleted" | undefined;
  /** The reason why it is `unknown` or `notCreated`. */
  readonly reason?: string | undefined;
  /** Whether the outcome comes from `media.resolve` and not from the service. */
  readonly resolvedByHand?: boolean | undefined;
}

/**
 * An entry in a store that this version cannot read, and why: it is damaged, or a newer version
 * wrote it.
 */
export type UnreadableEntry = Readonly<Record<"id" | "unreadable", string>>;

/** The entries that `forget` removes. */
export interface ForgetOptions {
  /**
   * Whether entries with a key are removed, too. Their keys can then generate again, which is
   * billed again.
   * @default false
   */
  readonly keyed?: boolean | undefined;
  /**
   * The time before which entries were last written, in milliseconds since 1970. Later ones stay.
   * @default Infinity
   */
  readonly before?: number | undefined;
}
