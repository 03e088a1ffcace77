import { invalidRequest } from "../errors/errors.ts";
import { describeValue, returnedTask } from "../errors/issue.ts";
import { isObject } from "../spec/is-object.ts";
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

/** Runs the function that fetches a task's results, and emits its error. */
export function reportFetching<T>(
  subject: string,
  task: Task,
  run: (context: ResultContext) => Promise<T>,
): Promise<T> {
  const context = contexts.get(task);
  if (!context) {
    const isRecord = isObject(task) && "taskid" in task && "url" in task;
    const received = isRecord ? "its record: pass the task itself" : describeValue(task);
    throw invalidRequest(subject, "task", "wrongType", received, returnedTask);
  }
  const { kind, model, taskid, generationId } = task;
  return context.failures.report({ operation: "download", kind, model, taskid, generationId }, () => run(context));
}
