import {
  createMediaGen,
  fileStore,
  MediaGenError,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";

/** The result of a check, as plain JSON. */
interface Checked {
  readonly state: "pending" | "succeeded" | "failed" | "overdue";
  readonly url: readonly string[];
  /** The task with what the check has learned: check it again after `afterMs`. */
  readonly task: TaskJSON;
  readonly afterMs: number;
}

// On several machines, keep the store in your database.
const store = fileStore("generations");
const createClient = () => createMediaGen({ store });

/**
 * Generates a video once per key. `final` creates the error of your engine for a
 * step that must not run again.
 */
export async function generate(
  idempotencyKey: string,
  form: Form<"vidmodelv2">,
  final: (reason: string) => Error,
): Promise<TaskJSON> {
  try {
    return (
      await createClient().video.generate("vidmodelv2", form, { idempotencyKey })
    ).toJSON();
  } catch (error) {
    if (
      !(error instanceof MediaGenError) ||
      (error.billed === "no" && error.isRetryable)
    )
      throw error;
    throw final(error.message);
  }
}

/**
 * Checks a task once. It is overdue after 30 minutes, because a failed task may
 * look pending.
 */
export async function check(saved: TaskJSON): Promise<Checked> {
  const task = createClient().task(saved);
  const { state, record, afterMs = 0 } = await task.check();
  const isOverdue =
    state === "pending" && Date.now() - (task.createdAt ?? 0) > 30 * 60_000;
  return {
    state: isOverdue ? "overdue" : state,
    url: record?.url ?? [],
    task: task.toJSON(),
    afterMs,
  };
}
