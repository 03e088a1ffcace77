import { setTimeout as sleep } from "node:timers/promises";
import type { GenerationStore } from "@mediagen/sdk/node";
import type { Seen } from "./service.ts";
import type { Workers } from "./workers.ts";

/** A worker was killed with -9. */
export interface Strike {
  readonly at: number;
  /** The orders that it had claimed: nothing of them was sent yet, so another worker takes them over. */
  readonly claimed: readonly string[];
  /** The orders that it was sending: their outcome is unknown. */
  readonly sending: readonly string[];
}

/** Orders of unknown outcome, by why they are. Each is counted once. */
export interface UnknownSplit {
  readonly all: number;
  /** How many of them were paid. */
  readonly paid: number;
  /** Their worker was killed, and the service never received the form. */
  readonly notArrived: number;
  /** Their worker was killed before the service had sent its response. */
  readonly notResponded: number;
  /** Their worker was killed after the service had sent its response, and before it had recorded the task. */
  readonly notRecorded: number;
  /** Their response was lost or could not be read. */
  readonly responseLost: number;
  /** How many orders killed workers had claimed. Without that state, they would be unknown too. */
  readonly claimedAtKills: number;
}

/** What was sent by a process that is gone arrives a moment later. */
const settlesInMs = 30;

/** Kills the oldest worker, and looks at what it was doing. */
export async function strike(workers: Workers, store: GenerationStore): Promise<Strike | undefined> {
  const at = Date.now();
  const pid = await workers.killOldest();
  if (pid === undefined) return undefined;
  await sleep(settlesInMs);
  const found = { claimed: [] as string[], sending: [] as string[] };
  for await (const record of store.list({ states: ["claimed", "sending"] })) {
    if ("unreadable" in record || record.sender?.pid !== pid) continue;
    // The cast: these states were listed.
    found[record.state as keyof typeof found].push(record.idempotencyKey ?? "");
  }
  return { at, ...found };
}

/** Says why orders are of unknown outcome, from when the service created their tasks and when their workers were killed. */
export function splitUnknown(unknown: readonly string[], strikes: readonly Strike[], { tasks }: Seen): UnknownSplit {
  const createdAt = new Map(tasks.map((task) => [task.id, task.createdAt]));
  const killedAt = new Map(strikes.flatMap(({ at, sending }) => sending.map((id) => [id, at])));
  const split = { notArrived: 0, notResponded: 0, notRecorded: 0, responseLost: 0 };
  for (const id of unknown) {
    const [killed, created] = [killedAt.get(id), createdAt.get(id)];
    if (killed === undefined) split.responseLost++;
    else if (created === undefined) split.notArrived++;
    // The service also handles what it finds in its connections after the kill.
    else if (created > killed) split.notResponded++;
    else split.notRecorded++;
  }
  return {
    all: unknown.length,
    paid: unknown.filter((id) => createdAt.has(id)).length,
    ...split,
    claimedAtKills: strikes.reduce((sum, { claimed }) => sum + claimed.length, 0),
  };
}
