import { notATask } from "../errors/issue.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { contexts, type ResultContext } from "./context.ts";

const ofResults: Readonly<Record<keyof ResultOptions, true>> = {
  maxBytes: true,
  stallTimeoutMs: true,
  resultTimeoutMs: true,
  retries: true,
  allowPrivateHosts: true,
  onProgress: true,
  signal: true,
};
/** The names of the options for fetching results. */
export const resultOptionNames: readonly string[] = Object.keys(ofResults);

/** Runs what fetches a task's results, and emits what it rejects with. */
export function reportFetching<T>(task: Task, run: (context: ResultContext) => Promise<T>): Promise<T> {
  const context = resultContextOf(task);
  const { kind, model, taskid, generationId } = task;
  return context.failures.of({ operation: "download", kind, model, taskid, generationId }, () => run(context));
}

/** Returns how to fetch a task's results. */
function resultContextOf(task: Task): ResultContext {
  const context = contexts.get(task);
  if (!context) throw notATask("download", task);
  return context;
}
