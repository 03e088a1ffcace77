import { invalidRequest, StoreError } from "../errors/errors.ts";
import { describeValue, mustBe } from "../errors/issue.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationRecord, UnreadableRecord } from "../task/generation.ts";
import type { CallOptions, TaskJSON } from "../task/task.ts";
import { type Recorder, SilenceWatch, silentAfterMs } from "./recorder.ts";
import { next, whyUnreadable } from "./store.ts";

/** A generation for which it is unknown whether it created a task. */
export interface UnknownGeneration {
  /** The id of its record, for `media.resolve`. */
  readonly generationId: string;
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The model of the generation. */
  readonly model: string;
  /** The SHA-256 of its form, as in `OutcomeUnknownError`. */
  readonly digest: string | undefined;
  /** The caller's idempotency key. */
  readonly idempotencyKey: string | undefined;
  /** The time when the attempt began, in milliseconds since 1970. */
  readonly at: number;
  /** The reason why its outcome is unknown. */
  readonly reason: string;
}

/** Your finding about a generation: the id of its task, or that there is none. */
export type Resolution =
  | {
      /** The id of the task that you found at the service. */
      readonly taskid: string;
      /**
       * Whether the task is recorded without a query that verifies it.
       * @default false
       */
      readonly unverified?: boolean | undefined;
    }
  | "notCreated";

/** The recorded generations of one service that need attention. */
interface Recorded {
  /** Tasks that were created and whose end was not seen. */
  readonly tasks: readonly TaskJSON[];
  /** Tasks without a key that succeeded and have not been forgotten: their results may not have been fetched. */
  readonly finished: readonly TaskJSON[];
  /** Generations of unknown outcome. */
  readonly unknown: readonly UnknownGeneration[];
  /** Records that this version cannot read. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** Returns the recorded generations. Waits until it is clear which senders are alive. */
export async function readRecorded(recorder: Recorder, { signal }: CallOptions): Promise<Recorded> {
  const { origin } = recorder.session.host;
  const unreadable: UnreadableRecord[] = [];
  const records: GenerationRecord[] = [];
  for await (const one of recorder.session.host.store.list({ states: ["sending", "created", "unknown", "ended"] })) {
    const why = "unreadable" in one ? one.unreadable : whyUnreadable(one);
    if (why !== undefined) unreadable.push({ id: one.id, unreadable: why });
    else if (!("unreadable" in one) && one.origin === origin && (one.state !== "ended" || isFinished(one)))
      records.push(one);
  }
  const { active, unrecorded } = recorder.session.known;
  const isOwn = ({ id }: GenerationRecord) => active.has(id) || unrecorded.has(id);
  const sending = records.filter((record) => record.state === "sending" && !isOwn(record));
  const settled = await Promise.all(sending.map((record) => settleSender(recorder, record, signal)));
  const current = [
    ...records.filter(({ state }) => state !== "sending"),
    ...settled.filter((one) => one !== undefined),
  ];
  const tasksOf = (holds: (record: GenerationRecord) => boolean) =>
    current.flatMap((record) => (record.task && holds(record) ? [record.task] : []));
  const created = tasksOf(({ state }) => state === "created");
  const own = [...unrecorded.values()].filter(({ facts }) => facts.origin === origin);
  const late = await Promise.all(own.map(({ task }) => task));
  return {
    tasks: [...created, ...late.filter(({ taskid }) => !created.some((task) => task.taskid === taskid))],
    finished: tasksOf(isFinished),
    unknown: current.filter(({ state }) => state === "unknown").map(describe),
    unreadable,
  };
}

/** Whether a task succeeded and has no key to find it. */
function isFinished({ outcome, idempotencyKey }: GenerationRecord): boolean {
  return outcome === "succeeded" && idempotencyKey === undefined;
}

/** Timers may end a little earlier than the steady clock says. */
const clockErrorMs = 250;

/** Returns undefined if the sender of a record is alive. Records the outcome as unknown if the sender has ended. */
async function settleSender(
  recorder: Recorder,
  first: GenerationRecord,
  signal: AbortSignal | undefined,
): Promise<GenerationRecord | undefined> {
  const { store, time } = recorder.session.host;
  const watch = new SilenceWatch(recorder.session.host);
  if (!watch.isSilent(first))
    await time.sleep(silentAfterMs + clockErrorMs, signal ?? new AbortController().signal, "pause");
  const record = await store.get(first.id);
  if (record?.state !== "sending") return record;
  if (!watch.isSilent(record)) return undefined;
  await recorder.markUnknown(record);
  return store.get(first.id);
}

function describe(record: GenerationRecord): UnknownGeneration {
  const {
    id: generationId,
    kind,
    model,
    digest,
    idempotencyKey,
    createdAt: at,
    reason = "no outcome is known",
  } = record;
  return { generationId, kind, model, digest, idempotencyKey, at, reason };
}

/**
 * Records the caller's finding about a generation, and returns its task.
 *
 * @param attempt the attempt that the finding is about, once it is known
 * @throws An {@link InvalidRequestError} if nothing was recorded
 */
export async function resolveGeneration(
  recorder: Recorder,
  generationId: string,
  resolution: Resolution,
  exists: (kind: Kind, taskid: string) => Promise<boolean>,
  signal: AbortSignal | undefined,
  attempt?: string,
): Promise<TaskJSON | undefined> {
  const taskid = taskidOf(resolution);
  const record = await recorder.session.host.store.get(generationId);
  if (record?.origin !== recorder.session.host.origin || whyUnreadable(record) !== undefined) {
    const advice = "Use the id of an unknown generation, from recover() or an OutcomeUnknownError.";
    throw invalidRequest(
      "resolve",
      "generationId",
      "notAllowed",
      `${describeValue(generationId)} is not in the store`,
      advice,
    );
  }
  // What a person found out about one attempt says nothing about the next one, which may have been billed.
  if (record.attempt !== (attempt ?? record.attempt))
    throw new StoreError("resolve", "another attempt has begun since", {
      isRetryable: false,
      advice: "Find out about that one, which recover() lists if its outcome is unknown.",
    });
  if (taskid !== undefined && record.task?.taskid === taskid) return record.task;
  await rejectSettled(recorder, record, taskid, signal);
  if (taskid !== undefined) {
    const holder = await findHolder(recorder, record, taskid);
    const isUnverified = resolution !== "notCreated" && resolution.unverified;
    // Only an existing task may replace one that has ended. Otherwise an invented id could free the key.
    const isKnown = (isUnverified && record.state !== "ended") || (await exists(record.kind, taskid));
    if (!isKnown) {
      const way = record.state === "ended" ? "." : ", or pass { unverified: true } to record it anyway.";
      const advice = `Use the id of a task that the service at ${record.origin} knows${way}`;
      throw invalidRequest(
        "resolve",
        "taskid",
        "notAllowed",
        `${describeValue(taskid)} is not known to the service`,
        advice,
      );
    }
    if (holder) await takeTask(recorder, holder, record);
  }
  const task = taskid === undefined ? undefined : taskOf(record, taskid);
  const state = task ? ("created" as const) : ("notCreated" as const);
  const { time } = recorder.session.host;
  const changed = { state, task, outcome: undefined, reason: "resolved by hand", resolvedByHand: true };
  const result = await recorder.session.write(next(record, { ...changed, updatedAt: time.now() }));
  // Another writer has changed the record, so it is read again.
  return result.written ? task : resolveGeneration(recorder, generationId, resolution, exists, signal, record.attempt);
}

function taskidOf(resolution: Resolution): string | undefined {
  if (resolution === "notCreated") return undefined;
  const taskid: unknown = resolution?.taskid;
  if (typeof taskid === "string" && taskid !== "") return taskid;
  throw invalidRequest("resolve", "resolution", "invalid", mustBe('{ taskid } or "notCreated"', resolution));
}

function taskOf(
  { kind, model, origin, resultCount, createdAt, id: generationId }: GenerationRecord,
  taskid: string,
): TaskJSON {
  return { version: 2, kind, model, taskid, origin, resultCount, createdAt, generationId };
}

/** Rejects a generation whose outcome came, or will come, from the service itself. */
async function rejectSettled(
  recorder: Recorder,
  record: GenerationRecord,
  taskid: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { state, task, resolvedByHand } = record;
  // A wrong task is noticed only by its results. A key whose task has ended never generates again.
  if (state === "unknown" || (resolvedByHand && (state !== "ended" || taskid !== undefined))) return;
  const isUnderWay = state === "claimed" || state === "sending";
  const settled = isUnderWay ? await settleSender(recorder, record, signal) : record;
  if (settled?.state === "unknown") return;
  const why = isUnderWay ? "is still under way" : `has a known outcome (${task?.taskid ?? state})`;
  const advice = "Use a generation of unknown outcome. For one that was resolved by hand, the task can be corrected.";
  throw invalidRequest("resolve", "generationId", "notAllowed", `${record.id} ${why}`, advice);
}

/**
 * Returns the record that a user has resolved to this task. Rejects a task that the service returned for another generation.
 */
async function findHolder(
  { session: { host } }: Recorder,
  { id, kind }: GenerationRecord,
  taskid: string,
): Promise<GenerationRecord | undefined> {
  for await (const other of host.store.list({ states: ["created", "ended"] })) {
    if ("unreadable" in other || other.id === id || other.origin !== host.origin || other.kind !== kind) continue;
    if (other.task?.taskid !== taskid) continue;
    if (other.resolvedByHand) return other;
    const problem = `${describeValue(taskid)} is the task of the generation ${other.id}`;
    throw invalidRequest(
      "resolve",
      "taskid",
      "notAllowed",
      problem,
      "Two generations never share a task: check both ids.",
    );
  }
  return undefined;
}

/** Takes a task from the record that a user resolved to it. Its outcome is unknown again, so swapped tasks can be corrected. */
async function takeTask({ session }: Recorder, holder: GenerationRecord, { id }: GenerationRecord): Promise<void> {
  const reason = `its task was resolved as that of the generation ${id}`;
  const changed = { state: "unknown" as const, task: undefined, outcome: undefined, reason };
  const { written } = await session.write(next(holder, { ...changed, updatedAt: session.host.time.now() }));
  if (!written)
    throw new StoreError("resolve", "another process has changed the generation that holds the task", {
      advice: "Try again.",
    });
}
