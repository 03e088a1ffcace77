import { describeValue, invalid, type Issue } from "../errors/issue.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { fieldOf, filePartSuffix, notBlank } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { checkOf, isObjectOfFields } from "./bounds.ts";
import type { Fault } from "./faults.ts";
import { isReference } from "./file-reference.ts";
import type { WireFields } from "./form.ts";
import { issuesOf, referenceIssue } from "./words.ts";

/** A form of a model that the service's description may not have, and how it is sent. */
interface UncheckedFields {
  readonly wire: WireFields;
  readonly issues: readonly Issue[];
  readonly operation: Operation;
}

/**
 * Reads a form without any bounds, by what the forms of its kind have in common. The model is the last segment of the path, and files
 * go into the part `X.items`. A flag is "0" or "1". Fields that set the number of results of other models do so here. Values that
 * would be billed without their files are still rejected.
 */
export function readUnchecked(kind: Kind, model: unknown, form: unknown, extra: unknown = {}): UncheckedFields {
  const issues: Issue[] = isModelName(kind, model)
    ? []
    : [invalid("model", "wrongFormat", describeValue(model), "the last segment of the model's path")];
  const reader = new UncheckedReader(kind, issues);
  for (const [name, given] of Object.entries({ form, extraFields: extra })) {
    if (!isObjectOfFields(given)) issues.push(invalid(name, "wrongType", describeValue(given), "an object of fields"));
    else for (const [field, value] of Object.entries(given)) reader.read(field, value, name === "extraFields");
  }
  return { operation: operationFor(kind, typeof model === "string" ? model : ""), wire: reader.wire, issues };
}

function isModelName(kind: Kind, model: unknown): boolean {
  const { query, delete: deletion } = operations[kind];
  const taken = [query, deletion].map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  return typeof model === "string" && /^[\w-][\w.-]*$/.test(model) && !taken.includes(model);
}

function operationFor(kind: Kind, model: string): Operation {
  const [{ path } = { path: "/" }] = Object.values(operations[kind].generate);
  const counts = partsOf(kind).filter(([, bounds]) => bounds["x-result-count"]);
  return {
    id: `generate${model.charAt(0).toUpperCase()}${model.slice(1)}`,
    path: path.slice(0, path.lastIndexOf("/") + 1) + model,
    // Without their defaults, which are those of other models.
    body: { properties: Object.fromEntries(counts.map(([part]) => [part, { "x-result-count": true }])) },
  };
}

/** The parts of all forms of a kind. */
function partsOf(kind: Kind) {
  return Object.values(operations[kind].generate).flatMap(({ body }) => Object.entries(body.properties ?? {}));
}

class UncheckedReader {
  readonly wire: Record<string, unknown> = {};
  readonly #issues: Issue[];
  /** The fields for files in all known forms. */
  readonly #fileFields: ReadonlySet<string>;
  /** The fields of known forms whose text must not be blank. */
  readonly #notBlank: ReadonlySet<string>;

  constructor(kind: Kind, issues: Issue[]) {
    this.#issues = issues;
    const parts = partsOf(kind);
    this.#fileFields = new Set(parts.flatMap(([part]) => (part.endsWith(filePartSuffix) ? [fieldOf(part)] : [])));
    this.#notBlank = new Set(parts.flatMap(([part, { pattern }]) => (pattern === notBlank ? [part] : [])));
  }

  read(field: string, given: unknown, isExtra: boolean): void {
    if (given === undefined) return;
    // A copy, as in a checked form.
    const value: unknown = Array.isArray(given) ? [...given] : given;
    const issue = this.#issueOf(field, value);
    const isText = typeof value !== "object";
    const part = isText || isExtra ? field : field + filePartSuffix;
    if (issue) this.#issues.push(issue);
    else if (Object.hasOwn(this.wire, part))
      this.#issues.push(invalid(`extraFields.${field}`, "duplicate", describeValue(given), "the form for this field"));
    else {
      const sent = typeof value === "boolean" ? (value ? "1" : "0") : value;
      // An assignment to `__proto__` would not add a field.
      Object.defineProperty(this.wire, part, { value: sent, enumerable: true });
    }
  }

  #issueOf(field: string, value: unknown): Issue | undefined {
    const files = Array.isArray(value) && value.length > 0 ? value : [value];
    if (files.every(isBlob)) {
      const empty = files.find(({ size }) => size === 0);
      return empty && invalid(field, "empty", describeValue(empty), "a file");
    }
    if (typeof value === "string") {
      if (this.#fileFields.has(field) && isReference(value)) return referenceIssue(field, value);
      const faults: Fault[] = [];
      const check = checkOf({ type: "string", ...(this.#notBlank.has(field) && { pattern: notBlank }) });
      check(value, value, field, faults);
      return issuesOf(faults)[0];
    }
    if (typeof value === "boolean" || Number.isFinite(value)) return undefined;
    const expected = "a string, a number, a boolean, a file or a list of files";
    return invalid(field, "wrongType", describeValue(value), expected);
  }
}
