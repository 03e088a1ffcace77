import { describeValue, type Issue, issueOf, mustBe } from "../errors/issue.ts";
import { isBlob } from "../spec/is-blob.ts";
import { fieldOf, filePartSuffix, type FormFields, type Kind, type Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { checkField, isReference, notBlank, referenceIssue, text, toSent } from "./field.ts";
import { copied, isObjectOfFields, noFields, type ReadFields, readForm } from "./form.ts";

/** Reads a model's form, and extra fields that the service's description does not contain. */
export function readWithExtra(body: FormFields, form: unknown, extra: unknown): ReadFields {
  const read = readForm(body, form);
  const wire = { ...read.wire };
  const issues = [...read.issues];
  readOpen("extraFields", extra, wire, issues, body.fields);
  return { wire, issues };
}

/**
 * Reads a form without any bounds, by what the known forms have in common. The model is the last segment of the path, and files
 * go into the part `X.items`. Fields that set the number of results of other models do so here.
 */
export function readUnchecked(
  kind: Kind,
  model: unknown,
  form: unknown,
  extra: unknown = {},
): ReadFields & { readonly operation: Operation } {
  const { generate, query, delete: deletion } = operations[kind];
  const [path = ""] = Object.values(generate).map((one) => one.path.slice(0, one.path.lastIndexOf("/") + 1));
  const name = typeof model === "string" ? model : "";
  const wire = {};
  const issues: Issue[] = [];
  if (!/^[\w-][\w.-]*$/.test(name) || [query.path, deletion.path].includes(path + name)) {
    const problem = `${describeValue(model)} is not valid`;
    issues.push(issueOf("model", "invalid", problem, "Use the last segment of the model's path."));
  }
  readOpen("form", form, wire, issues);
  readOpen("extraFields", extra, wire, issues);
  const counts = knownFields().filter(({ countsResults }) => countsResults);
  // Without their defaults, which are those of other models.
  const fields = counts.map(({ default: _, ...field }) => field);
  const id = `generate${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return { operation: { id, path: path + name, body: { fields } }, wire, issues };
}

/** Reads fields that are not in the service's description. Values that would be billed without their files are still rejected. */
function readOpen(
  source: "form" | "extraFields",
  given: unknown,
  wire: Record<string, unknown>,
  issues: Issue[],
  checked?: FormFields["fields"],
): void {
  if (!isObjectOfFields(given)) return void issues.push(noFields(source, given));
  for (const [name, one] of Object.entries(given)) {
    if (one === undefined) continue;
    const value = copied(one);
    const field = source === "form" ? name : `${source}.${name}`;
    const part = source === "form" && typeof value === "object" ? name + filePartSuffix : name;
    const sent = typeof value === "boolean" ? (value ? "1" : "0") : checked ? toSent(text(field), value) : value;
    if (Object.hasOwn(wire, part) || checked?.some((one) => one.field === fieldOf(name)))
      issues.push(issueOf(field, "notAllowed", "is a field of the form", "Use the form for it."));
    else if (!checkOpen(name, field, sent, value, issues)) continue;
    // An assignment to `__proto__` would not add a field.
    else Object.defineProperty(wire, part, { value: sent, enumerable: true });
  }
}

/** Checks a value without bounds, by what the fields of the same name have in common. Returns whether it is valid. */
function checkOpen(name: string, field: string, sent: unknown, given: unknown, issues: Issue[]): boolean {
  const before = issues.length;
  const known = knownFields().filter((one) => one.field === name);
  const files: readonly unknown[] = Array.isArray(sent) && sent.length > 0 ? sent : [sent];
  if (typeof sent === "string") {
    const isBlank = known.some(({ pattern }) => pattern === notBlank);
    if (known.some(({ takes }) => takes === "file") && isReference(sent)) issues.push(referenceIssue(field, sent));
    else checkField({ ...text(field), ...(isBlank && { pattern: notBlank }) }, sent, given, issues);
  } else if (files.every(isBlob)) {
    if (files.some(({ size }) => size === 0)) issues.push(issueOf(field, "invalid", mustBe("a file", new Blob())));
  } else if (!Number.isFinite(sent))
    issues.push(issueOf(field, "invalid", mustBe("a string, a number, a boolean, a file or a list of files", given)));
  return issues.length === before;
}

/** Returns the fields of all known forms. */
function knownFields() {
  const forms = Object.values(operations).flatMap(({ generate }) => Object.values(generate));
  return forms.flatMap(({ body }) => body.fields);
}
