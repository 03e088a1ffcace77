import { InvalidRequestError } from "../errors/errors.ts";

/** Waits for a place and answers how to leave it; rejects with the signal's reason when it aborts before. */
export type Enter = (signal: AbortSignal | undefined) => Promise<() => void>;

/** So many places, given in the order in which they were asked for. */
export function createPlaces(limit: number): Enter {
  if (!(limit >= 1)) {
    const issue = { field: "maxGenerationsInFlight", got: String(limit), allowed: "a number, 1 or more" };
    throw new InvalidRequestError("createMediaGen: there is no client", [issue]);
  }
  let taken = 0;
  const queue = new Set<() => void>();
  const leave = () => {
    taken--;
    const [next] = queue;
    next?.();
  };
  return (signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        queue.delete(enter);
        reject(signal?.reason);
      };
      const enter = () => {
        queue.delete(enter);
        signal?.removeEventListener("abort", abort);
        taken++;
        resolve(leave);
      };
      if (taken < limit) return enter();
      queue.add(enter);
      signal?.addEventListener("abort", abort, { once: true });
    });
}
