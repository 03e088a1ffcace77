import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { describeDuration } from "../errors/duration.ts";
import type { GenerationStore } from "./store.ts";

/** A store that says nothing for so long counts as one that failed. */
const storeTimeoutMs = 15_000;

/** Returns a store of which every operation settles: the caller's own code may hang. */
export function withTimeout(store: GenerationStore, time: Pick<Time, "alarm" | "steady">): GenerationStore {
  const timeoutTo = (act: string) => () =>
    new Error(`the store took longer than ${describeDuration(storeTimeoutMs)} to ${act}`);
  const within = async <T>(act: string, operation: () => Promise<T>): Promise<T> => {
    const deadline = new Deadline(time, storeTimeoutMs, timeoutTo(act));
    try {
      return await orAbort(operation(), deadline.signal);
    } finally {
      deadline.end();
    }
  };
  return {
    write: (record) => within("write a record", () => store.write(record)),
    get: (id) => within("read a record", () => store.get(id)),
    async *list(filter) {
      const records = store.list(filter)[Symbol.asyncIterator]();
      const timeout = timeoutTo("list its records");
      let deadline: Deadline | undefined;
      try {
        for (;;) {
          // One for all records: each has the full time. What passes while the caller is busy with a record does not count.
          if (deadline?.signal.aborted !== false) deadline = new Deadline(time, storeTimeoutMs, timeout);
          else deadline.restart(storeTimeoutMs, timeout);
          const { done, value } = await orAbort(records.next(), deadline.signal);
          if (done) return;
          yield value;
        }
      } finally {
        deadline?.end();
        // A database keeps a cursor open until it is closed. Not awaited, because this may hang, too.
        records.return?.().then(undefined, () => undefined);
      }
    },
    forget: (options) => store.forget(options),
  };
}
