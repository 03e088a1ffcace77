import type { Issue } from "@mediagen/sdk";
import { describe } from "../../scripts/generate/describe.ts";
import { isBounded, isFile, isFlag } from "../../scripts/generate/schema.ts";
import { inMarkdown, type SampleCall, type SampleFile } from "../../scripts/docs/samples.ts";
import type { SpecSchema } from "../../scripts/spec.ts";

/** The form of one operation. */
export type CallForm = ReturnType<typeof createForm>;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Field {
  readonly name: string;
  readonly schema: SpecSchema;
  readonly control: Control;
  readonly error: HTMLElement;
  touched: boolean;
}

/** Creates the form of an operation from its schema, filled in with an example. */
export function createForm(
  { body }: SampleCall,
  example: Readonly<Record<string, unknown>>,
  changed: () => void,
) {
  // The cast: the emulator's copy of the spec has the same content.
  const { properties = {}, required = [] } = body as SpecSchema;
  const element = make("div", { className: "fields" });
  const whole = make("p", { className: "error", id: "error-all" });
  whole.role = "alert";
  // The file part `X.items` is shown as the field X. Its text part is left out.
  const names = Object.keys(properties).filter((name) => !(`${name}.items` in properties));
  const fields = names.map((part): Field => {
    const name = part.replace(/\.items$/, "");
    const schema = properties[part] ?? {};
    const control = controlFor(name, schema);
    control.id = `field-${name}`;
    control.name = name;
    const error = make("p", { className: "error", id: `error-${name}` });
    const help = make("p", { className: "help", id: `help-${name}` });
    help.append(...withCode(helpOf(schema)));
    control.setAttribute("aria-describedby", `${help.id} ${error.id}`);
    const label = make("label", { htmlFor: control.id });
    label.append(make("code", { textContent: name }));
    if (required.includes(part))
      label.append(make("span", { className: "must", textContent: "required" }));
    const row = make("div", { className: "field" });
    row.append(label, control, ...suggestionsFor(control, schema), help, error);
    element.append(row);
    fill(control, schema, example[name]);
    const field: Field = { name, schema, control, error, touched: false };
    control.addEventListener("input", () => {
      field.touched = true;
      changed();
    });
    return field;
  });
  element.append(whole);
  const collect = (read: (field: Field) => unknown) =>
    Object.fromEntries(
      fields
        .map((field) => [field.name, read(field)] as const)
        .filter(([, value]) => value !== undefined),
    );
  const typed = fields.filter(({ control }) => control.type !== "file");
  return {
    element,
    /** Returns the values of the fields in the SDK's format. */
    values: () => collect(readValue),
    /** Returns the values with the names of files, for samples. */
    sampleValues: () => collect((field) => sampleOf(readValue(field))),
    /** Returns the texts of the fields without files, for a link. */
    texts: (): Record<string, string> =>
      Object.fromEntries(
        typed
          .filter(({ control }) => control.value !== "")
          .map(({ name, control }) => [name, control.value]),
      ),
    fill(texts: Readonly<Record<string, string>>) {
      for (const { name, control } of typed) control.value = texts[name] ?? "";
    },
    /** Shows issues next to their fields. Missing values are only shown if `all` is true. */
    show(issues: readonly Issue[], all: boolean) {
      const textOf = (own: readonly Issue[]) => own.map(({ message }) => message).join(" ");
      for (const { name, control, error, touched } of fields) {
        const own = issues.filter(({ field }) => field === name || field.startsWith(`${name}[`));
        const shown = all || touched || control.value !== "" ? own : [];
        error.textContent = textOf(shown);
        if (shown.length > 0) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
      whole.textContent = textOf(
        issues.filter(
          ({ field }) => !fields.some(({ name }) => field === name || field.startsWith(`${name}[`)),
        ),
      );
    },
  };
}

/** Creates an element with properties. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  set: Partial<HTMLElementTagNameMap[K]> = {},
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), set);
}

function controlFor(name: string, schema: SpecSchema): Control {
  if (isFile(schema.items ?? schema))
    return make("input", { type: "file", accept: "image/*", multiple: schema.type === "array" });
  const values = schema.type === "boolean" ? ["true", "false"] : schema.enum?.map(String);
  if (values) return select(values, schema);
  if (schema.type === "array") return make("textarea", { rows: 2, spellcheck: false });
  if (name === "prompt") return make("textarea", { rows: 3 });
  return make("input", {
    type: "text",
    inputMode: isNumber(schema) ? "numeric" : "text",
    spellcheck: false,
  });
}

function select(values: readonly string[], schema: SpecSchema): HTMLSelectElement {
  const made = make("select");
  const unset =
    schema.default === undefined
      ? "not sent"
      : `not sent (the service takes ${String(schema.default)})`;
  const textOf = (value: string) => {
    if (!isFlag(schema)) return value;
    return value === "1" ? "on" : "off";
  };
  made.append(make("option", { value: "", textContent: unset }));
  made.append(...values.map((value) => make("option", { value, textContent: textOf(value) })));
  return made;
}

/** Returns suggestions for a text field that also accepts other values. */
function suggestionsFor(control: Control, schema: SpecSchema): HTMLElement[] {
  const values = [
    ...(schema.anyOf ?? [schema]).flatMap((one) => one.enum ?? []),
    ...(schema.examples ?? []),
  ].filter((value) => typeof value === "string" && !/^https?:/.test(value));
  if (!(control instanceof HTMLInputElement) || control.type !== "text" || values.length === 0)
    return [];
  const list = make("datalist", { id: `values-${control.name}` });
  list.append(...[...new Set(values)].map((value) => make("option", { value: String(value) })));
  control.setAttribute("list", list.id);
  return [list];
}

/**
 * Returns the description of a field and its valid values, unless any value is valid or a menu
 * lists them.
 */
function helpOf(schema: SpecSchema): string {
  const isSaid = schema.enum !== undefined || !isBounded(schema);
  const takes = isSaid ? "" : ` Takes ${describe(schema, inMarkdown)}.`;
  return `${schema.description ?? ""}${takes}`.trim().replace(/\s+/g, " ");
}

/** Converts text to nodes, with code for the parts between backticks. */
function withCode(text: string): (string | HTMLElement)[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? make("code", { textContent: part }) : part));
}

function fill(control: Control, schema: SpecSchema, value: unknown): void {
  if (value === undefined || control.type === "file") return;
  const text = isFlag(schema) ? String(Number(value)) : String(value);
  control.value = Array.isArray(value) ? value.join("\n") : text;
}

function readValue({ schema, control }: Field): unknown {
  if (control instanceof HTMLInputElement && control.type === "file") {
    const files = [...(control.files ?? [])];
    return files.length > 1 ? files : files[0];
  }
  const text = control.value;
  if (text === "") return undefined;
  if (schema.type === "boolean") return text === "true";
  if (schema.type === "array") return text.split("\n").flatMap((line) => line.trim() || []);
  if (isFlag(schema)) return text === "1";
  // Text that is not a number is passed unchanged, so that the SDK reports it.
  return isNumber(schema) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function sampleOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sampleOf);
  return value instanceof File ? ({ file: value.name } satisfies SampleFile) : value;
}

function isNumber({ type }: SpecSchema): boolean {
  return type === "integer" || type === "number";
}
