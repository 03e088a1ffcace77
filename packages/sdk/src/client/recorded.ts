import { type OptionTypes, readOptions } from "../errors/options.ts";
import { StoreError } from "../errors/errors.ts";
import { digestOf } from "../form/digest.ts";
import type { Kind } from "../spec/operation.ts";
import { type Attempt, OvertakenError } from "../store/attempt.ts";
import { Recorder, sameKeyAgain } from "../store/recorder.ts";
import { readRecorded, type Resolution, resolveGeneration } from "../store/recovery.ts";
import type { RecordingHost } from "../store/session.ts";
import { generationIdOf } from "../store/store.ts";
import type { GenerationFacts, GenerationRecord } from "../task/generation.ts";
import type { AnyTask, CallOptions, TaskJSON } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { orGrace } from "../time/grace.ts";
import { askBefore, type CheckedGeneration, type GenerateHost, inTurn, type Recording, send } from "./generate.ts";
import type { Recovery } from "./media-gen.ts";

const callOptions: OptionTypes<CallOptions> = { signal: "signal" };

/** The maximum number of other attempts that come first. After more, the store itself is at fault. */
const mostLosses = 100;
/** The time for which an aborted call still waits for the record of its outcome. */
const graceMs = 1_000;

/** The generations of a client with a store. It is loaded at first use, so that clients without a store do not load it. */
export class RecordedGenerations implements Recording {
  readonly #recorder: Recorder;

  constructor(host: RecordingHost) {
    this.#recorder = new Recorder(host);
  }

  /** Generates and returns the task: a new one, or the existing one of its idempotency key. */
  async generate(checked: CheckedGeneration, host: GenerateHost): Promise<TaskJSON> {
    const { idempotencyKey, signal } = checked;
    if (idempotencyKey === undefined) return this.#generate(checked, host, undefined);
    const id = await generationIdOf(host.origin, idempotencyKey);
    const { pending } = this.#recorder.session.known;
    // A second call with the key finds the task of the first one: until then it must not take its turn.
    for (let other = pending.get(id); other; other = pending.get(id)) await orAbort(other, signal);
    let resolve = (): void => undefined;
    pending.set(id, new Promise<void>((done) => (resolve = done)));
    return this.#generate(checked, host, id).finally(() => {
      pending.delete(id);
      resolve();
    });
  }

  async #generate(checked: CheckedGeneration, host: GenerateHost, idOfKey: string | undefined): Promise<TaskJSON> {
    const { kind, model, operation, wire, resultCount, idempotencyKey, signal } = checked;
    const { origin } = host;
    const digest = await orAbort(digestOf(wire), signal);
    const facts = { kind, model, origin, digest, resultCount, idempotencyKey };
    for (let losses = 0; ; losses++) {
      if (losses > mostLosses)
        throw new StoreError(model, "the store neither writes nor returns a record", { advice: sameKeyAgain });
      const id = idOfKey ?? crypto.randomUUID();
      const found = idOfKey ? await this.#recorder.find(id, facts, operation.id, signal) : { replaces: undefined };
      if (found.task) return found.task;
      const task = await inTurn(checked, host, async () => {
        const attempt = await this.#recorder.begin(facts, id, found.replaces, signal);
        return attempt && run(attempt, checked, host, facts);
      });
      if (task) return task;
    }
  }

  /** Records that a task has ended. Never rejects. */
  end(task: TaskJSON, outcome: GenerationRecord["outcome"]): Promise<void> {
    return this.#recorder.end(task, outcome);
  }

  /** Records that tasks were deleted, also those that other clients generated. Never rejects. */
  endDeleted(kind: Kind, taskids: readonly string[]): Promise<void> {
    return this.#recorder.endDeleted(kind, taskids);
  }

  /** Returns the tasks to resume and the unknown generations. */
  async recover(given: CallOptions, open: Open): Promise<Recovery> {
    const options = readOptions("recover", given, callOptions);
    const recorded = await orAbort(readRecorded(this.#recorder, options), options.signal);
    return { ...recorded, tasks: recorded.tasks.map(open), finished: recorded.finished.map(open) };
  }

  /** Records the outcome that a caller has found, and returns the task. */
  async resolve(
    generationId: string,
    resolution: Resolution,
    isKnown: IsKnown,
    open: Open,
    options: CallOptions,
  ): Promise<AnyTask | undefined> {
    const { signal } = readOptions("resolve", options, callOptions);
    const exists = (kind: Kind, taskid: string) => isKnown(kind, taskid, signal);
    const task = await orAbort(resolveGeneration(this.#recorder, generationId, resolution, exists, signal), signal);
    return task && open(task);
  }
}

/** Creates the handle of a recorded task. */
type Open = (task: TaskJSON) => AnyTask;

/** Returns whether the service knows a task. */
type IsKnown = (kind: Kind, taskid: string, signal: AbortSignal | undefined) => Promise<boolean>;

/** Runs one attempt. Returns undefined if another one has taken over before anything was sent. */
async function run(
  attempt: Attempt,
  checked: CheckedGeneration,
  host: GenerateHost,
  facts: GenerationFacts,
): Promise<TaskJSON | undefined> {
  const { signal } = checked;
  let task: TaskJSON;
  try {
    await askBefore(checked, host);
    task = await send(checked, host, attempt, facts);
  } catch (error) {
    await orGrace(attempt.failed(error, signal), signal, graceMs, host.time);
    if (error instanceof OvertakenError) return undefined;
    throw error;
  }
  // The task is paid, so it is returned even if it cannot be recorded.
  return (await orGrace(attempt.created(task), signal, graceMs, host.time)) ?? { ...task, generationId: attempt.id };
}
