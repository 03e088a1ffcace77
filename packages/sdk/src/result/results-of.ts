import { invalidRequest } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import type { Task } from "../task/task.ts";
import type { ResultContext } from "./context.ts";

/** One result of a task. */
export interface TaskResult {
  readonly task: Task;
  readonly index: number;
  readonly count: number;
  readonly url: string;
  /** Checks the task again and returns the result's current URL: URLs expire. */
  renew(): Promise<string | undefined>;
}

/** Returns the results of a task, from its last record, or else from one check. */
export async function resultsOf(
  subject: string,
  task: Task,
  signal: AbortSignal | undefined,
  { check }: ResultContext,
): Promise<readonly TaskResult[]> {
  const { url: named = [] } = task.record ?? (await check(task, signal)).record ?? {};
  // A task that was made from its id alone does not know what its form requested.
  const urls = task.model === undefined ? named : named.slice(0, task.resultCount);
  if (urls.length === 0) {
    const problem = `${shorten(task.taskid)} has no results yet`;
    throw invalidRequest(subject, "task", "notAllowed", problem, "Use a task that has succeeded: wait for it first.");
  }
  const renew = (index: number) => async () => (await check(task, signal)).record?.url[index];
  return urls.map((url, index) => ({ task, index, count: urls.length, url, renew: renew(index) }));
}
