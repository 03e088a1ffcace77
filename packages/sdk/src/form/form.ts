import { type Issue, issueOf, mustBe, unknownName } from "../errors/issue.ts";
import { type Field, fieldOf, filePartSuffix, type FormFields } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { emptyRecord } from "../spec/values.ts";
import { checkField, isObjectOfFields, toSent } from "./field.ts";

/** Fields as they are sent, by the names of their parts or JSON keys. */
export type WireFields = Readonly<Record<string, unknown>>;

export type ReadFields = Pick<Reader, "wire" | "issues">;

export function readForm(body: FormFields, form: unknown, extra?: unknown): ReadFields {
  const reader = new Reader().addKnown(body, form, toSent);
  return extra === undefined
    ? reader
    : reader.addOpen("extraFields", extra, toSent, fieldsOf(body));
}

export function readBody(body: FormFields, given: unknown): ReadFields {
  return new Reader().addKnown(body, given, (_, value) => value);
}

/** Reads a form without any bounds, by what the known forms have in common. */
export function readUnchecked(form: unknown, extra: unknown = {}): ReadFields {
  // Texts get their CRLF when they are encoded, because the digest of this form is that of what was
  // given.
  const convert: Convert = (field, value) =>
    typeof value === "string" ? value : toSent(field, value);
  return new Reader().addOpen("form", form, convert).addOpen("extraFields", extra, convert);
}

type Convert = typeof toSent;

const indexes = new WeakMap<FormFields, ReadonlyMap<string, Field>>();

/**
 * Returns the fields of a form by name. They all have the same keys in the same order, which
 * engines read in half the time.
 */
function fieldsOf(body: FormFields): ReadonlyMap<string, Field> {
  const keys = () =>
    Object.fromEntries(knownFields.flatMap(Object.keys).map((key) => [key, undefined]));
  const fields =
    indexes.get(body) ??
    new Map(body.fields.map((field) => [field.field, { ...keys(), ...field }]));
  indexes.set(body, fields);
  return fields;
}

class Reader {
  readonly wire: Record<string, unknown> = emptyRecord();
  readonly issues: Issue[] = [];

  addKnown(body: FormFields, given: unknown, convert: Convert): this {
    const fields = fieldsOf(body);
    this.#add(
      "form",
      given,
      (name) => fields.get(name) ?? unknownName(name, "field", [...fields.keys()]),
      convert,
    );
    for (const group of body.needs ?? []) {
      if (!isObjectOfFields(given) || group.some((name) => given[name] !== undefined)) continue;
      const [name = ""] = group;
      if (group.length === 1)
        this.issues.push(
          issueOf(name, "missing", "is missing", `Pass ${fields.get(name)?.expected}.`),
        );
      else if (this.issues.length === 0)
        this.issues.push(issueOf("form", "missing", `needs ${group.join(" or ")}`));
    }
    return this;
  }

  /**
   * Adds fields without bounds. Files of a form go into the part `X.items`; extra fields have the
   * names of parts.
   */
  addOpen(
    source: "form" | "extraFields",
    given: unknown,
    convert: Convert,
    known?: ReturnType<typeof fieldsOf>,
  ): this {
    const find = (name: string, value: unknown) => {
      const isForm = source === "form";
      const field = isForm ? name : `${source}.${name}`;
      const part = isForm && typeof value === "object" ? name + filePartSuffix : name;
      if (part in this.wire || known?.has(fieldOf(name)))
        return issueOf(field, "notAllowed", "is a field of the form", "Use the form for it.");
      return { ...openField(name, value), field, part };
    };
    return this.#add(source, given, find, convert);
  }

  #add(
    source: string,
    given: unknown,
    find: (name: string, value: unknown) => Field | Issue,
    convert: Convert,
  ): this {
    const fields = isObjectOfFields(given) ? given : {};
    if (fields !== given)
      this.issues.push(issueOf(source, "invalid", mustBe("an object of fields", given)));
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === undefined) continue;
      const field = find(name, value);
      if ("code" in field) this.issues.push(field);
      // Most values are listed ones, which are sent as they are. The cast: any value is compared
      // with them.
      else if (field.values?.includes(value as string)) this.wire[name] = value;
      else {
        // A copy, so that the checked list is sent even if the caller changes the original.
        const sent = convert(field, Array.isArray(value) ? [...(value as unknown[])] : value);
        const part = typeof sent === "string" ? name : (field.part ?? name);
        this.wire[part] = sent;
        checkField(field, sent, value, this.issues);
      }
    }
    return this;
  }
}

/** Returns bounds of a value that has none, by what the known fields of its name have in common. */
function openField(name: string, value: unknown): Omit<Field, "field"> {
  const expected = "a string, a number, a boolean, a file or a list of files";
  if (typeof value === "number") return { takes: "number", expected };
  if (typeof value === "boolean") return { takes: "flag", values: ["0", "1"], expected };
  const known = knownFields.filter(({ field }) => field === name);
  const isFile = typeof value === "object" || known.some(({ takes }) => takes === "file");
  const pattern = known.some(({ pattern }) => pattern) ? "\\S" : "";
  const ofList = { many: Array.isArray(value), item: "a file" };
  return { takes: isFile ? "file" : "text", expected, acceptsText: true, pattern, ...ofList };
}

const forms = Object.values(operations).flatMap(({ generate }) => Object.values(generate));
export const knownFields: readonly Field[] = forms.flatMap(({ body }) => body.fields);

/**
 * Returns the number of results that a form requests: the documented default if it does not say, or
 * else 1.
 */
export function resultCount({ fields }: FormFields, wire: WireFields): number {
  const field = fields.find(({ countsResults }) => countsResults);
  const count = Number(field && (wire[field.field] ?? field.default));
  // A form without bounds accepts any number or text. In any case, a task has at least one result.
  return Number.isSafeInteger(count) ? Math.max(1, count) : 1;
}
