import { ServiceError, serviceError } from "../errors/errors.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Task } from "../task/task.ts";
import type { Time } from "../time/clock.ts";

/** A kind of rejection that ends a wait: after `times` in a row, over at least `spanMs`. */
interface Rule {
  readonly times: number;
  readonly spanMs: number;
  readonly advice: string;
}

/** The service does not know the task, or rejects its queries for another reason. */
const unknownTask: Rule = { times: 5, spanMs: 0, advice: "Check the task's id and baseUrl." };
/** HTTP 401 or 403. A wrong key stays wrong, but a gateway may send some of them while it restarts or throttles. */
const rejectedKey: Rule = {
  times: 3,
  spanMs: 10_000,
  advice:
    "The API key is missing or not accepted. The task is not lost: save JSON.stringify(error.task), and wait again with a valid key.",
};

/** Ends a wait whose queries the service rejects for good. */
export class Rejections {
  readonly #task: Task;
  readonly #settledAt: number;
  readonly #time: Pick<Time, "steady">;
  /** The rejections in a row that are of the same kind. */
  #last: { readonly rule: Rule; readonly times: number; readonly since: number } | undefined;

  /** Until `settledAt`, by the steady clock, the service may not know the task yet. */
  constructor(task: Task, settledAt: number, time: Pick<Time, "steady">) {
    this.#task = task;
    this.#settledAt = settledAt;
    this.#time = time;
  }

  /** Records the outcome of a query. Throws if it and those before it end the wait. */
  check(error: unknown): void {
    const at = this.#time.steady();
    const rule = this.#ruleFor(error, at);
    const last = this.#last?.rule === rule ? this.#last : undefined;
    const { times, since } = { times: (last?.times ?? 0) + 1, since: last?.since ?? at };
    this.#last = rule && { rule, times, since };
    if (error instanceof ServiceError && rule && times >= rule.times && at - since >= rule.spanMs)
      throw rejectedWait(this.#task, error, times, rule);
  }

  #ruleFor(error: unknown, at: number): Rule | undefined {
    if (!(error instanceof ServiceError)) return undefined;
    if (error.status === 401 || error.status === 403) return rejectedKey;
    return error.code === codes.failure && at >= this.#settledAt ? unknownTask : undefined;
  }
}

function rejectedWait(task: Task, error: ServiceError, times: number, { advice }: Rule): ServiceError {
  const { operation, status, code, msg, body, requestId, headers } = error;
  const said = code === undefined ? "" : `, code ${code}: ${msg}`;
  const what = `the service rejected ${times} queries of task ${task.taskid} in a row (HTTP ${status}${said})`;
  const response = { status, text: body, requestId: () => requestId, headers: () => headers };
  return serviceError(what, operation, response, { code, msg, advice, task });
}
