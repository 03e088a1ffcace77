import { afterCreation, invalidRequest, rejectIssues, ServiceError } from "../errors/errors.ts";
import { describeValue, issueOf, mustBe, notLost } from "../errors/issue.ts";
import { hosts } from "../result/results.ts";
import { saysUnknownTask } from "../money/response.ts";
import { isObject, withoutUndefined } from "../spec/values.ts";
import type { Kind } from "../spec/operation.ts";
import { kinds, operations } from "../spec/operations.gen.ts";
import type { DeleteFields, Deletions, Records } from "../spec/types.gen.ts";
import type {
  Check,
  RequestOptions,
  State,
  Task,
  TaskJSON,
  TaskRecord,
  WaitOptions,
} from "../task/task.ts";
import type { Ending } from "../time/deadline.ts";
import { longestRetryMs, knownAfterMs } from "../wait/pace.ts";
import { type Poll, type WaitCheck, waitFor } from "../wait/wait.ts";
import type { Host } from "./host.ts";
import { deleteTasks, queryTask } from "./tasks.ts";

const states: readonly State[] = ["pending", "succeeded", "failed"];
/** The least number of checks in a row with equally many results, fewer than requested. */
const checksOfPartialResult = 3;

export interface TaskHandle<out K extends Kind> extends Pick<
  Task<K>,
  Exclude<keyof TaskJSON, "version" | "partial">
> {}

export class TaskHandle<out K extends Kind = Kind> implements Task<K> {
  #record: Records[K] | undefined;
  #partial: TaskJSON["partial"];
  #isDeleted = false;
  #hasEnded = false;
  readonly #host: Host;

  constructor(json: TaskJSON, host: Host) {
    const { kind, taskid, origin, resultCount, model } = json;
    const { createdAt, initialUrl, generationId, requestId } = json;
    // Only these: saved JSON may have others, which could replace a method.
    Object.assign(this, { kind, taskid, origin, resultCount, model });
    Object.assign(this, { createdAt, initialUrl, generationId, requestId });
    this.#partial = json.partial;
    this.#host = host;
    hosts.set(this, host);
  }

  get record(): Records[K] | undefined {
    return this.#record;
  }

  check(options: RequestOptions = {}): Promise<Check<K>> {
    const { id: operation } = operations[this.kind].query;
    return this.#host.report({ operation, task: this }, () => this.checkSilently(options));
  }

  async checkSilently(options: RequestOptions): Promise<Check<K>> {
    try {
      const { recorded, ...check } = await this.#check(options);
      await recorded;
      // The cast: only a pending task has the delay.
      return (
        check.state === "pending" ? { ...check, afterMs: this.#afterMs() } : check
      ) as Check<K>;
    } catch (error) {
      // The clock of the host that generated it may be ahead.
      const ageMs = Math.abs(this.#host.time.now() - (this.createdAt ?? -Infinity));
      const isUnknown = error instanceof ServiceError && saysUnknownTask(error);
      if (!isUnknown || ageMs >= knownAfterMs || this.#isDeleted) throw error;
      const { requestId } = error;
      return {
        state: "pending",
        status: undefined,
        record: undefined,
        requestId,
        afterMs: this.#afterMs(),
      };
    }
  }

  #afterMs(): number {
    const { pollLimit, time } = this.#host;
    if (this.createdAt === undefined || this.#partial) return longestRetryMs;
    const ageMs = Math.max(0, time.now() - this.createdAt);
    return Math.ceil(pollLimit.durationsOf(this.model ?? this.kind).next(ageMs, 1) - ageMs);
  }

  async #check(options: RequestOptions, poll?: Poll): Promise<WaitCheck<K>> {
    const query = queryTask(this.#host, this, options, poll);
    const { record, requestId } = await query.catch((error) =>
      Promise.reject(afterCreation(error, this)),
    );
    const fields: object = record;
    const raw: unknown = Reflect.get(fields, operations[this.kind].statusField);
    const status = typeof raw === "number" ? raw : undefined;
    const state = this.#stateOf(record, status);
    this.#record = record;
    return {
      state,
      status,
      record,
      requestId,
      recorded: this.#end({ state, status, record }, poll?.signal ?? options.signal),
    };
  }

  /**
   * Returns a record's state: as the caller reads it, or else by the only documented sign, its
   * result URLs.
   */
  #stateOf(record: TaskRecord, status: number | undefined): State {
    const { statuses, classify } = this.#host.states;
    this.#partial = this.#partialOf(record.url.length);
    const isDone = record.url.length >= this.resultCount || this.#isPartialDone();
    const isOneOf = (list: readonly number[] = []) => status !== undefined && list.includes(status);
    let state: State = isDone ? "succeeded" : "pending";
    if (isOneOf(statuses?.succeeded)) state = "succeeded";
    if (isOneOf(statuses?.failed)) state = "failed";
    state = classify?.(record) ?? state;
    if (!states.includes(state)) {
      // A rejection that nobody handles would end the process.
      Promise.resolve(state).catch(() => undefined);
      // A classify that returns something else, such as a promise, must not end the wait for a paid
      // task.
      const problem = `must return ${states.join(", ")} or undefined, not ${describeValue(state)}`;
      throw invalidRequest("createMediaGen", "classify", "invalid", problem, "", notLost);
    }
    return state;
  }

  /** Returns since when, and in how many checks, a task has had so many of its results. */
  #partialOf(count: number): TaskJSON["partial"] {
    if (count === 0 || count >= this.resultCount) return undefined;
    const { checks, since } =
      this.#partial?.count === count ? this.#partial : { checks: 0, since: this.#host.time.now() };
    return { count, checks: checks + 1, since };
  }

  /**
   * Returns whether the results that are there count as all, although more were requested: once
   * their number has not changed for a minute, or half of the task's age if that is longer.
   */
  #isPartialDone(): boolean {
    if (!this.#partial) return false;
    const { checks, since } = this.#partial;
    const now = this.#host.time.now();
    const ageMs = now - (this.createdAt ?? now);
    return checks >= checksOfPartialResult && now - since >= Math.max(60_000, ageMs / 2);
  }

  async #end(
    { state, status, record }: Pick<WaitCheck<K>, "state" | "status" | "record">,
    signal: Ending | undefined,
  ): Promise<void> {
    if (state === "pending" || this.#hasEnded) return;
    this.#hasEnded = true;
    const { kind, model, taskid, resultCount, createdAt, generationId } = this;
    const at = this.#host.time.now();
    const durationMs = createdAt && Math.round(at - createdAt);
    const results = record.url.length;
    const about = { kind, model, taskid, state, status, at, durationMs };
    this.#host.emit({ type: "ended", ...about, results, resultCount });
    if (generationId === undefined) return;
    const ledger = await this.#host.ledger?.();
    await ledger?.end({ kind, taskids: [taskid], outcome: state, generationId }, signal);
  }

  wait(options: WaitOptions<K> = {}): Promise<Records[K]> {
    const wait = () => waitFor(this, (poll) => this.#check({}, poll), options, this.#host);
    return this.#host.report({ operation: "wait", task: this }, wait);
  }

  delete(options: DeleteFields[K] & RequestOptions = {}): Promise<Deletions[K]> {
    const { id: operation } = operations[this.kind].delete;
    return this.#host.report({ operation, task: this }, async () => {
      const deletion = await deleteTasks(this.#host, this.kind, [this.taskid], options);
      this.#isDeleted = true;
      return deletion;
    });
  }

  toJSON(): TaskJSON {
    // The cast: only undefined fields are left out.
    return withoutUndefined({ version: 2, ...this, partial: this.#partial }) as TaskJSON;
  }
}

export function readTask(saved: TaskJSON, client: string): TaskJSON {
  if (!isObject(saved) || saved instanceof Promise) {
    const expected =
      "the parsed JSON of a task (for an id, use media.video.task or media.image.task)";
    throw invalidRequest("media.task", "saved", "invalid", mustBe(expected, saved));
  }
  const { version, kind, taskid, origin, resultCount, createdAt = 0 } = saved;
  const own = `${client}, this client's origin (change it if both reach the same service)`;
  const expect = (field: keyof TaskJSON, holds: boolean, expected: string) =>
    holds ? [] : [issueOf(field, "invalid", mustBe(expected, saved[field]))];
  rejectIssues("task", [
    ...expect("version", version === 2, "2"),
    ...expect("kind", kinds.includes(kind), kinds.join(" or ")),
    ...expect("taskid", typeof taskid === "string" && taskid !== "", "a task id"),
    ...expect(
      "resultCount",
      Number.isSafeInteger(resultCount) && resultCount > 0,
      "a whole number, at least 1",
    ),
    ...expect("createdAt", Number.isFinite(createdAt), "a time in milliseconds, or nothing"),
    ...expect("origin", origin === client, own),
  ]);
  return saved;
}
