import { type Amount, BudgetError } from "../errors/errors.ts";
import { offAbort, onAbort } from "../time/abort-listeners.ts";
import type { Budget, Entering } from "./limits.ts";

/** A function that ends a reservation, called with whether it was used. */
type Settle = (isUsed: boolean) => void;

interface Waiter {
  readonly resultCount: number;
  /** Ends the wait: with a reservation, or with undefined if the budget will not cover it. */
  readonly serve: (settle: Settle | undefined) => void;
}

/** Keeps the generations of a client within its budget. A generation that is rejected or not sent returns its share. */
export class Spending {
  readonly #budget: Amount;
  readonly #waiters = new Set<Waiter>();
  /** The amount that is used or reserved. */
  readonly #spent = { generations: 0, results: 0 };
  /** The number of generations that have a reservation and have not ended. */
  #reserved = 0;

  constructor({ generations = Infinity, results = Infinity }: Budget) {
    this.#budget = { generations, results };
  }

  /**
   * Reserves the share of a generation, in order, as soon as it is known whether the budget covers it.
   *
   * @throws A {@link BudgetError} if the budget will not cover it
   */
  reserve(generation: Entering): Promise<Settle> {
    const { signal } = generation;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        // It may have been the one that the others wait for.
        this.#serve();
      };
      const serve = (settle: Settle | undefined) => {
        this.#waiters.delete(waiter);
        offAbort(signal, abort);
        if (settle) resolve(settle);
        else reject(this.#error(generation));
      };
      const waiter: Waiter = { resultCount: generation.resultCount, serve };
      this.#waiters.add(waiter);
      onAbort(signal, abort);
      this.#serve();
    });
  }

  #serve(): void {
    for (const waiter of this.#waiters) {
      const { resultCount } = waiter;
      const { generations, results } = this.#spent;
      const isLeft = generations < this.#budget.generations && results + resultCount <= this.#budget.results;
      if (!isLeft && this.#reserved > 0) return;
      waiter.serve(isLeft ? this.#take(resultCount) : undefined);
    }
  }

  #error({ model, resultCount }: Entering): BudgetError {
    const { generations, results } = this.#budget;
    const spent = { ...this.#spent };
    const what =
      spent.generations >= generations
        ? `the client's budget { generations: ${generations} } is used up`
        : `it makes ${resultCount} results, and ${results - spent.results} are left of the client's budget { results: ${results} }`;
    return new BudgetError(`${model}: ${what}`, this.#budget, spent);
  }

  #take(resultCount: number): Settle {
    this.#reserved++;
    this.#spent.generations++;
    this.#spent.results += resultCount;
    return (isUsed) => {
      this.#reserved--;
      if (!isUsed) {
        this.#spent.generations--;
        this.#spent.results -= resultCount;
      }
      this.#serve();
    };
  }
}
