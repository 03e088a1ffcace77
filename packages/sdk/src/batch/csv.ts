/** One row of a table. */
export interface CsvRow {
  /** The line of the text that it begins in, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether the text ended within quotes. */
  readonly isCutOff: boolean;
}

/**
 * Reads the rows of comma-separated values as RFC 4180 has them, without holding the text: quotes around a cell let it have
 * separators, line breaks and doubled quotes. The first comma, semicolon or tab is the separator of them all.
 */
export async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<CsvRow, void, undefined> {
  let separator: string | undefined;
  let line = 1;
  let begin = 1;
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  /** What came last was a quote within quotes: the end of them, unless another one follows. */
  let sawQuote = false;
  const endCell = () => {
    cells.push(cell);
    cell = "";
  };
  const endRow = (isCutOff: boolean): CsvRow => {
    endCell();
    const row = { line: begin, cells, isCutOff };
    cells = [];
    begin = line;
    return row;
  };
  for await (const piece of text) {
    for (const char of piece) {
      if (char === "\n") line++;
      if (isQuoted && char === '"' && !sawQuote) {
        sawQuote = true;
        continue;
      }
      if (sawQuote && char !== '"') isQuoted = false;
      sawQuote = false;
      if (isQuoted) cell += char;
      else if (char === '"' && cell === "") isQuoted = true;
      else if (separator === undefined ? ",;\t".includes(char) : char === separator) {
        separator = char;
        endCell();
      } else if (char === "\n") yield endRow(false);
      else if (char !== "\r") cell += char;
    }
  }
  if (cell !== "" || cells.length > 0 || isQuoted) yield endRow(isQuoted && !sawQuote);
}
