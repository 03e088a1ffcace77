import { InvalidRequestError } from "../errors/errors.ts";
import type { FileJournal } from "../node/file-journal.ts";
import type { OwnedEntry } from "../node/file-log.ts";
import type { LeaseEntry } from "../task/generation.ts";
import { sleep } from "../time/clock.ts";

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
    // One that was written only after the last had run out may stand behind another run's.
    if (Date.now() <= until) until = next;
  };
  const release = () => journal.append({ type: "lease", owner, until: 0 });

  async function take(outcome: "nothing was sent" | "it was stopped"): Promise<void> {
    // What a disk that stood still wrote late would be a rival.
    if (owner !== "") await release();
    owner = `${ownerPrefix}${crypto.randomUUID()}`;
    until = Date.now() + leaseMs;
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
    throw new InvalidRequestError(`runBatch: ${outcome}`, [
      { field: "folder", got, allowed: "one run at a time: wait for the other one, or give another folder" },
    ]);
  }

  /** One step after the other, however long the disk takes for one. */
  async function keep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(leaseMs / 3, signal);
      // A machine that slept, or a process that was stopped, may have lost it.
      if (Date.now() > until) await take("it was stopped");
      else await renew().catch(() => undefined); // It is tried again before the lease has run out.
    }
  }

  await take("nothing was sent");
  const ending = new AbortController();
  const kept = keep(ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) onLost(error);
  });
  return async () => {
    ending.abort();
    await kept;
    await release().catch(() => undefined); // It runs out by itself.
  };
}
