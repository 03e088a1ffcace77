import { InvalidRequestError } from "../errors/errors.ts";
import type { Task } from "../task/task.ts";
import type { ResultContext, ResultSource } from "./copy.ts";

const contexts = new WeakMap<Task, ResultContext>();

/** Keeps how a task's results are fetched. */
export function rememberContext(task: Task, context: ResultContext): void {
  contexts.set(task, context);
}

/** How a task's results are fetched. */
export function resultContextOf(task: Task): ResultContext {
  const context = contexts.get(task);
  if (!context) throw new TypeError("this is no task of a client's");
  return context;
}

/** The results of a task, by its last record or one check. */
export async function sourcesOf(task: Task, signal: AbortSignal | undefined): Promise<readonly ResultSource[]> {
  const { url } = task.record ?? (await task.check({ signal })).record;
  if (url.length === 0) {
    const issue = {
      field: "task",
      got: `${task.taskid} without results`,
      allowed: "a task that has succeeded: wait for it first",
    };
    throw new InvalidRequestError("download: there is nothing to download", [issue]);
  }
  const renew = (index: number) => async () => (await task.check({ signal })).record.url[index];
  return url.map((address, index) => ({ task, index, count: url.length, address, renew: renew(index) }));
}
