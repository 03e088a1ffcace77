import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  fileFrom,
  InvalidRequestError,
  listModels,
  validate,
  type Issue,
  type ModelInfo,
} from "@mediagen/sdk/node";
import { describeValue, inspectForm, issueOf } from "@mediagen/sdk/kit";
import { inField } from "./issues.ts";
import type { Row } from "./rows.ts";

/** A row as a form with opened files. Its fields are not checked yet. */
export interface Form {
  readonly info: ModelInfo;
  /** Fields as in the input, files as paths. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Fields as `generate` takes them. */
  readonly form: Readonly<Record<string, unknown>>;
}

/** A row that was read, with the id that it names, if any. */
export interface ReadRow {
  readonly id: unknown;
  /** Undefined if the row has no known model. */
  readonly form: Form | undefined;
  /** A number that changes when the row or one of its files does. */
  readonly fingerprint: number;
  readonly issues: readonly Issue[];
}

/** Creates forms from rows. Paths are relative to the input. */
export class LineReader {
  readonly #directory: string;
  readonly #models = listModels();

  constructor(input: string) {
    this.#directory = dirname(resolve(input));
  }

  async read({ fields, isText, text, issue }: Row): Promise<ReadRow> {
    const nothing = { id: undefined, form: undefined, fingerprint: fingerprintOf([text]) };
    if (issue) return { ...nothing, issues: [issue] };
    if (!isRecord(fields)) {
      const problem = `must be an object with a model and fields, not ${describeValue(fields)}`;
      return { ...nothing, issues: [issueOf("form", "invalid", problem)] };
    }
    const { id, model: name, ...given } = fields;
    const info = this.#models.find(({ model }) => model === name);
    if (!info) {
      const names = this.#models.map(({ model }) => model).join(", ");
      const missing = issueOf("model", "missing", "is missing", `Pass one of ${names}.`);
      // The cast: `validate` rejects a model that is not a string.
      return {
        ...nothing,
        id,
        issues: name === undefined || name === "" ? [missing] : validate(name as string, {}),
      };
    }
    const files = new Files(this.#directory);
    const form: [string, unknown][] = [];
    for (const [field, value] of Object.entries(given)) {
      const takes = info.form.fields.find((one) => one.field === field)?.takes;
      form.push([field, takes === "file" ? await files.open(field, value) : value]);
    }
    const fingerprint = fingerprintOf([text, ...files.stamps]);
    // An assignment would silently drop a field named `__proto__`.
    const opened = Object.fromEntries(form);
    const read = isText ? (await inspectForm(info.model, opened, isText)).form : opened;
    return { id, form: { info, given, form: read }, fingerprint, issues: files.issues };
  }
}

class Files {
  readonly #directory: string;
  /** Sizes and times, to notice that a file has changed. */
  readonly stamps: string[] = [];
  readonly issues: Issue[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens the path of a field, or each of its list. Other values stay, and are rejected later. */
  async open(field: string, value: unknown): Promise<unknown> {
    if (!Array.isArray(value)) return this.#openOne(field, value);
    const files: unknown[] = [];
    for (const [index, one] of value.entries())
      files.push(await this.#openOne(`${field}[${index}]`, one));
    return files;
  }

  async #openOne(field: string, value: unknown): Promise<unknown> {
    if (typeof value !== "string") return value;
    if (/^(https?|data):/i.test(value)) {
      const advice = "Use the path of a file, or the field for URLs if the form has one.";
      this.issues.push(issueOf(field, "invalid", `${describeValue(value)} is a URL`, advice));
      return value;
    }
    const path = resolve(this.#directory, value);
    try {
      const file = await fileFrom(path);
      const { size, mtimeMs } = await stat(path);
      this.stamps.push(`${size} ${mtimeMs}`);
      return file;
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      const name = `${field} ${describeValue(value)}`;
      this.issues.push(...error.issues.map((issue) => ({ ...inField(name, issue), field })));
      return value;
    }
  }
}

/** Returns a digest of a form as in the input, with files as paths. */
export function digestOfGiven(model: string, given: Readonly<Record<string, unknown>>): number {
  return fingerprintOf([model, Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/**
 * Returns a hash as a number, because the texts of ten thousand lines would need too much memory.
 */
function fingerprintOf(parts: readonly unknown[]): number {
  return createHash("sha256").update(JSON.stringify(parts)).digest().readUIntBE(0, 6);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
