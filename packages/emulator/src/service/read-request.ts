import { unknownName } from "@mediagen/sdk/kit";
import type { EmulatorRequest } from "./exchange.ts";
import { type FormPart, readMultipart } from "./multipart.ts";
import type { Field, Operation, Validate } from "./operation.ts";
import { planResults, type ResultPlan, sizeFields } from "./results.ts";
import type { Behaviour, Limits } from "./settings.ts";
import { shapeOf, type UploadedFile, uploadedFile } from "./uploaded-file.ts";
import { violationsOf } from "./validate.ts";

/** A parsed request with its violations. */
export interface ReadRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  readonly violations: readonly string[];
  /** The results that a form without violations requests. */
  readonly plan: ResultPlan | undefined;
  /**
   * Mistakes that the service might tolerate. Empty if the behaviour is strict, because they are
   * violations then.
   */
  readonly tolerated: readonly string[];
}

const nothing = { fields: {}, files: [], plan: undefined, tolerated: [] };

/** Reads and checks a request's body by the validator of its operation. */
export async function readRequest(
  request: EmulatorRequest,
  operation: Operation & { readonly validate: Validate },
  { behaviour, limits }: { readonly behaviour: Behaviour; readonly limits: Limits },
): Promise<ReadRequest> {
  const { mediaType, verb, fields, validate } = operation;
  const type = request.header("content-type") ?? "";
  const only = (violation: string) => ({ ...nothing, violations: [violation] });
  if (type.split(";")[0]?.trim().toLowerCase() !== mediaType)
    return only(`Content-Type must be ${mediaType}, not ${type || "nothing"}`);
  const bytes = await request.bytes(limits.body);
  if (!bytes) return only(`the body is larger than ${limits.body} bytes, the emulator's limit`);
  const read = mediaType === "application/json" ? readJson(bytes) : readForm(bytes, type, fields);
  if (typeof read === "string") return only(read);
  const violations = [...read.violations];
  const isForm = violations.length === 0 && verb === "generate";
  const plan = isForm ? planResults(operation, read.fields, shapeOf(read.files)) : undefined;
  if (violations.length === 0)
    violations.push(
      ...violationsOf(validate, read.fields),
      ...limitsExceeded(plan, read.fields, limits),
    );
  const mistakes = mistakesIn(read.fields, fields);
  return behaviour.strict
    ? { ...read, plan, violations: [...violations, ...mistakes], tolerated: [] }
    : { ...read, plan, violations, tolerated: mistakes };
}

type Read = Pick<ReadRequest, "fields" | "files" | "violations">;

/** Returns mistakes that the document allows: unknown fields, and text for a number. */
function mistakesIn(
  given: ReadRequest["fields"],
  fields: Readonly<Record<string, Field>>,
): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(fields, name))
      return [unknownName(name, "field", Object.keys(fields)).message];
    const isText = fields[name]?.isInteger && typeof value === "string" && !/^-?\d+$/.test(value);
    return isText ? [`${name}: ${JSON.stringify(value)} is not an integer`] : [];
  });
}

function readJson(bytes: Uint8Array): Read | string {
  try {
    const fields: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof fields !== "object" || fields === null || Array.isArray(fields))
      return "the body must be a JSON object";
    return { fields: fields as Record<string, unknown>, files: [], violations: [] };
  } catch (error) {
    return `the body is not JSON: ${String(error)}`;
  }
}

function readForm(bytes: Uint8Array, type: string, known: Operation["fields"]): Read | string {
  const form = readMultipart(bytes, type);
  if (typeof form === "string") return `the body is not multipart/form-data: ${form}`;
  // A byte order mark is kept, because the service may count it as a character.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const fields: Record<string, unknown> = {};
  const files: UploadedFile[] = [];
  const violations: string[] = [];
  // Grouped once, because a lookup of each name in the form would take quadratic time.
  const parts = new Map<string, FormPart[]>();
  for (const part of form) parts.get(part.name)?.push(part) ?? parts.set(part.name, [part]);
  for (const [name, given] of parts) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    const values = given.map(({ fileName, type, bytes }) => {
      if (fileName === undefined) {
        if (field?.isFile) violations.push(`${name}: must be a file, not text`);
        return coerce(decoder.decode(bytes), field);
      }
      if (field && !field.isFile) violations.push(`${name}: must be text, not a file`);
      files.push(uploadedFile(name, fileName, type, bytes));
      return fileName;
    });
    if (field && !field.isList && values.length > 1)
      violations.push(`${name}: was sent ${values.length} times, must be sent exactly once`);
    const value = field?.isList || values.length > 1 ? values : values[0];
    // Not assigned, because an assignment to `__proto__` would not add a field.
    Object.defineProperty(fields, name, { value, enumerable: true });
  }
  return { fields, files, violations };
}

/** Numbers as JSON writes them: no leading zeros. */
const integer = /^-?(0|[1-9]\d*)$/;
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Converts form text to the type of its field. Text that cannot be converted stays, and the
 * validator rejects it.
 */
function coerce(text: string, { type }: Field = {}): unknown {
  const isInteger = type === "integer" && integer.test(text);
  const isNumber = isInteger || (type === "number" && decimal.test(text));
  // Nothing beyond the range of a number.
  if (isNumber && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function limitsExceeded(
  plan: ResultPlan | undefined,
  fields: ReadRequest["fields"],
  limits: Limits,
): string[] {
  const violations = Object.entries(fields)
    .filter(([, value]) => typeof value === "string" && value.length > limits.text)
    .map(([name]) => `${name}: is longer than ${limits.text} characters, the emulator's limit`);
  const { width, height } = plan ?? { width: 0, height: 0 };
  if (width * height <= limits.pixels) return violations;
  const asking = sizeFields.filter((name) => name in fields).join(", ");
  return [
    ...violations,
    `${asking || "the size"}: ${width} by ${height} is more than ${limits.pixels} pixels, the emulator's limit`,
  ];
}
