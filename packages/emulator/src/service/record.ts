import type { Context } from "./context.ts";
import type { Schema } from "./document.ts";
import { resultUrl } from "./downloads.ts";
import type { Route } from "./routes.ts";
import { type EmulatorTask, resultsAt, stateAt } from "./task.ts";
import { violationsOf } from "./validate.ts";

/** Returns the current record of a task, as a query of its kind returns it. */
export function recordOf(
  context: Context,
  { data }: Route,
  task: EmulatorTask,
  baseUrl: string,
  status: number,
): Readonly<Record<string, unknown>> {
  const { behaviour, clock } = context;
  const { taskid, plan, fields } = task;
  const now = clock.now();
  const url: string[] = [];
  for (let number = 1; number <= resultsAt(task, now, behaviour); number++)
    url.push(resultUrl(context, baseUrl, task, number));
  const form = formOf(context, task.model);
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
    fps: plan.video && Math.round(plan.video.fps),
    duration: plan.video && Math.round(plan.video.seconds),
  };
  const record: Record<string, unknown> = {};
  for (const name in data.properties) {
    const value = name.endsWith("_status") ? status : (known[name] ?? fields[name] ?? form[name]?.default);
    if (value !== undefined) record[name] = value;
  }
  return record;
}

/** Returns the fields of a model's form. */
function formOf({ routes }: Context, model: string): Readonly<Record<string, Schema>> {
  for (const { verb, model: own, body } of routes.values())
    if (verb === "generate" && own === model) return body.properties ?? {};
  return {};
}

/** Returns whether a task's record matches the document. It does for all tasks that the emulator has created. */
export function hasValidRecord(context: Context, task: EmulatorTask): boolean {
  const route = [...context.routes.values()].find(({ verb, kind }) => verb === "query" && kind === task.kind);
  return route !== undefined && violationsOf(route.data, recordOf(context, route, task, "", 0)).length === 0;
}
