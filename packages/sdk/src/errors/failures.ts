import type { Kind } from "../spec/operation.ts";
import { isObject } from "../spec/is-object.ts";
import type { Emit } from "./emit.ts";
import type { Failed } from "./events.ts";

/** What a method is about, as its event says. */
export interface MethodSubject {
  /** The operation's id in the service's description, or the method's name. */
  readonly operation: string;
  readonly kind?: Kind | undefined;
  readonly model?: string | undefined;
  readonly taskid?: string | undefined;
  readonly generationId?: string | undefined;
}

/** Emits what the methods of a client reject with, each error once, though it passes several of them. */
export class Failures {
  readonly #emit: Emit;
  readonly #time: { now(): number; steady(): number };
  readonly #emitted = new WeakSet<object>();

  constructor(emit: Emit, time: { now(): number; steady(): number }) {
    this.#emit = emit;
    this.#time = time;
  }

  /** Emits a failure. */
  emit(error: unknown, about: () => Omit<Failed, "type" | "error">): void {
    if (isObject(error)) this.#emitted.add(error);
    this.#emit("failed", () => ({ ...about(), error }));
  }

  /** Runs a method, and emits what it rejects with if that was not emitted on its way. */
  async report<T>({ operation, kind, model, taskid, generationId }: MethodSubject, run: () => Promise<T>): Promise<T> {
    const start = this.#time.steady();
    try {
      return await run();
    } catch (error) {
      const isEmitted = isObject(error) && this.#emitted.has(error);
      if (!isEmitted) {
        const [at, durationMs] = [this.#time.now(), Math.round(this.#time.steady() - start)];
        const about = { operation, kind, model, taskid, generationId, requestId: undefined };
        // Not remembered: several calls may reject with one error, such as a signal's reason.
        this.#emit("failed", () => ({ ...about, at, durationMs, attempt: 0, error }));
      }
      throw error;
    }
  }
}
