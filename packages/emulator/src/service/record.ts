import type { Context } from "./context.ts";
import { resultUrl } from "./downloads.ts";
import type { Operation } from "./operation.ts";
import { type EmulatorTask, resultsAt, stateAt } from "./task.ts";

/** Returns the current record of a task, as a query of its kind returns it. */
export function recordOf(
  context: Context,
  task: EmulatorTask,
  {
    names,
    baseUrl,
    status,
  }: { readonly names: readonly string[]; readonly baseUrl: string; readonly status: number },
): Readonly<Record<string, unknown>> {
  const { behaviour, clock } = context;
  const { taskid, plan, fields } = task;
  const now = clock.now();
  const url: string[] = [];
  for (let number = 1; number <= resultsAt(task, now, behaviour); number++)
    url.push(resultUrl(context, baseUrl, task, number));
  const form = formOf(context, task)?.fields ?? {};
  const known: Readonly<Record<string, unknown>> = {
    taskid,
    url,
    message:
      stateAt(task, now) === "failed"
        ? "this failure was requested by a fault or by the prompt"
        : "",
    source: "emulator",
    imageurl: fields["imageUrl"] ?? "",
    starttime: new Date(task.createdAt).toISOString().slice(0, 19).replace("T", " "),
    seed: task.seed,
    width: plan.width,
    height: plan.height,
    fps: plan.video && Math.round(plan.video.fps),
    duration: plan.video && Math.round(plan.video.seconds),
  };
  const record: Record<string, unknown> = {};
  for (const name of names) {
    const value = name.endsWith("_status")
      ? status
      : (known[name] ?? fields[name] ?? form[name]?.default);
    if (value !== undefined) record[name] = value;
  }
  return record;
}

/**
 * Returns the operation that has created a task; undefined for a task of a snapshot that no
 * operation can have created.
 */
export function formOf(
  { operations }: Context,
  { kind, model }: EmulatorTask,
): Operation | undefined {
  return [...operations.values()].find(
    (one) => one.verb === "generate" && one.kind === kind && one.model === model,
  );
}
