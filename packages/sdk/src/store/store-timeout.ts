import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { describeDuration } from "../errors/issue.ts";
import type { GenerationStore } from "./store.ts";

/** Timeout of the operations of a store. */
const storeTimeoutMs = 15_000;

/** Returns a store whose operations always settle, because a custom store may hang. */
export function withTimeout(store: GenerationStore, time: Pick<Time, "alarm">): GenerationStore {
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
          // One deadline for all records, restarted for each. It does not run while the caller handles a record.
          if (deadline?.signal.aborted !== false) deadline = new Deadline(time, storeTimeoutMs, timeout);
          else deadline.restart(storeTimeoutMs, timeout);
          const { done, value } = await orAbort(records.next(), deadline.signal);
          if (done) return;
          yield value;
        }
      } finally {
        deadline?.end();
        // Closes the cursor of a database. Not awaited, because this may hang too.
        records.return?.().then(undefined, () => undefined);
      }
    },
    forget: (options) => store.forget(options),
  };
}
