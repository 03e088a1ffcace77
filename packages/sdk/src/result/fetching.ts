import { invalidRequest, ofTask } from "../errors/errors.ts";
import { describeValue, returnedTask } from "../errors/issue.ts";
import type { OptionTypes } from "../errors/options.ts";
import { isObject } from "../spec/is-object.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { contexts, type ResultContext } from "./context.ts";

/** The options for fetching results. */
export const resultOptions: OptionTypes<ResultOptions> = {
  maxBytes: "number",
  stallTimeoutMs: "number",
  resultTimeoutMs: "number",
  allowPrivateHosts: "boolean",
  onProgress: "function",
  signal: "signal",
};

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
    throw invalidRequest(subject, "task", "invalid", `must be ${returnedTask}, not ${received}`);
  }
  const { kind, model, taskid, generationId } = task;
  return context.report({ operation: "download", kind, model, taskid, generationId }, () => ofTask(run(context), task));
}
