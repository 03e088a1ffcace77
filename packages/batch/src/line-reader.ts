import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  fieldsOf,
  fileFrom,
  InvalidRequestError,
  listModels,
  validate,
  type Field,
  type Issue,
  type ModelInfo,
} from "@mediagen/sdk/node";
import { describeValue, issueOf, readText } from "@mediagen/sdk/kit";
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

/** A row that was read. */
export interface ReadRow {
  /** The id that the row names, if any. */
  readonly id: unknown;
  /** Undefined if the row has no known model. */
  readonly form: Form | undefined;
  /** A number that changes when the row or one of its files does. */
  readonly fingerprint: number;
  readonly issues: readonly Issue[];
}

type Fields = ReadonlyMap<string, Field>;

/** Creates forms from rows. Paths are relative to the input. */
export class LineReader {
  readonly #directory: string;
  readonly #models: ReadonlyMap<unknown, { readonly info: ModelInfo; readonly fields: Fields }>;

  constructor(input: string) {
    this.#directory = dirname(resolve(input));
    this.#models = new Map(
      listModels().map((info) => [
        info.model,
        { info, fields: new Map(fieldsOf(info).map((field) => [field.field, field])) },
      ]),
    );
  }

  async read({ fields, isText, text, issue }: Row): Promise<ReadRow> {
    const nothing = { id: undefined, form: undefined, fingerprint: fingerprintOf([text]) };
    if (issue) return { ...nothing, issues: [issue] };
    if (!isRecord(fields))
      return {
        ...nothing,
        issues: [issueOf("form", "invalid", `must be an object with a model and fields, not ${describeValue(fields)}`)],
      };
    const { id, model: name, ...given } = fields;
    const known = this.#models.get(name);
    if (!known) return { ...nothing, id, issues: this.#unknownModel(name) };
    const files = new Files(this.#directory);
    const form = await files.open(isText ? readTexts(given, known.fields) : given, known.fields);
    return {
      id,
      form: { info: known.info, given, form },
      fingerprint: fingerprintOf([text, ...files.stamps]),
      issues: files.issues,
    };
  }

  #unknownModel(name: unknown): readonly Issue[] {
    if (name === undefined || name === "")
      return [issueOf("model", "missing", "is missing", `Pass one of ${[...this.#models.keys()].join(", ")}.`)];
    // The cast: `validate` rejects a model that is not a string.
    return validate(name as string, {});
  }
}

/** The files of one row. */
class Files {
  readonly #directory: string;
  /** Sizes and times, to notice that a file has changed. */
  readonly stamps: string[] = [];
  readonly issues: Issue[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Replaces the paths of a form with their files. */
  async open(given: Readonly<Record<string, unknown>>, fields: Fields): Promise<Readonly<Record<string, unknown>>> {
    const entries: (readonly [string, unknown])[] = [];
    for (const [field, value] of Object.entries(given)) {
      if (fields.get(field)?.takes !== "file") entries.push([field, value]);
      else if (!Array.isArray(value)) entries.push([field, await this.#openOne(field, value)]);
      else {
        const files: unknown[] = [];
        for (const [index, one] of value.entries()) files.push(await this.#openOne(`${field}[${index}]`, one));
        entries.push([field, files]);
      }
    }
    // An assignment would silently drop a field named `__proto__`.
    return Object.fromEntries(entries);
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
      const issues = inField(`${field} ${describeValue(value)}`, error.issues);
      this.issues.push(...issues.map((issue) => ({ ...issue, field })));
      return value;
    }
  }
}

/** Converts texts to the types of their fields. A text that cannot be converted stays, so that the check rejects it. */
function readTexts(given: Readonly<Record<string, unknown>>, fields: Fields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(given).map(([field, value]) => {
    const takes = fields.get(field)?.takes;
    return [field, Array.isArray(value) ? value.map((one) => readText(one, takes)) : readText(value, takes)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns a digest of a form as in the input, with files as paths. */
export function digestOfGiven(model: string, given: Readonly<Record<string, unknown>>): number {
  return fingerprintOf([model, Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns a hash as a number, because the texts of ten thousand lines would need too much memory. */
function fingerprintOf(parts: readonly unknown[]): number {
  return createHash("sha256").update(JSON.stringify(parts)).digest().readUIntBE(0, 6);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
