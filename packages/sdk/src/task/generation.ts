import type { Kind } from "../spec/operation.ts";
import type { TaskJSON } from "./task.ts";

/**
 * How far a generation has come: `claimed` while nothing of it was sent; `sending` from immediately before its first byte leaves;
 * then `created`, `notCreated`, or `unknown` if the response was lost; `ended` once its task has succeeded, failed or been deleted.
 */
export type GenerationState = "claimed" | "sending" | "created" | "unknown" | "notCreated" | "ended";

/** The process that sends a generation. */
export interface Sender {
  /** The name of its host. */
  readonly host: string;
  /** What identifies the host's last start, if the system tells. */
  readonly bootId?: string | undefined;
  /** Its process id. */
  readonly pid: number;
}

/** What is known of a generation before it is sent. */
export interface GenerationFacts {
  /** What is to be made. */
  readonly kind: Kind;
  /** The model that is to make it. */
  readonly model: string;
  /** The origin of the base URL. */
  readonly origin: string;
  /** The SHA-256 of the form, its files included; the form itself is not stored. */
  readonly digest?: string | undefined;
  /** How many results the form requests. */
  readonly resultCount: number;
  /** The caller's idempotency key. */
  readonly idempotencyKey?: string | undefined;
}

/** One generation in a store: plain JSON, without the API key and without the form. */
export interface GenerationRecord extends GenerationFacts {
  /** The version of this format. */
  readonly version: 1;
  /** The record's id: the SHA-256 of origin and idempotency key, or a random one without a key. */
  readonly id: string;
  /** How many times the record has been written: 1, 2, ... */
  readonly revision: number;
  /** The random id of the attempt that the record is about. */
  readonly attempt: string;
  /**
   * The `attempt` of the revision that this one follows; none in revision 1. Once a record was forgotten, its revisions begin anew:
   * a process that was paused since then must not follow another attempt's revision because their numbers are the same.
   */
  readonly follows?: string | undefined;
  /** How far the generation has come. */
  readonly state: GenerationState;
  /** When the attempt began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When the record was written, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** The process that sends it, if the runtime tells. */
  readonly sender?: Sender | undefined;
  /** The task, once it is `created`. */
  readonly task?: TaskJSON | undefined;
  /** How the task ended, once it is `ended`. */
  readonly outcome?: "succeeded" | "failed" | "deleted" | undefined;
  /** Why it is `unknown` or `notCreated`. */
  readonly reason?: string | undefined;
  /** Whether a caller said so by `media.resolve`, and not the service. */
  readonly resolvedByHand?: boolean | undefined;
}

/** A record that a store holds and this version cannot read: it is damaged, or a newer version wrote it. */
export interface UnreadableRecord {
  /** The record's id. */
  readonly id: string;
  /** Why it cannot be read. */
  readonly unreadable: string;
}
