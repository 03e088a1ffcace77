import { InvalidRequestError } from "./errors.ts";
import type { FileJournal } from "./file-journal.ts";
import type { OwnedEntry } from "./file-log.ts";
import type { LeaseEntry } from "./journal.ts";

/** How long a run counts as alive after it said so; one of this machine that is no more is known at once. */
const leaseMs = 15_000;
const ownerPrefix = "batch ";

/**
 * Holds a folder for one run at a time, by leases in its journal: of those that live, the first in the journal's order has
 * it. They are of the machine's time, as processes are. Answers how to let it go.
 *
 * @throws {@link InvalidRequestError} another run has it
 */
export async function holdFolder(journal: FileJournal, onLost: (error: unknown) => void): Promise<() => Promise<void>> {
  let owner = "";
  let until = 0;
  const renew = async () => {
    const next = Date.now() + leaseMs;
    await journal.append({ type: "lease", owner, until: next });
    until = next;
  };
  const release = () => journal.append({ type: "lease", owner, until: 0 });

  async function take(): Promise<void> {
    owner = `${ownerPrefix}${crypto.randomUUID()}`;
    await renew();
    /** The last lease of each run, the runs in the order in which they came. */
    const last = new Map<string, OwnedEntry & LeaseEntry>();
    for (const entry of await journal.entries()) {
      if (entry.type === "lease" && entry.owner.startsWith(ownerPrefix)) last.set(entry.owner, entry);
    }
    const first = [...last.values()].find((lease) => lease.until > Date.now());
    if (!first || first.owner === owner) return;
    await release();
    const got = `one that another run is using, process ${first.pid} on ${first.host}`;
    throw new InvalidRequestError("runBatch: nothing was sent", [{ field: "folder", got, allowed: "one run at a time: wait for the other one, or give another folder" }]);
  }

  await take();
  const timer = setInterval(() => {
    // A machine that slept, or a process that was stopped, may have lost it.
    if (Date.now() > until) take().catch(onLost);
    else renew().catch(() => undefined); // It is tried again before the lease has run out.
  }, leaseMs / 3).unref();
  return () => {
    clearInterval(timer);
    return release().catch(() => undefined); // It runs out by itself.
  };
}
