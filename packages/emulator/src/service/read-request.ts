import { thumbnailOf } from "../media/thumbnail.ts";
import type { Behaviour } from "./behaviour.ts";
import { closestTo } from "./closest.ts";
import type { Schema } from "./document.ts";
import type { EmulatorRequest } from "./exchange.ts";
import { type FormPart, readMultipart } from "./multipart.ts";
import { planResults, type ResultPlan, sizeFields } from "./results.ts";
import type { Route } from "./routes.ts";
import { shapeOf, type UploadedFile } from "./uploaded-file.ts";
import { violationsOf } from "./validate.ts";

/** A parsed request with its violations. */
export interface ReadRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  readonly violations: readonly string[];
  /** The results that a form without violations requests. */
  readonly plan: ResultPlan | undefined;
  /** Mistakes that the service might tolerate. Empty if the behaviour is strict, because they are violations then. */
  readonly tolerated: readonly string[];
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true });
// A byte order mark is kept, because the service may count it as a character.
const formDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

const nothing: Omit<ReadRequest, "violations"> = { fields: {}, files: [], plan: undefined, tolerated: [] };

/** Reads and checks a request's body by the schema of its route. */
export async function readRequest(request: EmulatorRequest, route: Route, behaviour: Behaviour): Promise<ReadRequest> {
  const type = request.header("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== route.mediaType) {
    return { ...nothing, violations: [`Content-Type must be ${route.mediaType}, not ${type || "nothing"}`] };
  }
  const bytes = await request.bytes(behaviour.bodyLimit);
  if (!bytes)
    return {
      ...nothing,
      violations: [`the body is larger than ${behaviour.bodyLimit} bytes (the emulator's bodyLimit)`],
    };
  const read = route.mediaType === "application/json" ? readJson(bytes) : readForm(bytes, type, route.body);
  const violations = [...read.violations];
  const plan =
    violations.length === 0 && route.verb === "generate"
      ? planResults(route.kind, route.body, read.fields, behaviour, shapeOf(read.files))
      : undefined;
  if (violations.length === 0)
    violations.push(...violationsOf(route.body, read.fields), ...limitsExceeded(plan, read.fields, behaviour));
  const mistakes = mistakesIn(read.fields, route.body.properties ?? {});
  return behaviour.strict
    ? { ...read, plan, violations: [...violations, ...mistakes] }
    : { ...read, plan, violations, tolerated: mistakes };
}

/** Returns mistakes that the document allows: unknown fields, and text for a number. */
function mistakesIn(fields: ReadRequest["fields"], properties: Readonly<Record<string, Schema>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (!Object.hasOwn(properties, name)) {
      const close = closestTo(name, Object.keys(properties));
      return [`${name}: there is no such field${close === undefined ? "" : `. Did you mean ${close}?`}`];
    }
    const isText = properties[name]?.format === "int32" && typeof value === "string" && !/^-?\d+$/.test(value);
    return isText ? [`${name}: ${JSON.stringify(value)} is not an integer`] : [];
  });
}

function readJson(bytes: Uint8Array): ReadRequest {
  try {
    const fields: unknown = JSON.parse(strictDecoder.decode(bytes));
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
      return { ...nothing, fields: fields as Record<string, unknown>, violations: [] };
    }
    return { ...nothing, violations: ["the body must be a JSON object"] };
  } catch (error) {
    return { ...nothing, violations: [`the body is not JSON: ${String(error)}`] };
  }
}

function readForm(bytes: Uint8Array, type: string, body: Schema): ReadRequest {
  const form = readMultipart(bytes, type);
  if (typeof form === "string") return { ...nothing, violations: [`the body is not multipart/form-data: ${form}`] };
  const fields: Record<string, unknown> = {};
  const files: UploadedFile[] = [];
  const violations: string[] = [];
  // Grouped once, because a lookup of each name in the form would take quadratic time.
  const parts = new Map<string, FormPart[]>();
  for (const part of form) parts.get(part.name)?.push(part) ?? parts.set(part.name, [part]);
  for (const [name, given] of parts) {
    const known = Object.hasOwn(body.properties ?? {}, name);
    const schema = known ? (body.properties?.[name] ?? {}) : {};
    const values = given.map(({ fileName, type, bytes }) => {
      const item = schema.type === "array" ? (schema.items ?? {}) : schema;
      if (fileName === undefined) {
        if (item.format === "binary") violations.push(`${name}: must be a file, not text`);
        return coerce(formDecoder.decode(bytes), item);
      }
      if (item.format !== "binary" && known) violations.push(`${name}: must be text, not a file`);
      const picture = item.format === "binary" ? { thumbnail: thumbnailOf(bytes) } : {};
      files.push({ part: name, name: fileName, type, size: bytes.length, ...picture });
      return fileName;
    });
    if (known && schema.type !== "array" && values.length > 1)
      violations.push(`${name}: was sent ${values.length} times, must be sent exactly once`);
    const value = schema.type === "array" || values.length > 1 ? values : values[0];
    // Not assigned, because an assignment to `__proto__` would not add a field.
    Object.defineProperty(fields, name, { value, enumerable: true });
  }
  return { ...nothing, fields, files, violations };
}

/** Converts form text to the type of its schema. Text that cannot be converted stays, and the schema rejects it. */
function coerce(text: string, { type }: Schema): unknown {
  // Numbers as JSON writes them: no leading zeros, and nothing beyond the range of a number, which JSON could not
  // store.
  const isNumber = type === "integer" ? /^-?(0|[1-9]\d*)$/ : type === "number" ? /^-?(0|[1-9]\d*)(\.\d+)?$/ : undefined;
  if (isNumber?.test(text) && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function limitsExceeded(
  plan: ResultPlan | undefined,
  fields: ReadRequest["fields"],
  { textLimit, pixelLimit }: Behaviour,
): string[] {
  const violations: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string" && value.length > textLimit)
      violations.push(`${name}: is longer than ${textLimit} characters (the emulator's textLimit)`);
  }
  const { width, height } = plan ?? { width: 0, height: 0 };
  if (width * height > pixelLimit) {
    const asking = sizeFields.filter((name) => name in fields).join(", ");
    violations.push(
      `${asking || "the size"}: ${width} by ${height} is more than ${pixelLimit} pixels (the emulator's pixelLimit)`,
    );
  }
  return violations;
}
