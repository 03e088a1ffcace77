import type { Kind } from "../spec/operation.ts";
import type { TaskJSON } from "./task.ts";

/** What a generation makes, and by which model. */
export interface Generation {
  readonly kind: Kind;
  readonly model: string;
  /** The SHA-256 of the form, in hex; undefined where the runtime has no Web Crypto. */
  readonly digest?: string | undefined;
  /** Its id in the journal, where there is one. */
  readonly id?: string | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
}

/** What is known of a generation before it is sent. */
export interface GenerationFacts {
  /** What is to be made. */
  readonly kind: Kind;
  /** The model that is to make it. */
  readonly model: string;
  /** The origin of the base URL. */
  readonly origin: string;
  /** The SHA-256 of the form's texts and of its files' names, types and sizes; its content is not kept. */
  readonly digest?: string | undefined;
  /** How many results the form asks for. */
  readonly results: number;
  /** The caller's key. */
  readonly once?: string | undefined;
}

/** A generation is about to be sent: if nothing of the same id follows, a task may exist. */
export interface IntentEntry extends GenerationFacts {
  /** Which entry this is. */
  readonly type: "intent";
  /** The generation's id in the journal. */
  readonly id: string;
  /** When it is about to be sent, in milliseconds since 1970. */
  readonly at: number;
  /** The client that sends it. */
  readonly owner: string;
  /** Until when the client counts as alive, in milliseconds since 1970, unless it says so again. */
  readonly until: number;
}

/** A client with generations under way is alive. */
export interface LeaseEntry {
  /** Which entry this is. */
  readonly type: "lease";
  /** The client that is alive. */
  readonly owner: string;
  /** Until when it counts as alive, in milliseconds since 1970. */
  readonly until: number;
}

/** The service answered a task. */
export interface CreatedEntry {
  /** Which entry this is. */
  readonly type: "created";
  /** The generation's id in the journal. */
  readonly id: string;
  /** When the answer came, in milliseconds since 1970. */
  readonly at: number;
  /** The task, as `media.task` takes it. */
  readonly task: TaskJSON;
}

/** The service refused, or the generation was not sent, or the caller says that there is no task. */
export interface NotCreatedEntry {
  /** Which entry this is. */
  readonly type: "notCreated";
  /** The generation's id in the journal. */
  readonly id: string;
  /** When that was known, in milliseconds since 1970. */
  readonly at: number;
  /** Why there is no task, in words. */
  readonly why: string;
  /** Whether a person said so, whom a sender that was thought dead may yet correct. */
  readonly byHand?: boolean;
}

/** The generation was sent and no usable answer came. */
export interface UnknownEntry {
  /** Which entry this is. */
  readonly type: "unknown";
  /** The generation's id in the journal. */
  readonly id: string;
  /** When the attempt ended, in milliseconds since 1970. */
  readonly at: number;
  /** Why the outcome is unknown, in words. */
  readonly why: string;
}

/** A task needs no more waiting. */
export interface EndEntry extends Pick<TaskJSON, "kind" | "taskid" | "origin"> {
  /** Which entry this is. */
  readonly type: "end";
  /** When the end was seen, in milliseconds since 1970. */
  readonly at: number;
  /** How the task ended. */
  readonly how: "succeeded" | "failed" | "deleted";
}

/**
 * One line of a journal. All are plain JSON with times in milliseconds since 1970, and none holds the API key or a form,
 * but for what the service says in a refusal.
 */
export type JournalEntry = IntentEntry | LeaseEntry | CreatedEntry | NotCreatedEntry | UnknownEntry | EndEntry;
