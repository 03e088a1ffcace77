import type { GenerationRecord, InvalidRequestError, Issue } from "@mediagen/sdk/node";
import { Ids } from "./ids.ts";
import { issueOf, nothingSent, stoppedBy } from "./issues.ts";
import type { KnownLine, KnownLines } from "./known-lines.ts";
import { check, type Form, LineReader, type ReadRow } from "./line-reader.ts";
import type { BatchPlan } from "./options.ts";
import type { ResultsFile } from "./results-file.ts";
import { readRows, type Row } from "./rows.ts";

/** A line that has to run. */
export interface PlannedLine extends Form {
  readonly line: number;
  readonly id: string;
  /** Reason why its record cannot be read, so that it must not be sent. */
  readonly unreadable: string | undefined;
}

/** What a plan is made from. */
export interface PlanSources {
  readonly input: string;
  readonly origin: string;
  readonly known: KnownLines;
  readonly results: ResultsFile;
  readonly signal: AbortSignal | undefined;
}

/** What is kept of a checked row: its content would be too much to hold. */
interface Checked {
  readonly fingerprint: number;
  /** Undefined if nothing is left to do. */
  readonly todo: Pick<PlannedLine, "id" | "unreadable"> | undefined;
}

/**
 * Reads an input twice. First every line is checked, before anything is sent. Then lines are read once more, one after the
 * other, to be run. That pass only compares their text, and the sizes and times of their files, to notice a change;
 * `generate` checks and digests the form again, because it has to know what it sends.
 */
export class Plan {
  readonly #sources: PlanSources;
  readonly #reader: LineReader;
  readonly #ids = new Ids();
  readonly #checked: Checked[] = [];
  readonly #issues: Issue[] = [];
  readonly #byModel = new Map<string, number>();
  /** Lines that earlier runs have ended. */
  readonly ended = { succeeded: 0, failed: 0 };

  private constructor(sources: PlanSources) {
    this.#sources = sources;
    this.#reader = new LineReader(sources.input);
  }

  /**
   * Checks every line of an input.
   *
   * @throws {@link InvalidRequestError} some lines are invalid; it names them all
   */
  static async make(sources: PlanSources): Promise<Plan> {
    const { input, origin, known, signal } = sources;
    const plan = new Plan(sources);
    const other = await known.origin();
    if (other !== undefined && other !== origin)
      plan.#issues.push(
        issueOf("folder", "notAllowed", `a folder with results of ${other}`, `another folder for ${origin}`),
      );
    for await (const row of readRows(input)) {
      signal?.throwIfAborted();
      await plan.#check(row);
    }
    if (plan.#checked.length === 0) plan.#issues.push(issueOf("input", "tooFew", "no line", "at least one"));
    if (plan.#issues.length > 0) throw nothingSent(...plan.#issues);
    return plan;
  }

  get summary(): BatchPlan {
    const byModel = Object.fromEntries(this.#byModel);
    const generations = Object.values(byModel).reduce((sum, count) => sum + count, 0);
    return { lines: this.#checked.length, generations, byModel };
  }

  /**
   * Yields the lines that have to run, as they are read.
   *
   * @throws {@link InvalidRequestError} the input has changed since it was checked
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

  async #check(row: Row): Promise<void> {
    const read = await this.#reader.read(row);
    const { issues, todo } = await this.#todo(row, read);
    this.#issues.push(...issues.map((issue) => ({ ...issue, field: `line ${row.line}, ${issue.field}` })));
    this.#checked.push({ fingerprint: read.fingerprint, todo });
  }

  /** Checks a row, and tells whether something is left to do. */
  async #todo(
    { line }: Row,
    { id: own, form, issues }: ReadRow,
  ): Promise<{ readonly issues: readonly Issue[]; readonly todo: Checked["todo"] }> {
    if (!form) return { issues, todo: undefined };
    const { model } = form;
    const { digest, issues: found } = await check(model, form.form);
    // What the check says of a file that could not be opened is known already.
    const more = found.filter(({ field }) => !issues.some((issue) => issue.field === field));
    if (issues.length + more.length > 0) return { issues: [...issues, ...more], todo: undefined };
    const id = this.#ids.take(own, line, [model, digest ?? ""]);
    if (typeof id !== "string") return { issues: [id], todo: undefined };
    const known = await this.#sources.known.get(this.#sources.origin, id);
    if (known.record && !isSame(known.record, model, digest)) {
      const expected = "the form that it was first used with in this folder, or a new id";
      const received = `${JSON.stringify(id)} with another form`;
      return { issues: [issueOf("id", "notAllowed", received, expected)], todo: undefined };
    }
    return { issues: [], todo: this.#count(id, model, known) };
  }

  #count(id: string, model: string, { record, unreadable }: KnownLine): Checked["todo"] {
    const state = this.#sources.results.ended.get(id);
    if (state) this.ended[state]++;
    else if (!record && unreadable === undefined) this.#byModel.set(model, (this.#byModel.get(model) ?? 0) + 1);
    return state ? undefined : { id, unreadable };
  }
}

function isSame(known: GenerationRecord, model: string, digest: string | undefined): boolean {
  return known.model === model && known.digest === digest;
}

function changed(field: string): InvalidRequestError {
  return stoppedBy(issueOf(field, "changed", "the input", "one that does not change during a batch"));
}
