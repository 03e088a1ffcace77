import type { Call } from "../call/call.ts";
import { taskidIn } from "../call/envelope.ts";
import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import { digestOf } from "../form/digest.ts";
import { resultCount, type WireFields } from "../form/form.ts";
import type { Form, Model } from "../form/model.ts";
import type { Book } from "../journal/journal.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import type { GenerationFacts } from "../task/generation.ts";
import type { Created, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import type { Enter } from "../time/semaphore.ts";

/** Is asked before each generation is sent; what it throws is the caller's, and nothing is sent. */
export type BeforeGenerate = (form: Form<Model>, what: { readonly kind: Kind; readonly model: Model }) => unknown;

/** What generating needs of its client. */
export interface GenerateHost {
  readonly call: Call;
  readonly time: Time;
  readonly origin: string;
  readonly enter: Enter;
  readonly beforeGenerate: BeforeGenerate | undefined;
  readonly book: Book | undefined;
}

/** A generation whose form has been checked. */
export interface Generating {
  readonly kind: Kind;
  readonly model: Model;
  readonly form: Form<Model>;
  readonly operation: Operation;
  readonly wire: WireFields;
  readonly once: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Generates and answers the task: a new one, sent once, or the one that its key has already. */
export async function generate(
  { kind, model, form, operation, wire, once, signal }: Generating,
  host: GenerateHost,
): Promise<TaskJSON> {
  const { call, time, origin, enter, beforeGenerate, book } = host;
  if (once !== undefined && (!book || typeof once !== "string" || once === "")) {
    const got = book ? describeValue(once) : "a key and no journal";
    throw new InvalidRequestError(`generate ${model}: nothing was sent`, [
      { field: "once", got, allowed: "a text, in a client with a journal" },
    ]);
  }
  const results = resultCount(operation.body, wire);
  let facts: Promise<GenerationFacts> | undefined;
  // When it is asked for, not before: digests may be done in another order than the calls were made.
  const factsOf = () => (facts ??= digestOf(wire).then((digest) => ({ kind, model, origin, digest, results, once })));
  const send = async (at: number, id?: string): Promise<TaskJSON> => {
    const data = await call(operation, wire, {
      subject: { kind, model },
      signal,
      generation: { ...(await factsOf()), id, at },
    });
    const taskid = taskidIn(data) ?? "";
    const created: Created = { taskid, ...(typeof data["url"] === "string" ? { url: data["url"] } : {}) };
    return { version: 1, kind, model, taskid, origin, results, created, createdAt: time.now() };
  };
  const inTurn = async <T>(next: () => Promise<T>): Promise<T> => {
    const leave = await enter(signal);
    try {
      await beforeGenerate?.(form, { kind, model });
      signal?.throwIfAborted();
      return await next();
    } finally {
      leave();
    }
  };
  return book
    ? book.generate(once, { operation: operation.id, signal, factsOf, inTurn, send })
    : inTurn(() => send(time.now()));
}
