import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import type { Issue } from "@mediagen/sdk/node";
import { readCsv, type CsvRow } from "./csv.ts";
import { describeValue, issueOf } from "@mediagen/sdk/kit";
import { messageOf, nothingSent } from "./issues.ts";
import { linesOf } from "./files.ts";

/** One row of a batch's input, unchecked. */
export interface Row {
  readonly line: number;
  /** The row as text, to notice that it has changed. */
  readonly text: string;
  /** Fields by name, if the row is valid. Values from CSV are texts. */
  readonly fields: unknown;
  readonly isText: boolean;
  readonly issue?: Issue;
}

/** Checks that an input is of a known format and can be read. */
export async function checkInput(input: string): Promise<void> {
  if (!/\.(jsonl|ndjson|csv|tsv)$/i.test(input)) {
    const problem = `must end in .jsonl, .ndjson, .csv or .tsv, not ${describeValue(input)}`;
    throw nothingSent(issueOf("input", "invalid", problem));
  }
  await access(input).catch((error: unknown) => {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const problem = `${describeValue(input)} ${isMissing ? "does not exist" : `cannot be read (${messageOf(error)})`}`;
    throw nothingSent(issueOf("input", "invalid", problem, "Use a file that can be read."));
  });
}

/** Yields the rows of an input, as they are read from the disk. Empty rows are left out. */
export function readRows(input: string): AsyncGenerator<Row, void, undefined> {
  return /\.(csv|tsv)$/i.test(input) ? readCsvRows(input) : readJsonRows(input);
}

async function* readJsonRows(path: string): AsyncGenerator<Row, void, undefined> {
  const decoder = new TextDecoder();
  let line = 0;
  for await (const { bytes } of linesOf(path)) {
    line++;
    const text = decoder.decode(bytes);
    if (text.trim() !== "") yield { line, text, isText: false, ...parse(text, isUtf8(bytes)) };
  }
}

function parse(text: string, isUTF8: boolean): Pick<Row, "fields" | "issue"> {
  try {
    if (isUTF8) return { fields: JSON.parse(text) as unknown };
  } catch {
    // It is reported below.
  }
  const problem = isUTF8 ? `${describeValue(text)} is not JSON` : "is not text in UTF-8";
  return { fields: undefined, issue: issueOf("form", "invalid", problem, "Use one JSON object.") };
}

async function* readCsvRows(path: string): AsyncGenerator<Row, void, undefined> {
  let header: readonly string[] | undefined;
  for await (const row of readCsv(readText(path))) {
    const { line, cells, isCutOff } = row;
    if (!isCutOff && cells.every((cell) => cell.trim() === "")) continue;
    const text = JSON.stringify(cells);
    if (!header) {
      header = cells.map((cell) => cell.trim());
      if (!header.includes("model")) {
        // One issue for the header, not one for each row.
        const missing = issueOf("model", "missing", "is missing", "Pass a column with this name.");
        const { issue = missing } = issueIn(row, header);
        yield { line, text, fields: undefined, isText: true, issue };
        return;
      }
    } else
      yield { line, text, fields: fieldsOf(header, cells), isText: true, ...issueIn(row, header) };
  }
}

function issueIn({ cells, isCutOff }: CsvRow, { length }: readonly string[]): Pick<Row, "issue"> {
  if (isCutOff)
    return {
      issue: issueOf("form", "invalid", "has a quote that is not closed", "Use a closing quote."),
    };
  if (cells.length <= length) return {};
  const advice = `Use at most ${length}, as the header has. A cell that contains delimiters needs quotes.`;
  return { issue: issueOf("form", "invalid", `has ${cells.length} cells`, advice) };
}

/** Returns the fields of a row. A repeated column is a list, and an empty cell is no field. */
function fieldsOf(
  header: readonly string[],
  cells: readonly string[],
): Readonly<Record<string, unknown>> {
  const fields = new Map<string, string | readonly string[]>();
  for (const [index, name] of header.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "") continue;
    const isList = header.indexOf(name) !== header.lastIndexOf(name);
    fields.set(name, isList ? [...(fields.get(name) ?? []), cell] : cell);
  }
  // An assignment would silently drop a column named `__proto__`.
  return Object.fromEntries(fields);
}

async function* readText(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw nothingSent(issueOf("input", "invalid", "is not text in UTF-8", "Use text in UTF-8."));
  }
}
