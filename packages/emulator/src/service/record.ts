import type { Context } from "./context.ts";
import { resultUrl } from "./downloads.ts";
import type { Route } from "./routes.ts";
import { type EmulatorTask, resultsAt, stateAt } from "./task.ts";
import { violationsOf } from "./validate.ts";

/** Returns the record of a task as the query of its kind returns it now. */
export function recordOf(
  context: Context,
  { data }: Route,
  task: EmulatorTask,
  baseUrl: string,
  status: number,
): Readonly<Record<string, unknown>> {
  const { behaviour, clock, routes } = context;
  const { taskid, plan, fields } = task;
  const now = clock.now();
  const url = Array.from({ length: resultsAt(task, now, behaviour) }, (_, index) =>
    resultUrl(context, baseUrl, task, index + 1),
  );
  const form =
    [...routes.values()].find(({ verb, model }) => verb === "generate" && model === task.model)?.body.properties ?? {};
  const known: Readonly<Record<string, unknown>> = {
    taskid,
    url,
    message: stateAt(task, now) === "failed" ? "this failure was requested by a fault or by the prompt" : "",
    source: "emulator",
    imageurl: fields["imageUrl"] ?? "",
    starttime: new Date(task.createdAt).toISOString().slice(0, 19).replace("T", " "),
    seed: task.seed,
    width: plan.width,
    height: plan.height,
    ...(plan.video ? { fps: Math.round(plan.video.fps), duration: Math.round(plan.video.seconds) } : {}),
  };
  const record = Object.keys(data.properties ?? {}).map((name) => {
    const value = name.endsWith("_status") ? status : (known[name] ?? fields[name] ?? form[name]?.default);
    return [name, value] as const;
  });
  return Object.fromEntries(record.filter(([, value]) => value !== undefined));
}

/** Returns whether a task's record matches the document. Those of all tasks do that the emulator has created. */
export function hasValidRecord(context: Context, task: EmulatorTask): boolean {
  const route = [...context.routes.values()].find(({ verb, kind }) => verb === "query" && kind === task.kind);
  return route !== undefined && violationsOf(route.data, recordOf(context, route, task, "", 0)).length === 0;
}
