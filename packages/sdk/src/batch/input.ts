import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { InvalidRequestError, messageOf } from "../errors/errors.ts";
import { describeValue, type Issue } from "../errors/issue.ts";
import { digestOf } from "../form/digest.ts";
import { type FieldInfo, fieldsOf } from "../form/field-info.ts";
import { readForm } from "../form/form.ts";
import { listModels, type ModelInfo, operationOf } from "../form/model.ts";
import { isObject } from "../is-object.ts";
import { fileFrom } from "../node/file-from.ts";
import { linesOf } from "../node/lines.ts";
import { type Kind, kinds } from "../spec/operation.ts";
import { readCsv } from "./csv.ts";

/** A line of a batch's input that holds a form. */
export interface BatchForm {
  /** Where it stands in the input, from 1. */
  readonly line: number;
  /** Its own id, else one made of its content: the same wherever it stands. */
  readonly id: string;
  readonly kind: Kind;
  readonly model: string;
  /** The fields as they were given, files as paths. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The form, with its files opened. */
  readonly form: Readonly<Record<string, unknown>>;
  /** The SHA-256 of the form, as the journal has it. */
  readonly digest: string | undefined;
}

/** A line of a batch's input: its form, or what is wrong with it. */
export type BatchInputLine =
  | { readonly line: number; readonly issues: readonly Issue[] }
  | (BatchForm & { readonly issues?: undefined });

/** A row as it was given: JSON has values of every type, CSV has texts. */
interface Row {
  readonly line: number;
  readonly fields: unknown;
  readonly isText: boolean;
  readonly issue?: Issue;
}

const readers: Readonly<Record<string, (path: string) => AsyncIterable<Row>>> = {
  ".jsonl": readJsonRows,
  ".ndjson": readJsonRows,
  ".csv": readCsvRows,
  ".tsv": readCsvRows,
};

/** What an id may be: it names files, also where their names do not tell cases apart. */
const idPattern = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u;

/** Reads a batch's lines one after the other and checks each; nothing but ids is kept of those that were given. */
export async function* readBatch(input: string): AsyncGenerator<BatchInputLine, void, undefined> {
  const read = readers[extname(input).toLowerCase()];
  if (!read)
    throw new InvalidRequestError("runBatch: nothing was sent", [
      { field: "input", got: describeValue(input), allowed: `a file that ends in ${Object.keys(readers).join(", ")}` },
    ]);
  await access(input).catch((cause: unknown) => {
    throw new InvalidRequestError("runBatch: nothing was sent", [
      { field: "input", got: messageOf(cause), allowed: "a file that can be read" },
    ]);
  });
  const folder = dirname(resolve(input));
  const models = new Map(
    listModels().map((info) => [
      info.model,
      { info, fields: new Map(fieldsOf(info).map((field) => [field.field, field])) },
    ]),
  );
  const taken = new Map<string, number>();
  const equals = new Map<string, number>();
  for await (const row of read(input)) {
    const { line } = row;
    const issues: Issue[] = row.issue ? [row.issue] : [];
    const checked = row.issue ? undefined : await checkRow(row, issues);
    yield checked && issues.length === 0
      ? checked
      : { line, issues: issues.map((issue) => ({ ...issue, field: `line ${line}, ${issue.field}` })) };
  }

  async function checkRow({ line, fields, isText }: Row, issues: Issue[]): Promise<BatchForm | undefined> {
    if (!isObject(fields))
      return void issues.push({
        field: "(all)",
        got: describeValue(fields),
        allowed: "an object with a model and its fields",
      });
    const { id: own, model: name, ...given } = fields;
    const ownId = typeof own === "number" ? String(own) : own;
    const hasId = ownId !== undefined && ownId !== "";
    if (hasId && (typeof ownId !== "string" || !idPattern.test(ownId))) {
      issues.push({
        field: "id",
        got: describeValue(own),
        allowed: "up to 100 letters, digits, _, - and ., for it names files",
      });
    }
    const known = typeof name === "string" ? models.get(name) : undefined;
    if (!known) return void issues.push(...unknownModel(name));
    const form = await openFiles(isText ? readTexts(given, known.fields) : given, known.fields, folder, issues);
    const { kind, model } = known.info;
    const { wire, issues: wrong } = readForm(operationOf(model, [kind]).body, form);
    issues.push(...wrong.filter(({ field }) => !issues.some((issue) => issue.field === field)));
    if (issues.length > 0) return undefined;
    const digest = await digestOf(wire);
    const id = typeof ownId === "string" && hasId ? ownId : contentId(model, digest ?? "");
    const before = taken.get(id.toLowerCase());
    taken.set(id.toLowerCase(), line);
    if (before !== undefined)
      return void issues.push({ field: "id", got: describeValue(id), allowed: `another id than line ${before} has` });
    return { line, id, kind, model, given, form, digest };
  }

  /** The same content is the same line, wherever it stands; where it stands twice, it is wanted twice. */
  function contentId(model: string, digest: string): string {
    const hash = createHash("sha256").update(`${model} ${digest}`).digest("hex").slice(0, 16);
    const count = (equals.get(hash) ?? 0) + 1;
    equals.set(hash, count);
    return count === 1 ? hash : `${hash}.${count}`;
  }
}

function unknownModel(name: unknown): readonly Issue[] {
  try {
    // The cast: what is no text is refused as what it is.
    operationOf(name as ModelInfo["model"], kinds);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
}

type Fields = ReadonlyMap<string, FieldInfo>;

/** Texts as the fields take them; what does not read as its field's type is left to be refused. */
function readTexts(given: Readonly<Record<string, unknown>>, fields: Fields): Record<string, unknown> {
  const readText = (text: unknown, takes: FieldInfo["takes"] | undefined): unknown => {
    if (typeof text !== "string") return text;
    if (takes === "number" && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
    return takes === "flag" && /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : text;
  };
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => {
      const takes = fields.get(field)?.takes;
      return [field, Array.isArray(value) ? value.map((one) => readText(one, takes)) : readText(value, takes)];
    }),
  );
}

/** The form with files in the place of their paths, which are relative to the input; an address stays a text. */
async function openFiles(
  given: Readonly<Record<string, unknown>>,
  fields: Fields,
  folder: string,
  issues: Issue[],
): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(given)) {
    const open = async (one: unknown) => {
      if (typeof one !== "string" || /^https?:/i.test(one)) return one;
      try {
        return await fileFrom(resolve(folder, one));
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) throw error;
        issues.push(
          ...error.issues.map(({ got, allowed }) => ({ field, got: `${describeValue(one)}: ${got}`, allowed })),
        );
        return one;
      }
    };
    if (fields.get(field)?.takes !== "file") form[field] = value;
    else form[field] = Array.isArray(value) ? await Promise.all(value.map(open)) : await open(value);
  }
  return form;
}

async function* readJsonRows(path: string): AsyncGenerator<Row, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 0;
  for await (const { bytes } of linesOf(path)) {
    line++;
    let text: string | undefined;
    try {
      text = decoder.decode(bytes);
      if (text.trim() !== "") yield { line, fields: JSON.parse(text), isText: false };
    } catch {
      yield {
        line,
        fields: undefined,
        isText: false,
        issue: {
          field: "(all)",
          got: text === undefined ? "bytes that are no UTF-8" : describeValue(text),
          allowed: "one JSON object",
        },
      };
    }
  }
}

async function* readCsvRows(path: string): AsyncGenerator<Row, void, undefined> {
  let header: readonly string[] | undefined;
  for await (const { line, cells, isCutOff } of readCsv(readText(path))) {
    if (cells.every((cell) => cell.trim() === "")) continue;
    if (!header) {
      header = cells.map((cell) => cell.trim());
      continue;
    }
    const fields: Record<string, unknown> = {};
    for (const [index, name] of header.entries()) {
      const cell = cells[index] ?? "";
      if (cell === "") continue;
      const before = fields[name];
      // A field that takes several has a column for each.
      if (header.indexOf(name) !== header.lastIndexOf(name))
        fields[name] = Array.isArray(before) ? [...before, cell] : [cell];
      else fields[name] = cell;
    }
    const row = { line, fields, isText: true };
    if (isCutOff)
      yield {
        ...row,
        issue: { field: "(all)", got: "quotes that do not end", allowed: "a quote at the end of the cell" },
      };
    else if (cells.length > header.length)
      yield {
        ...row,
        issue: {
          field: "(all)",
          got: `${cells.length} cells`,
          allowed: `as many as the header has, ${header.length} (quotes let a cell have separators)`,
        },
      };
    else yield row;
  }
}

/** A file's text, piece by piece. */
async function* readText(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of createReadStream(path)) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new InvalidRequestError("runBatch: nothing was sent", [
      { field: "input", got: "bytes that are no UTF-8", allowed: "a text in UTF-8" },
    ]);
  }
}
