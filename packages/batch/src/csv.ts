import { pipeline, Readable } from "node:stream";
import { parse } from "csv-parse";

/** One row of a table, and the line that it begins in. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether the text ended inside quotes. */
  readonly isCutOff: boolean;
}

const headLength = 65_536;

/**
 * Yields the rows of comma-separated values. The first comma, semicolon or tab outside quotes is
 * the delimiter of them all.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
): AsyncGenerator<CsvRow, void, undefined> {
  const rest = text[Symbol.asyncIterator]();
  let head = "";
  let delimiter: string | undefined;
  let next = await rest.next();
  // csv-parse's own detection of the delimiter fails for non-ASCII characters.
  for (
    ;
    !next.done && delimiter === undefined && head.length < headLength;
    next = await rest.next()
  ) {
    head += next.value;
    delimiter = /[,;\t]/.exec(head.replace(/"[^"]*"?/g, ""))?.[0];
  }
  async function* pieces() {
    yield head;
    for (; !next.done; next = await rest.next()) yield next.value;
  }
  let isCutOff = false;
  const parser = parse({
    delimiter: delimiter ?? ",",
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    // An unclosed quote is the only possible error. As a stream error, it would discard the rows
    // before it.
    skip_records_with_error: true,
    on_skip: () => void (isCutOff = true),
  });
  // An error of the input destroys the parser, so that the loop below throws it.
  pipeline(Readable.from(pieces()), parser, () => undefined);
  let line = 1;
  // The cast: without `columns`, rows are lists of texts.
  for await (const cells of parser as AsyncIterable<readonly string[]>) {
    yield { line, cells, isCutOff: false };
    line += 1 + (cells.join(" ").match(/\r\n|\n|\r/g)?.length ?? 0);
  }
  if (isCutOff) yield { line, cells: [], isCutOff };
}
