import { type GenerationEntry, InvalidRequestError, type Issue } from "@mediagen/sdk/node";
import { describeValue, inspectForm, issueOf } from "@mediagen/sdk/kit";
import { Amounts } from "./amounts.ts";
import { Ids } from "./ids.ts";
import { inField, nothingSent, stopped } from "./issues.ts";
import type { KnownLine, KnownLines } from "./known-lines.ts";
import { digestOfGiven, type Form, LineReader, type ReadRow } from "./line-reader.ts";
import type { BatchLine, BatchOptions, BatchPlan } from "./options.ts";
import type { EndedLine, KnownResults } from "./results-file.ts";
import { readRows, type Row } from "./rows.ts";

interface Todo {
  readonly id: string;
  readonly key: string;
  /** Whether this generation has no entry yet, so that it will be billed. */
  readonly isNew: boolean;
  /** Key for a second generation, which is billed if the first task has failed. */
  readonly retryKey: string | undefined;
  /** Reason why its entry cannot be read, so that it must not be sent. */
  readonly unreadable: string | undefined;
  /** Its outcome if it is not run; undefined if nothing has been billed for it. */
  readonly left:
    | Pick<BatchLine, "state" | "taskid" | "generationId" | "attempt" | "error">
    | undefined;
}

/** A line that has to run. */
export interface PlannedLine extends Form, Todo {
  readonly line: number;
}

interface PlanSources {
  readonly input: string;
  readonly origin: string;
  readonly known: KnownLines;
  readonly results: KnownResults;
  readonly options: BatchOptions;
}

/**
 * Reads an input twice: to check every line before anything is sent, and to run the lines one by
 * one. The second pass compares their text, and the sizes and times of their files, to notice a
 * change.
 */
export class Plan {
  readonly #sources: PlanSources;
  readonly #reader: LineReader;
  readonly #ids = new Ids();
  /**
   * The checked rows without their contents, which would need too much memory, and what is left to
   * do for each.
   */
  readonly #checked: { readonly fingerprint: number; readonly todo: Todo | undefined }[] = [];
  readonly #issues: Issue[] = [];
  readonly #amounts = new Amounts();
  /** Ids from the option `only` that are not found yet. */
  readonly #missing: Set<string>;
  readonly #counts = { lines: 0, generations: 0, retries: 0, unknown: 0 };
  /** Number of lines that have to run, within the limit. */
  todo = 0;
  /** Number of lines that ended in earlier runs. */
  readonly ended = { succeeded: 0, failed: 0 };

  private constructor(sources: PlanSources) {
    this.#sources = sources;
    this.#reader = new LineReader(sources.input);
    this.#missing = new Set(sources.options.only);
  }

  /** Checks every line of an input. Throws an error that names all invalid lines. */
  static async make(sources: PlanSources): Promise<Plan> {
    const { input, origin, known, options } = sources;
    const plan = new Plan(sources);
    const other = await known.origin();
    if (other !== undefined && other !== origin)
      plan.#reject("directory", `has results of ${other}`, `Use another directory for ${origin}.`);
    for await (const row of readRows(input)) {
      options.signal?.throwIfAborted();
      await plan.#check(row);
    }
    if (plan.#checked.length === 0)
      plan.#reject("input", "has no lines", "Use a file with at least one line.");
    for (const id of plan.#missing)
      plan.#reject("only", `${describeValue(id)} is not the id of a line`, "Use the id of a line.");
    if (plan.#issues.length > 0) throw nothingSent(...plan.#issues);
    return plan;
  }

  get summary(): BatchPlan {
    return { ...this.#counts, byModel: this.#amounts.byModel };
  }

  /**
   * Yields the lines that have to run, as they are read. Throws if the input has changed since it
   * was checked.
   */
  async *lines(): AsyncGenerator<PlannedLine, void, undefined> {
    let index = 0;
    for await (const row of readRows(this.#sources.input)) {
      const checked = this.#checked[index++];
      const { form, fingerprint } = await this.#reader.read(row);
      if (!form || checked?.fingerprint !== fingerprint) throw changed(`line ${row.line}`);
      if (checked.todo) yield { line: row.line, ...checked.todo, ...form };
    }
    if (index < this.#checked.length) throw changed(`line ${index + 1} and on`);
  }

  #reject(field: string, problem: string, advice: string): void {
    this.#issues.push(issueOf(field, "invalid", problem, advice));
  }

  async #check(row: Row): Promise<void> {
    const read = await this.#reader.read(row);
    const todo = await this.#checkRow(row, read).catch((error: unknown) => {
      if (!(error instanceof InvalidRequestError)) throw error;
      this.#issues.push(
        ...error.issues.map((issue) => inField(`line ${row.line}, ${issue.field}`, issue)),
      );
    });
    this.#checked.push({ fingerprint: read.fingerprint, todo: todo ?? undefined });
  }

  /**
   * Returns the work that is left for a row. Throws if it is invalid, or one of its files has
   * changed since it was opened.
   */
  async #checkRow({ line }: Row, { id: own, form, issues }: ReadRow): Promise<Todo | undefined> {
    if (!form) throw nothingSent(...issues);
    const { model } = form.info;
    // A file that could not be opened already has an issue.
    const inspected = await inspectForm(model, form.form);
    const more = inspected.issues.filter(
      ({ field }) => !issues.some((issue) => issue.field === field),
    );
    if (issues.length + more.length > 0) throw nothingSent(...issues, ...more);
    // Computed only if needed, because it reads the bytes of files, as `generate` does later.
    const { resultCount, digest } = inspected;
    const id = await this.#ids.take(own, line, async () => [model, (await digest()) ?? ""]);
    // An id is of one line only.
    if (this.#sources.options.only && !this.#missing.delete(id)) return undefined;
    const known = await this.#sources.known.get(this.#sources.origin, id);
    const ended = this.#sources.results.ended.get(id);
    // A directory that was copied without its store has only the results.
    const isOther = known.entry
      ? known.entry.model !== model || known.entry.digest !== (await digest())
      : ended && ended.form !== digestOfGiven(model, form.given);
    if (isOther) {
      const problem = `${JSON.stringify(id)} was first used with another form in this directory`;
      throw nothingSent(issueOf("id", "invalid", problem, "Use that form, or a new id."));
    }
    const add = () => this.#amounts.add(form.info, form.form, resultCount);
    return this.#count(id, add, known, ended);
  }

  /**
   * Counts a line, and returns the work that is left for it. Adds its amount if it will be billed.
   */
  #count(
    id: string,
    add: () => void,
    known: KnownLine,
    ended: EndedLine | undefined,
  ): Todo | undefined {
    const { limit = Infinity, retryFailed = false } = this.#sources.options;
    const { key, entry, unreadable } = known;
    this.#counts.lines++;
    // The store may have a newer task than the results: a second one, or one from `resolve`.
    const isLast = !entry || entry.task?.taskid === ended?.taskid;
    const isQueried = retryFailed && ended?.state === "failed" && entry !== undefined;
    if (ended && isLast && !isQueried) {
      this.ended[ended.state]++;
      return undefined;
    }
    const isNew = !entry && unreadable === undefined;
    const retryKey = retryFailed ? known.retryKey : undefined;
    const hasRoom = this.#counts.generations < limit;
    if (entry && !entry.task) this.#counts.unknown++;
    if (!isNew || hasRoom) this.todo++;
    if (hasRoom && (isNew || retryKey !== undefined)) {
      this.#counts.generations++;
      if (!isNew) this.#counts.retries++;
      add();
    }
    return { id, key, isNew, retryKey, unreadable, left: entry && leftBy(entry) };
  }
}

function leftBy({
  id,
  attempt,
  task,
  reason = "no outcome is known",
}: GenerationEntry): NonNullable<Todo["left"]> {
  if (task) return { state: "unfinished", taskid: task.taskid };
  return {
    state: "unknown",
    generationId: id,
    attempt,
    error: { name: "OutcomeUnknownError", message: reason },
  };
}

/**
 * Returns the error of a batch that stopped after it had started, so that something may have been
 * sent.
 */
function changed(field: string): InvalidRequestError {
  const advice = "Pass an input that does not change during a batch.";
  const issue = issueOf(field, "invalid", "has changed since it was checked", advice);
  return new InvalidRequestError("runBatch", [issue], stopped, "maybe");
}
