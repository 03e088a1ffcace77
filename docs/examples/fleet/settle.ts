import { generationIdOf, type GenerationStore, InvalidRequestError, type MediaGen } from "@mediagen/sdk/node";

/** The finding of a person about an order of unknown outcome. */
export interface Finding {
  readonly media: MediaGen;
  readonly store: GenerationStore;
  /** The id of the order. */
  readonly id: string;
  /** Its task at the service; undefined if there is none. */
  readonly taskid: string | undefined;
}

/** Records a finding. If it rejects, nothing was recorded. */
export async function recordFinding(finding: Finding): Promise<void> {
  const { media, taskid } = finding;
  const generationId = await generationIdOf(media.origin, finding.id);
  // With a task's id, it is queried first: one that does not exist is rejected.
  const resolved = taskid ? media.resolve(generationId, { taskid }) : media.resolve(generationId, "notCreated");
  await resolved.catch(async (error: unknown) => {
    const isAboutState =
      error instanceof InvalidRequestError && error.issues.some(({ field }) => field === "generationId");
    const record = isAboutState ? await readRecord(finding) : undefined;
    // A worker that was only slow has recorded the outcome since: then that is the one.
    const isKnown = record?.task !== undefined || (taskid === undefined && record?.state === "notCreated");
    if (!isKnown) throw error;
  });
}

/** Returns the record of the order; undefined if the store has none. */
export async function readRecord({ media, store, id }: Omit<Finding, "taskid">) {
  return store.get(await generationIdOf(media.origin, id));
}
