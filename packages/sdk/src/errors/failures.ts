import type { Kind } from "../spec/operation.ts";
import { isObject } from "../spec/is-object.ts";
import type { Emit } from "./emit.ts";
import type { Failed } from "./events.ts";

/** The operation, model, task and generation of a method, for its event. */
export interface MethodSubject {
  /** The operation's id in the service's description, or the method's name. */
  readonly operation: string;
  readonly kind?: Kind | undefined;
  readonly model?: string | undefined;
  readonly taskid?: string | undefined;
  readonly generationId?: string | undefined;
}

/** Emits the errors of a client's methods. An error that passes through several methods is emitted once. */
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

  /** Runs a method, and emits its error unless it was emitted already. */
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
